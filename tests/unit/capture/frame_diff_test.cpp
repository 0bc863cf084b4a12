#include "capture/frame_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <random>

namespace capture {
namespace {

std::shared_ptr<const Frame> frame_of(const cv::Mat& pixels, int x_pt = 0) {
  return std::make_shared<const Frame>(pixels.clone(),
                                       ScreenMap({x_pt, 0, pixels.cols, pixels.rows}, {pixels.cols, pixels.rows}));
}

FrameDiff diff_of(const cv::Mat& before, const cv::Mat& after) {
  return *diff(*frame_of(before), *frame_of(after));
}

void fill(cv::Mat& pixels, const Rect& area, const cv::Scalar& colour) {
  pixels(cv::Rect(area.x, area.y, area.width, area.height)).setTo(colour);
}

// A page of text lines, `height` pixels long, as a document looks.
cv::Mat page(int width, int height, unsigned seed = 1) {
  std::mt19937 random(seed);
  cv::Mat pixels(height, width, CV_8UC4, cv::Scalar(255, 255, 255, 0));
  for (int y = 20; y < height; y += 20) {
    std::string line;
    for (int n = static_cast<int>(random() % 60); n >= 0; --n) line += static_cast<char>('a' + random() % 26);
    if (random() % 4 != 0) cv::putText(pixels, line, {5, y}, cv::FONT_HERSHEY_PLAIN, 1, cv::Scalar(0, 0, 0, 0));
  }
  return pixels;
}

TEST(FrameDiff, equal_frames_differ_nowhere_whatever_the_unused_byte_says) {
  cv::Mat before(50, 70, CV_8UC4, cv::Scalar(1, 2, 3, 0)), after(50, 70, CV_8UC4, cv::Scalar(1, 2, 3, 255));
  const FrameDiff found = diff_of(before, after);
  EXPECT_TRUE(found.changed_px.empty());
  EXPECT_FALSE(found.scroll);
}

TEST(FrameDiff, changes_are_found_to_the_pixel_and_largest_first) {
  cv::Mat before(300, 501, CV_8UC4, cv::Scalar(9, 9, 9, 0)), after = before.clone();
  const Rect small{3, 7, 1, 1}, large{200, 100, 57, 33}, corner{500, 299, 1, 1};
  for (const Rect& area : {small, large, corner}) fill(after, area, {0, 0, 255, 0});
  const auto changed = diff_of(before, after).changed_px;
  ASSERT_EQ(changed.size(), 3u);
  EXPECT_EQ(changed[0], large);
  EXPECT_NE(std::find(changed.begin(), changed.end(), small), changed.end());
  EXPECT_NE(std::find(changed.begin(), changed.end(), corner), changed.end());
}

TEST(FrameDiff, random_changes_are_all_covered_and_nothing_far_away_is) {
  std::mt19937 random(3);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 50; ++round) {
    cv::Mat before(240, 320, CV_8UC4, cv::Scalar(0, 0, 0, 0)), after = before.clone();
    for (int n = pick(1, 6); n > 0; --n) {
      fill(after, {pick(0, 300), pick(0, 220), pick(1, 20), pick(1, 20)}, {pick(1, 255) * 1.0, 0, 0, 0});
    }
    const auto changed = diff_of(before, after).changed_px;
    for (int y = 0; y < 240; ++y) {
      for (int x = 0; x < 320; ++x) {
        if (after.at<std::uint32_t>(y, x) == before.at<std::uint32_t>(y, x)) continue;
        const auto covers = [&](const Rect& r) { return r.contains(x, y); };
        ASSERT_TRUE(std::any_of(changed.begin(), changed.end(), covers)) << x << ", " << y;
      }
    }
    for (const Rect& r : changed) {  // every edge touches a change
      const auto differs = [&](Rect edge) {
        const cv::Rect part(edge.x, edge.y, edge.width, edge.height);
        return cv::norm(before(part), after(part), cv::NORM_INF) > 0;
      };
      EXPECT_TRUE(differs({r.x, r.y, r.width, 1}) && differs({r.x, r.bottom() - 1, r.width, 1}));
      EXPECT_TRUE(differs({r.x, r.y, 1, r.height}) && differs({r.right() - 1, r.y, 1, r.height}));
    }
  }
}

TEST(FrameDiff, frames_of_different_places_are_not_compared) {
  const cv::Mat pixels(10, 10, CV_8UC4, cv::Scalar(0, 0, 0, 0));
  EXPECT_FALSE(diff(*frame_of(pixels), *frame_of(pixels, 5)));
  EXPECT_FALSE(diff(*frame_of(pixels), *frame_of(cv::Mat(10, 11, CV_8UC4, cv::Scalar(0, 0, 0, 0)))));
}

TEST(FrameDiff, scrolling_is_recognised_in_all_four_directions) {
  const cv::Mat document = page(900, 1400);
  const cv::Rect view(200, 500, 500, 400);
  for (const int distance : {1, 3, 40, 57, 200, -1, -19, -150}) {
    cv::Mat before(600, 800, CV_8UC4, cv::Scalar(80, 80, 80, 0)), after = before.clone();
    const cv::Rect place(100, 100, view.width, view.height);
    document(view).copyTo(before(place));
    document(view + cv::Point(0, -distance)).copyTo(after(place));
    const auto vertical = diff_of(before, after).scroll;
    ASSERT_TRUE(vertical) << distance;
    EXPECT_EQ(vertical->dy_px, distance);
    EXPECT_EQ(vertical->dx_px, 0);
    EXPECT_TRUE((Rect{100, 100, 500, 400}).contains(vertical->area_px));

    document(view + cv::Point(-distance, 0)).copyTo(after(place));
    const auto horizontal = diff_of(before, after).scroll;
    ASSERT_TRUE(horizontal) << distance;
    EXPECT_EQ(horizontal->dx_px, distance);
    EXPECT_EQ(horizontal->dy_px, 0);
  }
}

TEST(FrameDiff, a_scroll_bar_beside_the_content_does_not_hide_the_scroll) {
  const cv::Mat document = page(500, 1400);
  cv::Mat before(400, 514, CV_8UC4, cv::Scalar(200, 200, 200, 0)), after = before.clone();
  document(cv::Rect(0, 0, 500, 400)).copyTo(before(cv::Rect(0, 0, 500, 400)));
  document(cv::Rect(0, 60, 500, 400)).copyTo(after(cv::Rect(0, 0, 500, 400)));
  fill(before, {502, 0, 10, 60}, {50, 50, 50, 0});
  fill(after, {502, 17, 10, 60}, {50, 50, 50, 0});
  const auto scroll = diff_of(before, after).scroll;
  ASSERT_TRUE(scroll);
  EXPECT_EQ(scroll->dy_px, -60);
}

TEST(FrameDiff, other_text_in_the_same_place_is_no_scroll) {
  EXPECT_FALSE(diff_of(page(500, 400, 1), page(500, 400, 2)).scroll);
  cv::Mat before(400, 500, CV_8UC4, cv::Scalar(0, 0, 0, 0)), after(400, 500, CV_8UC4, cv::Scalar(255, 255, 255, 0));
  EXPECT_FALSE(diff_of(before, after).scroll);
}

}  // namespace
}  // namespace capture
