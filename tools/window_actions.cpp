// The acting half of windows.h: each request goes to the window manager, and what came of it is looked at.

#include <algorithm>

#include "tools/windows.h"

namespace tools {
namespace {

using namespace std::chrono_literals;

constexpr uint32_t kSourcePager = 2;  // a request of the user's own tool, which focus-stealing prevention lets pass
constexpr auto kRaiseLimit = 200ms;
constexpr auto kAnswerLimit = 500ms;
constexpr auto kQuiet = 150ms;  // no change of geometry for this long: the window manager has decided

bool same(const Rect& a, const Rect& b) {
  return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

std::string shown(const Rect& rect) {
  return std::to_string(rect.width) + "x" + std::to_string(rect.height) + " at (" + std::to_string(rect.x) + ", " +
         std::to_string(rect.y) + ")";
}

std::string hex(WindowId id) {
  char text[16];
  snprintf(text, sizeof text, "0x%x", id);
  return text;
}

}  // namespace

void Windows::send_to_root(WindowId id, std::string_view message, const std::vector<uint32_t>& data) const {
  xcb_client_message_event_t event = {};
  event.response_type = XCB_CLIENT_MESSAGE;
  event.format = 32;
  event.window = id;
  event.type = (*atoms_)[message];
  std::copy_n(data.begin(), std::min<size_t>(data.size(), 5), event.data.data32);
  xcb_send_event(connection_->get(), 0, connection_->root(),
                 XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY,
                 reinterpret_cast<const char*>(&event));
  xcb_flush(connection_->get());
}

WindowProblem Windows::problem_with_target(WindowId id, const char* action) const {
  if (!has_window_manager())
    return std::string("can't ") + action + " a window: no window manager runs on " + connection_->display() +
           "; start one (openbox, for example)";
  const std::vector<WindowId> ids = managed_ids();
  if (std::find(ids.begin(), ids.end(), id) == ids.end())
    return "there is no window " + hex(id) + " (it may have closed); list the windows again";
  return std::nullopt;
}

WindowProblem Windows::activate(WindowId id, std::chrono::milliseconds limit) const {
  if (WindowProblem problem = problem_with_target(id, "activate")) return problem;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const auto is_focused = [&] {
    const std::optional<Window> window = find(id);
    return window && window->is_active && !window->has_state("minimized");
  };
  do {
    const std::optional<Window> before = active();
    send_to_root(id, "_NET_ACTIVE_WINDOW", {kSourcePager, XCB_CURRENT_TIME, before ? before->id : 0});
    const auto is_decided = [&] { return is_focused() || !find(id); };
    wait_until(is_decided, std::min<std::chrono::milliseconds>(kAnswerLimit, limit));
    if (!is_focused()) continue;
    // The new stacking order is told a moment after the focus. A panel or an "always on top" window may stay above.
    const auto is_on_top = [&] {
      const std::vector<WindowId> ids = managed_ids();
      return !ids.empty() && ids.back() == id;
    };
    wait_until(is_on_top, kRaiseLimit);
    // A window that opens meanwhile may have taken the focus again.
    if (is_focused()) return std::nullopt;
  } while (find(id) && std::chrono::steady_clock::now() < deadline);
  const std::optional<Window> window = active();
  return "the window " + hex(id) + " did not become active; " +
         (window ? "\"" + window->title + "\" (" + hex(window->id) + ") has the focus" : "no window has the focus");
}

WindowProblem Windows::move_resize(WindowId id, Rect frame, std::chrono::milliseconds limit) const {
  if (WindowProblem problem = problem_with_target(id, "move")) return problem;
  if (frame.width < 1 || frame.height < 1) return "a window can't be " + shown(frame);
  std::optional<Window> window = find(id);
  if (window &&
      (window->has_state("maximized") || window->has_state("maximized_vert") || window->has_state("maximized_horz"))) {
    set_maximized(id, false, limit);
    window = find(id);
  }
  if (!window) return "the window " + hex(id) + " closed meanwhile";
  // The decorations may change at any time (they do after a restore), so what came out may need a second request.
  for (int attempt = 0; attempt < 3 && window && !same(window->frame, frame); ++attempt) {
    const int width_of_frame = window->frame.width - window->client.width;
    const int height_of_frame = window->frame.height - window->client.height;
    // The request takes the place of the frame but the size of the client area.
    const uint32_t north_west = 1, all_four = 0xf00;
    send_to_root(id, "_NET_MOVERESIZE_WINDOW",
                 {north_west | all_four | kSourcePager << 12, static_cast<uint32_t>(frame.x),
                  static_cast<uint32_t>(frame.y), static_cast<uint32_t>(std::max(1, frame.width - width_of_frame)),
                  static_cast<uint32_t>(std::max(1, frame.height - height_of_frame))});
    window = frame_at_rest(*window, frame, limit);
    if (window && window->frame.width - window->client.width == width_of_frame &&
        window->frame.height - window->client.height == height_of_frame)
      break;
  }
  if (!window) return "the window " + hex(id) + " closed meanwhile";
  if (same(window->frame, frame)) return std::nullopt;
  return "asked for " + shown(frame) + ", but the window is now " + shown(window->frame) +
         " (the program or the window manager limits its size or place)";
}

std::optional<Window> Windows::frame_at_rest(const Window& before, const Rect& wanted,
                                             std::chrono::milliseconds limit) const {
  std::optional<Window> window = before;
  Rect seen = before.frame;
  bool has_moved = false;
  auto last_change = std::chrono::steady_clock::now();
  wait_until(
      [&] {
        window = find(before.id);
        if (!window || same(window->frame, wanted)) return true;
        if (!same(window->frame, seen)) {
          seen = window->frame;
          has_moved = true;
          last_change = std::chrono::steady_clock::now();
        }
        return has_moved && std::chrono::steady_clock::now() - last_change > kQuiet;
      },
      limit);
  return window;
}

WindowProblem Windows::close(WindowId id, std::chrono::milliseconds limit) const {
  if (WindowProblem problem = problem_with_target(id, "close")) return problem;
  const std::vector<WindowId> before = managed_ids();
  send_to_root(id, "_NET_CLOSE_WINDOW", {XCB_CURRENT_TIME, kSourcePager});
  const auto is_listed = [](const std::vector<WindowId>& ids, WindowId wanted) {
    return std::find(ids.begin(), ids.end(), wanted) != ids.end();
  };
  std::vector<WindowId> opened;
  wait_until(
      [&] {
        const std::vector<WindowId> now = managed_ids();
        opened.clear();
        for (const WindowId window : now)
          if (!is_listed(before, window)) opened.push_back(window);
        // A new window while ours is still there is most likely the question whether to save.
        return !is_listed(now, id) || !opened.empty();
      },
      limit);
  if (!is_listed(managed_ids(), id)) return std::nullopt;
  std::string text = "the window " + hex(id) + " is still open";
  for (const Window& window : describe(opened))
    text += "; the window \"" + window.title + "\" (" + hex(window.id) + ") opened and may ask something";
  return text;
}

WindowProblem Windows::minimize(WindowId id, std::chrono::milliseconds limit) const {
  if (WindowProblem problem = problem_with_target(id, "minimize")) return problem;
  const uint32_t iconic = 3;
  send_to_root(id, "WM_CHANGE_STATE", {iconic});
  const auto is_hidden = [&] {
    const std::optional<Window> window = find(id);
    return !window || window->has_state("minimized");
  };
  if (wait_until(is_hidden, limit)) return std::nullopt;
  return "the window " + hex(id) + " did not minimize; its program or the window manager may forbid it";
}

WindowProblem Windows::set_maximized(WindowId id, bool maximized, std::chrono::milliseconds limit) const {
  if (WindowProblem problem = problem_with_target(id, maximized ? "maximize" : "restore")) return problem;
  X11Atoms& atoms = *atoms_;
  send_to_root(id, "_NET_WM_STATE",
               {maximized ? 1U : 0U, atoms["_NET_WM_STATE_MAXIMIZED_VERT"], atoms["_NET_WM_STATE_MAXIMIZED_HORZ"],
                kSourcePager});
  const auto is_done = [&] {
    const std::optional<Window> window = find(id);
    return !window || window->has_state("maximized") == maximized;
  };
  if (wait_until(is_done, limit)) return std::nullopt;
  return "the window " + hex(id) + " did not " + (maximized ? "maximize" : "go back to its size") +
         "; it may have a fixed size";
}

}  // namespace tools
