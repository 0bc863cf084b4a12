#pragma once
// Lists of changed rectangles.

#include <vector>

#include "capture/screen_map.h"

namespace capture {

// Joins rectangles that overlap or are at most `gap` apart until none are left; long lists are joined more coarsely.
std::vector<Rect> merge_close(std::vector<Rect> rects, int gap);

}  // namespace capture
