#include "capture/frame.h"

#include <gtest/gtest.h>

#include <random>

namespace capture {
namespace {

cv::Mat noise(int width, int height, unsigned seed = 1) {
  std::mt19937 random(seed);
  cv::Mat pixels(height, width, CV_8UC4);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) pixels.at<std::uint32_t>(y, x) = random();
  }
  return pixels;
}

std::shared_ptr<const Frame> frame_of(cv::Mat pixels) {
  const Size size{pixels.cols, pixels.rows};
  return std::make_shared<const Frame>(std::move(pixels), ScreenMap({0, 0, size.width, size.height}, size));
}

TEST(Frame, each_one_has_its_own_id) {
  const auto a = frame_of(noise(4, 4)), b = frame_of(noise(4, 4));
  EXPECT_NE(a->id, b->id);
}

TEST(Frame, the_hash_ignores_the_unused_byte_and_sees_every_other_bit) {
  const cv::Mat pixels = noise(37, 5);
  const std::uint64_t hash = frame_of(pixels)->content_hash();
  cv::Mat same = pixels.clone();
  for (int x = 0; x < same.cols; ++x) same.at<std::uint32_t>(2, x) ^= 0xff000000;
  EXPECT_EQ(frame_of(same)->content_hash(), hash);
  for (int x = 0; x < pixels.cols; ++x) {
    for (int bit = 0; bit < 24; ++bit) {
      cv::Mat other = pixels.clone();
      other.at<std::uint32_t>(4, x) ^= 1u << bit;
      ASSERT_NE(frame_of(other)->content_hash(), hash) << "column " << x << " bit " << bit;
    }
  }
}

TEST(Frame, the_hash_depends_on_order_and_shape) {
  const cv::Mat pixels = noise(16, 16);
  cv::Mat swapped = pixels.clone();
  std::swap(swapped.at<std::uint32_t>(0, 0), swapped.at<std::uint32_t>(0, 8));
  EXPECT_NE(frame_of(swapped)->content_hash(), frame_of(pixels)->content_hash());
  EXPECT_NE(frame_of(pixels.reshape(4, 8))->content_hash(), frame_of(pixels)->content_hash());
}

TEST(Frame, a_crop_hashes_like_its_own_copy) {
  const auto whole = frame_of(noise(100, 60));
  const auto part = crop(whole, {13, 7, 31, 20});
  EXPECT_EQ(part->content_hash(), frame_of(part->pixels.clone())->content_hash());
  EXPECT_EQ(part->pixels.at<std::uint32_t>(0, 0), whole->pixels.at<std::uint32_t>(7, 13));
  EXPECT_EQ(part->screen_map.area_pt(), (Rect{13, 7, 31, 20}));
}

TEST(Frame, a_crop_keeps_the_pixels_alive) {
  auto whole = frame_of(noise(8, 8));
  const std::uint32_t pixel = whole->pixels.at<std::uint32_t>(4, 4);
  const auto part = crop(whole, {4, 4, 4, 4});
  whole.reset();
  EXPECT_EQ(part->pixels.at<std::uint32_t>(0, 0), pixel);
}

TEST(Frame, a_shrunk_picture_is_the_average_of_its_pixels) {
  cv::Mat stripes(40, 40, CV_8UC4);
  for (int x = 0; x < 40; ++x) stripes.col(x).setTo(x % 2 ? cv::Scalar(200, 100, 0, 0) : cv::Scalar(0, 0, 0, 0));
  const auto small = resize(frame_of(stripes), {20, 20});
  EXPECT_EQ(small->pixels.at<cv::Vec4b>(10, 10), cv::Vec4b(100, 50, 0, 0));
  EXPECT_EQ(small->screen_map.image_px(), (Size{20, 20}));
  EXPECT_EQ(small->screen_map.area_pt(), (Rect{0, 0, 40, 40}));
}

TEST(Frame, resizing_to_the_same_size_is_the_same_frame) {
  const auto frame = frame_of(noise(8, 8));
  EXPECT_EQ(resize(frame, {8, 8}), frame);
}

TEST(Frame, a_point_that_speaks_of_another_picture_is_an_error) {
  const auto before = frame_of(noise(8, 8)), after = frame_of(noise(8, 8));
  const auto result = after->to_desktop({before->id, 3, 3});
  ASSERT_TRUE(std::holds_alternative<PointError>(result));
  EXPECT_EQ(std::get<PointError>(result).kind, PointError::Kind::OtherFrame);
  EXPECT_EQ(std::get<DesktopPoint>(after->to_desktop({after->id, 3, 4})), (DesktopPoint{3, 4}));
}

TEST(FrameDeathTest, pixels_and_map_must_agree) {
  EXPECT_DEATH(Frame(noise(8, 8), ScreenMap({0, 0, 8, 9}, {8, 9})), "the map describes these pixels");
}

}  // namespace
}  // namespace capture
