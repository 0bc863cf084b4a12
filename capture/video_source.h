#pragma once
// The frames of a video file.

#include <memory>
#include <optional>
#include <string>

#include "capture/frame.h"

namespace capture {

class VideoReaderModule;

struct VideoFrame {
  std::shared_ptr<const Frame> frame;  // its "desktop" is the picture itself
  double position_ms = 0;              // from the start of the file
};

// Used by one thread at a time.
class VideoSource {
 public:
  // Throws Error when the file isn't there, holds no video that OpenCV can decode, or the video module is missing.
  static std::unique_ptr<VideoSource> open(const std::string& path);
  ~VideoSource();

  std::optional<VideoFrame> next();  // nothing at the end
  double frames_per_second() const;
  Size size_px() const;

 private:
  explicit VideoSource(std::unique_ptr<VideoReaderModule> reader);
  std::unique_ptr<VideoReaderModule> reader_;
  double last_position_ms_ = -1;  // none yet
};

}  // namespace capture
