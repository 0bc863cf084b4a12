#include "capture/x11_surface.h"

#include <poll.h>
#include <xcb/composite.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "capture/error.h"
#include "capture/x11_damage.h"

namespace capture {
namespace {

std::string hexadecimal(std::uint32_t id) {
  std::ostringstream out;
  out << "0x" << std::hex << id;
  return out.str();
}

class ScreenLocator : public SurfaceLocator {
 public:
  ScreenLocator(std::shared_ptr<X11Connection> x, const std::string* monitor)
      : x_(std::move(x)), monitor_(monitor ? std::optional(*monitor) : std::nullopt), monitors_(x_) {}

  xcb_window_t window() const override { return x_->root(); }

  void ask() override {
    geometry_ = xcb_get_geometry(x_->get(), x_->root());
    monitors_.ask();
  }

  SurfaceOrReason answer() override {
    const XReply<xcb_get_geometry_reply_t> geometry(xcb_get_geometry_reply(x_->get(), geometry_, nullptr));
    std::vector<Monitor> monitors = monitors_.answer();
    if (!geometry) return "The X server at " + x_->display() + " is gone";
    Surface surface{x_->root(), 0, 0, {0, 0, geometry->width, geometry->height}, 0, std::move(monitors)};
    if (!monitor_) return surface;
    const Monitor* found = find(surface.monitors);
    if (found == nullptr) return why_missing(surface.monitors);
    surface.area_pt = intersect(found->area_pt, surface.area_pt);
    if (surface.area_pt.is_empty()) return "Monitor " + found->name + " shows no part of the desktop";
    surface.x = surface.area_pt.x;
    surface.y = surface.damage_y = surface.area_pt.y;
    return surface;
  }

 private:
  const Monitor* find(const std::vector<Monitor>& monitors) const {
    const auto is_it = [&](const Monitor& m) { return monitor_->empty() ? m.is_primary : m.name == *monitor_; };
    const auto found = std::find_if(monitors.begin(), monitors.end(), is_it);
    if (found != monitors.end()) return &*found;
    return monitor_->empty() && !monitors.empty() ? &monitors.front() : nullptr;
  }

  std::string why_missing(const std::vector<Monitor>& monitors) const {
    std::string names;
    for (const Monitor& m : monitors) names += (names.empty() ? "" : ", ") + m.name;
    return "There is no monitor " + *monitor_ + "; " + (names.empty() ? "there is none at all" : "there are: " + names);
  }

  std::shared_ptr<X11Connection> x_;
  std::optional<std::string> monitor_;
  xcb_get_geometry_cookie_t geometry_{};
  MonitorReader monitors_;
};

// The pixels of a window lie in the pixmap of its outermost ancestor below the root (the window manager's frame).
class WindowLocator : public SurfaceLocator {
 public:
  WindowLocator(std::shared_ptr<X11Connection> x, xcb_window_t window)
      : x_(std::move(x)), window_(window), monitors_(x_) {}

  ~WindowLocator() override {
    free_pixmap();
    release_frame();
    xcb_flush(x_->get());
  }

  xcb_window_t window() const override { return window_; }

  void ask() override {
    tree_ = xcb_query_tree(x_->get(), window_);
    attributes_ = xcb_get_window_attributes(x_->get(), window_);
    geometry_ = xcb_get_geometry(x_->get(), window_);
    on_root_ = xcb_translate_coordinates(x_->get(), window_, x_->root(), 0, 0);
    monitors_.ask();
  }

  SurfaceOrReason answer() override {
    const XReply<xcb_query_tree_reply_t> tree(xcb_query_tree_reply(x_->get(), tree_, nullptr));
    const XReply<xcb_get_window_attributes_reply_t> attributes(
        xcb_get_window_attributes_reply(x_->get(), attributes_, nullptr));
    const XReply<xcb_get_geometry_reply_t> geometry(xcb_get_geometry_reply(x_->get(), geometry_, nullptr));
    const XReply<xcb_translate_coordinates_reply_t> on_root(
        xcb_translate_coordinates_reply(x_->get(), on_root_, nullptr));
    std::vector<Monitor> monitors = monitors_.answer();
    if (!x_->is_alive()) return "The X server at " + x_->display() + " is gone";
    const std::string name = "Window " + hexadecimal(window_);
    if (!tree || !attributes || !geometry || !on_root) return name + " is gone";
    if (attributes->_class == XCB_WINDOW_CLASS_INPUT_ONLY) return name + " only takes input and has no picture";
    if (attributes->map_state != XCB_MAP_STATE_VIEWABLE) {
      return name + " is not shown: it is minimised, hidden or on another workspace";
    }
    if (tree->parent != parent_ && !find_frame(tree->parent)) return name + " is gone";
    Surface surface{
        0, 0, 0, {on_root->dst_x, on_root->dst_y, geometry->width, geometry->height}, 0, std::move(monitors)};
    const std::string reason = name_pixmap(surface);
    if (!reason.empty()) return name + " can't be captured: " + reason;
    return surface;
  }

 private:
  // Walks up from the window's parent to the child of the root.
  bool find_frame(xcb_window_t parent) {
    release_frame();
    parent_ = parent;
    frame_ = window_;
    for (xcb_window_t up = parent; up != x_->root() && up != XCB_NONE;) {
      frame_ = up;
      const XReply<xcb_query_tree_reply_t> tree(
          xcb_query_tree_reply(x_->get(), xcb_query_tree(x_->get(), up), nullptr));
      if (!tree) return false;
      up = tree->parent;
    }
    return true;
  }

