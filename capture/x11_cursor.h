#pragma once
// The pointer's shape: the picture of the screen never contains it.

#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>
#include <vector>

#include "capture/row_bands.h"
#include "capture/screen_map.h"
#include "capture/x11_connection.h"

namespace capture {

struct Cursor {
  DesktopPoint position;              // of the hot spot
  Rect area_pt;                       // of its picture on the desktop
  std::string name;                   // "text", "hand2", "watch"; empty when the program that set it didn't say
  std::vector<std::uint32_t> pixels;  // [height, width] premultiplied ARGB
};

// Nothing when the server doesn't tell (the pointer is on another screen, the connection is lost).
std::optional<Cursor> query_cursor(const X11Connection& x);

// Draws it over a picture of `area_pt` at native resolution. Returns the rows that it touched, {0, 0} for none.
RowBand draw_cursor(const Cursor& cursor, const Rect& area_pt, cv::Mat& pixels);

}  // namespace capture
