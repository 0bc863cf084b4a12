#include "capture/video_source.h"

#include <filesystem>

#include "capture/error.h"
#include "capture/video/video_module.h"

namespace capture {

std::unique_ptr<VideoSource> VideoSource::open(const std::string& path) {
  // OpenCV would take "file%d.png" for a series of pictures, and a URL for a file.
  if (!std::filesystem::is_regular_file(path)) throw Error("There is no video file " + path);
  std::unique_ptr<VideoReaderModule> reader(video_reader_module()(path.c_str()));
  if (!reader) throw Error(path + " holds no video that can be decoded");
  return std::unique_ptr<VideoSource>(new VideoSource(std::move(reader)));
}

VideoSource::VideoSource(std::unique_ptr<VideoReaderModule> reader) : reader_(std::move(reader)) {}
VideoSource::~VideoSource() = default;

std::optional<VideoFrame> VideoSource::next() {
  cv::Mat pixels;
  double position_ms = 0;
  if (!reader_->read(pixels, position_ms)) return std::nullopt;
  // OpenCV knows no time for the pictures that a decoder still holds at the end of the file.
  if (position_ms <= last_position_ms_) position_ms = last_position_ms_ + 1000 / frames_per_second();
  last_position_ms_ = position_ms;
  const auto since_start =
      std::chrono::duration_cast<Frame::Clock::duration>(std::chrono::duration<double, std::milli>(position_ms));
  ScreenMap map({0, 0, pixels.cols, pixels.rows}, {pixels.cols, pixels.rows});
  return VideoFrame{
      std::make_shared<const Frame>(std::move(pixels), std::move(map), Frame::Clock::time_point(since_start)),
      position_ms};
}

double VideoSource::frames_per_second() const {
  return reader_->frames_per_second();
}
Size VideoSource::size_px() const {
  return {reader_->width(), reader_->height()};
}

}  // namespace capture
