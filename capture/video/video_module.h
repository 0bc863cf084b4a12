#pragma once
// What libdeskhand_video.so offers. It links OpenCV's videoio, whose 220 libraries take a quarter of a second to load,
// so it is loaded when the first video file is opened and not with the program.

#include <opencv2/core/mat.hpp>
#include <string>

namespace capture {

class VideoReaderModule {
 public:
  virtual ~VideoReaderModule() = default;
  // The next picture [height, width] CV_8UC4 in `pixels`, newly allocated, and its time; false at the end.
  virtual bool read(cv::Mat& pixels, double& position_ms) = 0;
  virtual double frames_per_second() const = 0;
  virtual int width() const = 0;
  virtual int height() const = 0;
};

class VideoWriterModule {
 public:
  virtual ~VideoWriterModule() = default;         // finishes the file
  virtual void write(const cv::Mat& pixels) = 0;  // [height, width] CV_8UC4 of the size given at the start
  virtual std::string codec() const = 0;
};

struct VideoWriterRequest {
  const char* path;
  const char* const* codecs;  // FOURCCs to try in order, ends with null
  int width, height;          // even
  double frames_per_second;
};

// Both return null when it can't be opened.
using OpenVideoReader = VideoReaderModule* (*)(const char* path);
using OpenVideoWriter = VideoWriterModule* (*)(const VideoWriterRequest& request);
inline constexpr const char* kOpenVideoReaderName = "deskhand_open_video_reader";
inline constexpr const char* kOpenVideoWriterName = "deskhand_open_video_writer";

// Loads the module (once). Throws Error when it isn't there or lacks its libraries.
OpenVideoReader video_reader_module();
OpenVideoWriter video_writer_module();

}  // namespace capture
