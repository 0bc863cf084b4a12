// libdeskhand_video.so: OpenCV's video files behind two functions.

#include "capture/video/video_module.h"

#include <memory>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

namespace capture {
namespace {

class Reader : public VideoReaderModule {
 public:
  explicit Reader(const char* path) : video_(path, cv::CAP_FFMPEG) {}
  bool is_open() const { return video_.isOpened() && width() > 0 && height() > 0; }

  bool read(cv::Mat& pixels, double& position_ms) override {
    cv::Mat picture;
    if (!video_.read(picture) || picture.empty()) return false;
    position_ms = video_.get(cv::CAP_PROP_POS_MSEC);
    pixels = cv::Mat();
    cv::cvtColor(picture, pixels, cv::COLOR_BGR2BGRA);
    return true;
  }

  double frames_per_second() const override { return video_.get(cv::CAP_PROP_FPS); }
  int width() const override { return static_cast<int>(video_.get(cv::CAP_PROP_FRAME_WIDTH)); }
  int height() const override { return static_cast<int>(video_.get(cv::CAP_PROP_FRAME_HEIGHT)); }

 private:
  cv::VideoCapture video_;
};

class Writer : public VideoWriterModule {
 public:
  explicit Writer(const VideoWriterRequest& request) {
    for (const char* const* codec = request.codecs; *codec != nullptr && !video_.isOpened(); ++codec) {
      codec_ = *codec;
      const int fourcc = cv::VideoWriter::fourcc(codec_[0], codec_[1], codec_[2], codec_[3]);
      video_.open(request.path, cv::CAP_FFMPEG, fourcc, request.frames_per_second,
                  cv::Size(request.width, request.height));
    }
  }
  bool is_open() const { return video_.isOpened(); }

  void write(const cv::Mat& pixels) override {
    cv::cvtColor(pixels, picture_, cv::COLOR_BGRA2BGR);
    video_.write(picture_);
  }
  std::string codec() const override { return codec_; }

 private:
  cv::VideoWriter video_;
  cv::Mat picture_;
  std::string codec_;
};

template <typename T, typename Argument>
T* open_or_null(const Argument& argument) {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);  // failures are told by the caller
  auto opened = std::make_unique<T>(argument);
  return opened->is_open() ? opened.release() : nullptr;
}

}  // namespace
}  // namespace capture

extern "C" capture::VideoReaderModule* deskhand_open_video_reader(const char* path) {
  return capture::open_or_null<capture::Reader>(path);
}

extern "C" capture::VideoWriterModule* deskhand_open_video_writer(const capture::VideoWriterRequest& request) {
  return capture::open_or_null<capture::Writer>(request);
}
