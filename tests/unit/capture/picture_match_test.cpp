// A picture is found by its outlines, whatever its colours, and not where it isn't.

#include "capture/picture_match.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <string>

namespace capture {
namespace {

constexpr double kSizes[] = {1.0, 1.5, 2.0};

// Four rows of three buttons with labels in a window of 480x320.
cv::Mat dialog(const cv::Scalar& ground, const cv::Scalar& ink) {
  cv::Mat pixels(320, 480, CV_8UC4, ground);
  for (int n = 0; n < 12; ++n) {
    const cv::Rect button(20 + n % 3 * 150, 20 + n / 3 * 72, 130, 48);
    cv::rectangle(pixels, button, ink, 1);
    cv::putText(pixels, "Button " + std::to_string(n * 37), {button.x + 12, button.y + 30}, cv::FONT_HERSHEY_SIMPLEX,
                0.5, ink, 1, cv::LINE_AA);
  }
  return pixels;
}

const cv::Scalar kLight(245, 245, 245, 0), kDark(30, 30, 30, 0);
const cv::Rect kButton7(165, 160, 140, 60);

TEST(PictureMatch, finds_the_place_in_other_colours) {
  const cv::Mat recorded = dialog(kLight, kDark)(kButton7);
  const auto match = find_picture(dialog(kDark, kLight), recorded);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->area_px, (Rect{kButton7.x, kButton7.y, kButton7.width, kButton7.height}));
  EXPECT_GT(match->score, 0.95);
  EXPECT_LT(match->runner_up, match->score - 0.005) << "the other buttons have other labels";
}

TEST(PictureMatch, finds_it_larger) {
  cv::Mat scaled;
  cv::resize(dialog(kLight, kDark), scaled, {}, 1.5, 1.5);
  const auto match = find_picture(scaled, dialog(kLight, kDark)(kButton7), kSizes);
  ASSERT_TRUE(match);
  EXPECT_NEAR(match->area_px.x, kButton7.x * 1.5, 4);
  EXPECT_NEAR(match->area_px.y, kButton7.y * 1.5, 4);
}

TEST(PictureMatch, equal_pictures_leave_no_lead) {
  cv::Mat twice = dialog(kLight, kDark);
  twice(kButton7).copyTo(twice(cv::Rect(kButton7.x, kButton7.y - 72, kButton7.width, kButton7.height)));
  const auto match = find_picture(twice, dialog(kLight, kDark)(kButton7));
  ASSERT_TRUE(match);
  EXPECT_NEAR(match->score, match->runner_up, 0.01);
}

TEST(PictureMatch, a_plain_surface_matches_nothing) {
  const cv::Mat plain(60, 140, CV_8UC4, kLight);
  EXPECT_FALSE(find_picture(dialog(kLight, kDark), plain));
  EXPECT_FALSE(likeness(plain, plain));
}

TEST(PictureMatch, what_is_not_there_scores_low) {
  cv::Mat other(60, 140, CV_8UC4, kLight);
  cv::circle(other, {70, 30}, 25, kDark, 3);
  const auto match = find_picture(dialog(kLight, kDark), other);
  ASSERT_TRUE(match);
  EXPECT_LT(match->score, 0.6);
}

TEST(PictureMatch, likeness_is_high_for_the_same_thing_only) {
  const cv::Mat light = dialog(kLight, kDark), dark = dialog(kDark, kLight);
  EXPECT_GT(likeness(light(kButton7), dark(kButton7)).value(), 0.95);
  EXPECT_LT(likeness(light(kButton7), light(cv::Rect(0, 0, 140, 60))).value(), 0.6);
}

}  // namespace
}  // namespace capture
