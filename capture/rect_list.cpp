#include "capture/rect_list.h"

#include <algorithm>

namespace capture {
namespace {

// Above this the joining, quadratic in the number of rectangles, is done on a grid of cells first.
constexpr std::size_t kMaxExactRects = 256;
constexpr int kCellSide = 128;

bool is_close(const Rect& a, const Rect& b, int gap) {
  return a.x <= b.right() + gap && b.x <= a.right() + gap && a.y <= b.bottom() + gap && b.y <= a.bottom() + gap;
}

std::vector<Rect> join_in_cells(const std::vector<Rect>& rects) {
  const auto cell = [](const Rect& r) { return std::pair(r.y / kCellSide, r.x / kCellSide); };
  std::vector<Rect> sorted = rects, joined;
  std::sort(sorted.begin(), sorted.end(), [&](const Rect& a, const Rect& b) { return cell(a) < cell(b); });
  for (const Rect& r : sorted) {
    if (!joined.empty() && cell(joined.back()) == cell(r)) {
      joined.back() = unite(joined.back(), r);
    } else {
      joined.push_back(r);
    }
  }
  return joined;
}

}  // namespace

std::vector<Rect> merge_close(std::vector<Rect> rects, int gap) {
  std::erase_if(rects, [](const Rect& r) { return r.is_empty(); });
  if (rects.size() > kMaxExactRects) rects = join_in_cells(rects);
  std::vector<Rect> merged;
  for (Rect rect : rects) {
    // Growing may bring it close to others that were passed already, so look again after each union.
    for (auto other = merged.begin(); other != merged.end();) {
      if (is_close(*other, rect, gap)) {
        rect = unite(*other, rect);
        merged.erase(other);
        other = merged.begin();
      } else {
        ++other;
      }
    }
    merged.push_back(rect);
  }
  return merged;
}

}  // namespace capture