  // A new name for each grab: the server makes a new pixmap whenever the frame is mapped or resized.
  std::string name_pixmap(Surface& surface) {
    XError error = try_name_pixmap();
    if (error && error->error_code == XCB_MATCH && !is_redirected_) {  // no compositing manager did it already
      redirect_frame();
      error = try_name_pixmap();
    }
    if (error) return describe(error.get());
    const auto in_frame_cookie = xcb_translate_coordinates(x_->get(), window_, frame_, 0, 0);
    const auto frame_cookie = xcb_get_geometry(x_->get(), frame_);
    const XReply<xcb_translate_coordinates_reply_t> in_frame(
        xcb_translate_coordinates_reply(x_->get(), in_frame_cookie, nullptr));
    const XReply<xcb_get_geometry_reply_t> frame(xcb_get_geometry_reply(x_->get(), frame_cookie, nullptr));
    if (!in_frame || !frame) return "it vanished meanwhile";
    if (frame->depth != 24 && frame->depth != 32) {
      return "its pixels have " + std::to_string(frame->depth) + " bits, and only 24 and 32 are supported";
    }
    surface.drawable = pixmap_;
    surface.x = in_frame->dst_x + frame->border_width;
    surface.y = in_frame->dst_y + frame->border_width;
    return {};
  }

  XError try_name_pixmap() {
    free_pixmap();
    const xcb_pixmap_t id = xcb_generate_id(x_->get());
    XError error(xcb_request_check(x_->get(), xcb_composite_name_window_pixmap_checked(x_->get(), frame_, id)));
    if (!error) pixmap_ = id;
    return error;
  }

  // The server unmaps and maps the frame for this, so the programme paints it anew; wait for that, else the picture
  // would show an empty background.
  void redirect_frame() {
    X11Damage damage(x_, window_);
    xcb_composite_redirect_window(x_->get(), frame_, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
    is_redirected_ = true;
    xcb_flush(x_->get());
    wait_until_painted(damage);
  }

  void wait_until_painted(X11Damage& damage) {
    constexpr int kStepMs = 10, kQuietMs = 40, kCapMs = 400;
    int quiet_ms = 0;
    bool was_painted = false;
    for (int waited_ms = 0; waited_ms < kCapMs && quiet_ms < kQuietMs; waited_ms += kStepMs) {
      poll(nullptr, 0, kStepMs);
      const bool is_painting = !damage.take().empty();
      was_painted |= is_painting;
      quiet_ms = is_painting || !was_painted ? 0 : quiet_ms + kStepMs;
    }
  }

  void free_pixmap() {
    if (pixmap_ != XCB_NONE) xcb_free_pixmap(x_->get(), pixmap_);
    pixmap_ = XCB_NONE;
  }

  void release_frame() {
    if (is_redirected_) xcb_composite_unredirect_window(x_->get(), frame_, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
    is_redirected_ = false;
  }

  std::shared_ptr<X11Connection> x_;
  xcb_window_t window_, parent_ = XCB_NONE, frame_ = XCB_NONE;
  xcb_pixmap_t pixmap_ = XCB_NONE;
  bool is_redirected_ = false;  // by us
  xcb_query_tree_cookie_t tree_{};
  xcb_get_window_attributes_cookie_t attributes_{};
  xcb_get_geometry_cookie_t geometry_{};
  xcb_translate_coordinates_cookie_t on_root_{};
  MonitorReader monitors_;
};

}  // namespace

void MonitorReader::ask() {
  cookie_ = xcb_randr_get_monitors(x_->get(), x_->root(), 1);
}

std::vector<Monitor> MonitorReader::answer() {
  const XReply<xcb_randr_get_monitors_reply_t> reply(xcb_randr_get_monitors_reply(x_->get(), cookie_, nullptr));
  std::vector<Monitor> monitors;
  if (!reply) return monitors;
  for (auto at = xcb_randr_get_monitors_monitors_iterator(reply.get()); at.rem > 0; xcb_randr_monitor_info_next(&at)) {
    const xcb_randr_monitor_info_t& info = *at.data;
    monitors.push_back({name_of(info.name), {info.x, info.y, info.width, info.height}, info.primary != 0});
  }
  return monitors;
}

const std::string& MonitorReader::name_of(xcb_atom_t atom) {
  std::string& name = names_[atom];
  if (!name.empty()) return name;
  const XReply<xcb_get_atom_name_reply_t> reply(
      xcb_get_atom_name_reply(x_->get(), xcb_get_atom_name(x_->get(), atom), nullptr));
  if (reply) {
    name.assign(xcb_get_atom_name_name(reply.get()),
                static_cast<std::size_t>(xcb_get_atom_name_name_length(reply.get())));
  }
  return name;
}

std::unique_ptr<SurfaceLocator> locate_screen(std::shared_ptr<X11Connection> x, const std::string* monitor) {
  return std::make_unique<ScreenLocator>(std::move(x), monitor);
}

std::unique_ptr<SurfaceLocator> locate_window(std::shared_ptr<X11Connection> x, xcb_window_t window) {
  x->require(&xcb_composite_id, "Composite", "capturing one window");
  const auto cookie = xcb_composite_query_version(x->get(), 0, 4);
  XReply<xcb_composite_query_version_reply_t>(xcb_composite_query_version_reply(x->get(), cookie, nullptr));
  return std::make_unique<WindowLocator>(std::move(x), window);
}

}  // namespace capture
