#pragma once
// What differs between two frames of the same place.

#include <optional>
#include <vector>

#include "capture/frame.h"

namespace capture {

// Content that moved as a whole inside `area_px`: what was at (x, y) is now at (x + dx_px, y + dy_px). One of both is
// 0.
struct Scroll {
  Rect area_px;
  int dx_px = 0, dy_px = 0;
};

struct FrameDiff {
  std::vector<Rect> changed_px;  // tight, apart from each other, largest first
  std::optional<Scroll> scroll;  // when it explains most of the change
};

// Nothing when the frames can't be compared: another size or another part of the desktop. The unused byte of a pixel
// doesn't count. About 2 ms for full HD without changes.
[[nodiscard]] std::optional<FrameDiff> diff(const Frame& before, const Frame& after);

}  // namespace capture
