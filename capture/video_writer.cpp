#include "capture/video_writer.h"

#include <filesystem>
#include <fstream>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "capture/error.h"
#include "capture/video/video_module.h"

namespace capture {
namespace {

struct Format {
  const char* ending;
  std::vector<const char*> codecs;  // the best first, ends with null
};

const Format& format_of(const std::string& path) {
  static const std::vector<Format> kFormats = {
      {".mp4", {"avc1", "mp4v", nullptr}}, {".mkv", {"H264", "FMP4", nullptr}}, {".webm", {"VP90", "VP80", nullptr}}};
  const std::string ending = std::filesystem::path(path).extension();
  for (const Format& format : kFormats) {
    if (ending == format.ending) return format;
  }
  throw Error("Can't write a video to " + path + ": its name must end in .mp4, .mkv or .webm");
}

int even(int side_px) {
  return side_px + side_px % 2;
}

std::string name_of(Size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

}  // namespace

std::unique_ptr<VideoWriter> VideoWriter::open(const Options& options) {
  CAPTURE_CHECK(options.size_px.width > 0 && options.size_px.height > 0 && options.frames_per_second > 0,
                "a video has a size and a rate");
  const Format& format = format_of(options.path);
  if (!std::ofstream(options.path)) throw Error("Can't write the video file " + options.path);
  std::unique_ptr<VideoWriterModule> module(video_writer_module()({.path = options.path.c_str(),
                                                                   .codecs = format.codecs.data(),
                                                                   .width = even(options.size_px.width),
                                                                   .height = even(options.size_px.height),
                                                                   .frames_per_second = options.frames_per_second}));
  if (!module) {
    throw Error("Can't write " + options.path + " at " + name_of(options.size_px) +
                ": its disk has no room, or OpenCV's FFmpeg has no encoder for " + format.ending);
  }
  return std::unique_ptr<VideoWriter>(new VideoWriter(std::move(module), options.size_px));
}

VideoWriter::VideoWriter(std::unique_ptr<VideoWriterModule> module, Size size_px)
    : module_(std::move(module)), size_px_(size_px) {}
VideoWriter::~VideoWriter() = default;

void VideoWriter::write(const Frame& frame) {
  const Size size = frame.screen_map.image_px();
  if (size != size_px_) {
    throw Error("A frame of " + name_of(size) + " doesn't fit into a video of " + name_of(size_px_));
  }
  if (size.width % 2 == 0 && size.height % 2 == 0) return module_->write(frame.pixels);
  cv::Mat filled;
  cv::copyMakeBorder(frame.pixels, filled, 0, size.height % 2, 0, size.width % 2, cv::BORDER_REPLICATE);
  module_->write(filled);
}

std::string VideoWriter::codec() const {
  return module_->codec();
}

}  // namespace capture
