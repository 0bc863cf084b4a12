#include "capture/frame_diff.h"

#include <algorithm>
#include <cstring>

#include "capture/rect_list.h"
#include "capture/scroll_search.h"

namespace capture {
namespace {

constexpr int kTile = 16;     // changes are found tile by tile
constexpr int kMergeGap = 8;  // and what lies closer than this is one change
constexpr int kMinScrollSide = 48;

std::uint32_t colour(const cv::Mat& pixels, int x, int y) {
  return pixels.at<std::uint32_t>(y, x) & 0xffffff;
}

// Sets in `changed` [n_tiles] the tiles of this row of pixels that differ.
void compare_row(const std::uint32_t* a, const std::uint32_t* b, int n_pixels, std::vector<std::uint8_t>& changed) {
  for (int tile = 0, x = 0; x < n_pixels; ++tile) {
    std::uint32_t difference = 0;
    const int end = std::min(x + kTile, n_pixels);
    for (; x < end; ++x) difference |= a[x] ^ b[x];
    changed[static_cast<std::size_t>(tile)] |= (difference & 0xffffff) != 0;
  }
}

// Rows of tiles as rectangles: one per run of changed tiles.
std::vector<Rect> changed_tiles(const cv::Mat& before, const cv::Mat& after) {
  std::vector<Rect> runs;
  const int n_tiles = (before.cols + kTile - 1) / kTile;
  for (int top = 0; top < before.rows; top += kTile) {
    const int n_rows = std::min(kTile, before.rows - top);
    std::vector<std::uint8_t> changed(static_cast<std::size_t>(n_tiles));
    for (int y = top; y < top + n_rows; ++y) {
      compare_row(before.ptr<std::uint32_t>(y), after.ptr<std::uint32_t>(y), before.cols, changed);
    }
    for (int tile = 0; tile < n_tiles; ++tile) {
      if (!changed[static_cast<std::size_t>(tile)]) continue;
      const int first = tile;
      while (tile < n_tiles && changed[static_cast<std::size_t>(tile)]) ++tile;
      const int left = first * kTile;
      runs.push_back({left, top, std::min(tile * kTile, before.cols) - left, n_rows});
    }
  }
  return runs;
}

// The smallest rectangle inside `area` around all pixels that differ.
Rect tighten(const cv::Mat& before, const cv::Mat& after, const Rect& area) {
  int left = area.right(), right = area.x, top = area.bottom(), bottom = area.y;
  for (int y = area.y; y < area.bottom(); ++y) {
    for (int x = area.x; x < area.right(); ++x) {
      if (colour(before, x, y) == colour(after, x, y)) continue;
      left = std::min(left, x);
      right = std::max(right, x + 1);
      top = std::min(top, y);
      bottom = y + 1;
    }
  }
  return {left, top, right - left, bottom - top};
}

std::optional<Scroll> find_scroll(const cv::Mat& before, const cv::Mat& after, const Rect& area) {
  if (area.width < kMinScrollSide || area.height < kMinScrollSide) return std::nullopt;
  const cv::Rect part(area.x, area.y, area.width, area.height);
  const cv::Mat old_part = before(part), new_part = after(part);
  if (const auto move = find_vertical_move(old_part, new_part)) {
    const Rect moved{area.x + move->first_column, area.y + move->first_row, move->n_columns, move->n_rows};
    return Scroll{moved, 0, move->distance_px};
  }
  if (const auto move = find_vertical_move(old_part.t(), new_part.t())) {
    const Rect moved{area.x + move->first_row, area.y + move->first_column, move->n_rows, move->n_columns};
    return Scroll{moved, move->distance_px, 0};
  }
  return std::nullopt;
}

}  // namespace

std::optional<FrameDiff> diff(const Frame& before, const Frame& after) {
  if (before.screen_map.image_px() != after.screen_map.image_px() ||
      before.screen_map.area_pt() != after.screen_map.area_pt()) {
    return std::nullopt;
  }
  FrameDiff result;
  if (before.pixels.data == after.pixels.data) return result;  // the very same memory
  for (const Rect& area : merge_close(changed_tiles(before.pixels, after.pixels), 0)) {
    result.changed_px.push_back(tighten(before.pixels, after.pixels, area));
  }
  result.changed_px = merge_close(std::move(result.changed_px), kMergeGap);
  const auto is_larger = [](const Rect& a, const Rect& b) { return a.area() > b.area(); };
  std::sort(result.changed_px.begin(), result.changed_px.end(), is_larger);
  // The gaps between scrolled lines don't change, so the pieces are looked at together.
  Rect all;
  for (const Rect& area : result.changed_px) all = unite(all, area);
  result.scroll = find_scroll(before.pixels, after.pixels, all);
  return result;
}

}  // namespace capture
