#include "capture/x11_cursor.h"

#include <xcb/xfixes.h>

#include <algorithm>

namespace capture {
namespace {

// `over` is premultiplied ARGB, `under` BGRx.
std::uint32_t blend(std::uint32_t over, std::uint32_t under) {
  const std::uint32_t alpha = over >> 24;
  std::uint32_t result = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const std::uint32_t kept = ((under >> shift & 0xff) * (255 - alpha) + 127) / 255;
    result |= std::min<std::uint32_t>(255, (over >> shift & 0xff) + kept) << shift;
  }
  return result;
}

}  // namespace

std::optional<Cursor> query_cursor(const X11Connection& x) {
  const XReply<xcb_xfixes_get_cursor_image_and_name_reply_t> reply(
      xcb_xfixes_get_cursor_image_and_name_reply(x.get(), xcb_xfixes_get_cursor_image_and_name(x.get()), nullptr));
  if (!reply) return std::nullopt;
  Cursor cursor;
  cursor.position = {reply->x, reply->y};
  cursor.area_pt = {reply->x - reply->xhot, reply->y - reply->yhot, reply->width, reply->height};
  cursor.name.assign(xcb_xfixes_get_cursor_image_and_name_name(reply.get()),
                     static_cast<std::size_t>(xcb_xfixes_get_cursor_image_and_name_name_length(reply.get())));
  const std::uint32_t* pixels = xcb_xfixes_get_cursor_image_and_name_cursor_image(reply.get());
  cursor.pixels.assign(pixels, pixels + xcb_xfixes_get_cursor_image_and_name_cursor_image_length(reply.get()));
  return cursor;
}

RowBand draw_cursor(const Cursor& cursor, const Rect& area_pt, cv::Mat& pixels) {
  const Rect visible = intersect(cursor.area_pt, area_pt);
  for (int y = visible.y; y < visible.bottom(); ++y) {
    for (int x = visible.x; x < visible.right(); ++x) {
      const int from = (y - cursor.area_pt.y) * cursor.area_pt.width + (x - cursor.area_pt.x);
      std::uint32_t& pixel = pixels.at<std::uint32_t>(y - area_pt.y, x - area_pt.x);
      pixel = blend(cursor.pixels[static_cast<std::size_t>(from)], pixel);
    }
  }
  if (visible.is_empty()) return {};
  return {visible.y - area_pt.y, visible.bottom() - area_pt.y};
}

}  // namespace capture
