#pragma once
// Frames into a video file: .mp4, .mkv or .webm.

#include <memory>
#include <string>

#include "capture/frame.h"

namespace capture {

class VideoWriterModule;

// Used by one thread at a time. The file is complete when the writer is gone.
class VideoWriter {
 public:
  struct Options {
    std::string path;  // its ending chooses the format
    Size size_px;      // of every frame; an odd side is filled up with a copy of its last row or column
    double frames_per_second = 10;
  };

  // Throws Error when the ending is unknown, the file can't be written, no encoder is there, or the video module is
  // missing.
  static std::unique_ptr<VideoWriter> open(const Options& options);
  ~VideoWriter();

  // Shown for 1 / frames_per_second. Throws Error when the frame has another size.
  void write(const Frame& frame);
  std::string codec() const;  // the encoder that was found, as a FOURCC

 private:
  VideoWriter(std::unique_ptr<VideoWriterModule> module, Size size_px);
  std::unique_ptr<VideoWriterModule> module_;
  Size size_px_;
};

}  // namespace capture
