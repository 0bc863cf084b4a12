#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "capture/error.h"
#include "capture/video_source.h"
#include "capture/video_writer.h"

namespace capture {
namespace {

using testing::HasSubstr;

class Video : public testing::TestWithParam<std::string> {
 protected:
  Video() : folder_(std::filesystem::temp_directory_path() / ("video_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Video() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

// The left half tells the frame's number by its brightness, the right half stays red.
std::shared_ptr<const Frame> numbered_frame(Size size, int number) {
  cv::Mat pixels(size.height, size.width, CV_8UC4, cv::Scalar(0, 0, 200, 0));
  pixels.colRange(0, size.width / 2).setTo(cv::Scalar::all(20 + 8 * number));
  return std::make_shared<const Frame>(pixels, ScreenMap({0, 0, size.width, size.height}, size));
}

TEST_P(Video, what_was_written_is_read_back_in_order_and_on_time) {
  for (const Size size : {Size{320, 200}, Size{161, 91}}) {
    const std::string file = path("film" + GetParam());
    {
      const auto writer = VideoWriter::open({.path = file, .size_px = size, .frames_per_second = 20});
      for (int i = 0; i < 25; ++i) writer->write(*numbered_frame(size, i));
      EXPECT_EQ(writer->codec().size(), 4u);
    }
    const auto source = VideoSource::open(file);
    EXPECT_NEAR(source->frames_per_second(), 20, 0.01);
    EXPECT_EQ(source->size_px(), (Size{size.width + size.width % 2, size.height + size.height % 2}));
    int n_frames = 0;
    while (const auto next = source->next()) {
      EXPECT_NEAR(next->position_ms, 50.0 * n_frames, 1);
      const auto& left = next->frame->pixels.at<cv::Vec4b>(40, 40);
      const auto& right = next->frame->pixels.at<cv::Vec4b>(40, size.width - 40);
      EXPECT_NEAR(left[1], 20 + 8 * n_frames, 4);
      EXPECT_NEAR(right[2], 200, 8);
      EXPECT_NEAR(right[1], 0, 8);
      ++n_frames;
    }
    EXPECT_EQ(n_frames, 25);
    EXPECT_FALSE(source->next());
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Video, testing::Values(".mp4", ".mkv", ".webm"),
                         [](const auto& tested) { return tested.param.substr(1); });

template <typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class VideoProblems : public Video {};

TEST_P(VideoProblems, each_gives_one_plain_message) {
  const auto write_to = [](const std::string& file) {
    return message_of([&] { (void)VideoWriter::open({.path = file, .size_px = {64, 64}, .frames_per_second = 10}); });
  };
  const auto read_from = [](const std::string& file) { return message_of([&] { (void)VideoSource::open(file); }); };
  EXPECT_THAT(write_to(path("film.gif")), HasSubstr("must end in .mp4, .mkv or .webm"));
  EXPECT_THAT(write_to(path("no/such/folder/film.mp4")), HasSubstr("Can't write the video file"));
  EXPECT_THAT(read_from(path("missing.mp4")), HasSubstr("There is no video file"));
  std::ofstream(path("text.mp4")) << "not a video";
  EXPECT_THAT(read_from(path("text.mp4")), HasSubstr("holds no video"));
  EXPECT_THAT(message_of([&] {
                VideoWriter::open({.path = path("a.mp4"), .size_px = {64, 64}, .frames_per_second = 10})
                    ->write(*numbered_frame({64, 66}, 0));
              }),
              HasSubstr("A frame of 64x66 doesn't fit into a video of 64x64"));
}

INSTANTIATE_TEST_SUITE_P(All, VideoProblems, testing::Values(""));

}  // namespace
}  // namespace capture
