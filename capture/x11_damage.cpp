#include "capture/x11_damage.h"

namespace capture {

void require_damage(const X11Connection& x) {
  x.require(&xcb_damage_id, "DAMAGE", "seeing what changed");
  x.require(&xcb_xfixes_id, "XFIXES", "seeing what changed and the pointer's shape");
  // The server refuses requests of clients that never asked for the version.
  const auto damage = xcb_damage_query_version(x.get(), 1, 1);
  const auto fixes = xcb_xfixes_query_version(x.get(), 5, 0);
  XReply<xcb_damage_query_version_reply_t>(xcb_damage_query_version_reply(x.get(), damage, nullptr));
  XReply<xcb_xfixes_query_version_reply_t>(xcb_xfixes_query_version_reply(x.get(), fixes, nullptr));
}

X11Damage::X11Damage(std::shared_ptr<X11Connection> x, xcb_window_t window)
    : x_(std::move(x)), damage_(xcb_generate_id(x_->get())), region_(xcb_generate_id(x_->get())) {
  xcb_damage_create(x_->get(), damage_, window, XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY);
  xcb_xfixes_create_region(x_->get(), region_, 0, nullptr);
}

X11Damage::~X11Damage() {
  xcb_damage_destroy(x_->get(), damage_);
  xcb_xfixes_destroy_region(x_->get(), region_);
  xcb_flush(x_->get());
}

void X11Damage::collect() {
  xcb_damage_subtract(x_->get(), damage_, XCB_NONE, region_);
}

xcb_xfixes_fetch_region_cookie_t X11Damage::ask() {
  return xcb_xfixes_fetch_region(x_->get(), region_);
}

std::vector<Rect> X11Damage::answer(xcb_xfixes_fetch_region_cookie_t cookie) {
  const XReply<xcb_xfixes_fetch_region_reply_t> reply(xcb_xfixes_fetch_region_reply(x_->get(), cookie, nullptr));
  std::vector<Rect> changed;
  if (!reply) return changed;
  const xcb_rectangle_t* rectangles = xcb_xfixes_fetch_region_rectangles(reply.get());
  for (int i = 0; i < xcb_xfixes_fetch_region_rectangles_length(reply.get()); ++i) {
    changed.push_back({rectangles[i].x, rectangles[i].y, rectangles[i].width, rectangles[i].height});
  }
  return changed;
}

}  // namespace capture
