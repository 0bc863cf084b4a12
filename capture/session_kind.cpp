#include "capture/session_kind.h"

#include <xcb/randr.h>

#include <string_view>

#include "capture/error.h"

namespace capture {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

constexpr const char* kAdvice =
    "For everything else give Deskhand a private desktop, which works in any session, or log in to an X11 session.";

}  // namespace

SessionEnvironment SessionEnvironment::of_this_process() {
  return {variable("DISPLAY"), variable("WAYLAND_DISPLAY")};
}

bool is_xwayland(const X11Connection& x) {
  // Newer servers say so by an extension, all by the names of their outputs.
  const auto extension_cookie = xcb_query_extension(x.get(), 8, "XWAYLAND");
  const auto outputs_cookie = xcb_randr_get_screen_resources_current(x.get(), x.root());
  const XReply<xcb_query_extension_reply_t> extension(xcb_query_extension_reply(x.get(), extension_cookie, nullptr));
  const XReply<xcb_randr_get_screen_resources_current_reply_t> resources(
      xcb_randr_get_screen_resources_current_reply(x.get(), outputs_cookie, nullptr));
  if (extension && extension->present) return true;
  if (!resources) return false;
  const xcb_randr_output_t* outputs = xcb_randr_get_screen_resources_current_outputs(resources.get());
  for (int i = 0; i < xcb_randr_get_screen_resources_current_outputs_length(resources.get()); ++i) {
    const XReply<xcb_randr_get_output_info_reply_t> info(xcb_randr_get_output_info_reply(
        x.get(), xcb_randr_get_output_info(x.get(), outputs[i], XCB_CURRENT_TIME), nullptr));
    if (!info) continue;
    const std::string_view name(reinterpret_cast<const char*>(xcb_randr_get_output_info_name(info.get())),
                                static_cast<std::size_t>(xcb_randr_get_output_info_name_length(info.get())));
    if (name.substr(0, 8) == "XWAYLAND") return true;
  }
  return false;
}

std::string why_root_is_unreadable(const X11Connection& x) {
  xcb_generic_error_t* raw_error = nullptr;
  const auto cookie = xcb_get_image(x.get(), XCB_IMAGE_FORMAT_Z_PIXMAP, x.root(), 0, 0, 1, 1, ~0u);
  const XReply<xcb_get_image_reply_t> reply(xcb_get_image_reply(x.get(), cookie, &raw_error));
  const XError error(raw_error);
  return reply ? "" : describe(error.get());
}

Session explain_unreadable_root(const X11Connection& x, const std::string& reason) {
  if (!is_xwayland(x)) return {SessionKind::None, "The desktop of " + x.display() + " can't be read: " + reason};
  // An XWayland that shows a desktop of its own in a window has a root like any other.
  return {SessionKind::XWaylandRootless,
          "This is a Wayland session with XWayland at " + x.display() +
              ": single windows of X programs can be seen, but neither the desktop nor Wayland programs, because "
              "Deskhand doesn't speak the screen-cast portal. " +
              kAdvice};
}

Session detect_session(const SessionEnvironment& environment) {
  if (environment.display.empty() && !environment.wayland_display.empty()) {
    return {
        SessionKind::WaylandOnly,
        "This is a Wayland session without XWayland: its screen and windows can't be seen, because Deskhand doesn't "
        "speak the screen-cast portal. " +
            std::string(kAdvice)};
  }
  if (environment.display.empty()) {
    return {SessionKind::None,
            "There is no desktop session: neither DISPLAY nor WAYLAND_DISPLAY is set. " + std::string(kAdvice)};
  }
  try {
    const auto x = X11Connection::open(environment.display);
    const std::string reason = why_root_is_unreadable(*x);
    if (!reason.empty()) return explain_unreadable_root(*x, reason);
    return {SessionKind::X11, "This is an X11 session at " + environment.display + ": everything on it can be seen."};
  } catch (const Error& error) {
    return {SessionKind::None, error.what()};
  }
}

}  // namespace capture
