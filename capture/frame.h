#pragma once
// A picture of the desktop, or of a part of it, with the map that says where its pixels are.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <opencv2/core/mat.hpp>
#include <variant>

#include "capture/screen_map.h"

namespace capture {

// Immutable once shared (shared_ptr<const Frame>), so any thread may read it. Owns its pixels: a copied cv::Mat header
// must not outlive the frame (clone() it), because grabbed pixels may lie in memory shared with the X server.
class Frame {
 public:
  using Clock = std::chrono::system_clock;

  // `pixels` [height, width] CV_8UC4: blue, green, red and a byte without meaning. `memory` keeps the pixels alive when
  // the Mat doesn't own them. The frame gets an id that is unique in this process.
  Frame(cv::Mat pixels, ScreenMap screen_map, Clock::time_point captured_at = Clock::now(),
        std::shared_ptr<const void> memory = nullptr);

  const std::uint64_t id;
  const cv::Mat pixels;  // [height, width] BGRx, rows may have a stride
  const ScreenMap screen_map;
  const Clock::time_point captured_at;
  const std::shared_ptr<const void> memory;

  // Equal for equal colours and sizes, whatever the unused byte says. Computed on the first call (about 1 ms for full
  // HD), then kept.
  std::uint64_t content_hash() const;

  // The desktop point that an image point means, when the point speaks of this very frame.
  [[nodiscard]] std::variant<DesktopPoint, PointError> to_desktop(const ImagePoint& point) const;

 private:
  mutable std::atomic<std::uint64_t> hash_{0};  // 0: not computed yet
};

// A part of a frame, sharing its pixels (`area_px` inside the frame, which has native resolution).
std::shared_ptr<const Frame> crop(const std::shared_ptr<const Frame>& frame, Rect area_px);

// The frame at another size: averaged when it shrinks, interpolated when it grows. The same frame when the size is
// equal.
std::shared_ptr<const Frame> resize(const std::shared_ptr<const Frame>& frame, Size image_px);

}  // namespace capture
