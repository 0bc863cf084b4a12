#include "tools/anchor_reader.h"

#include <algorithm>

namespace tools {
namespace {

// Enough around a point to tell equal buttons apart by their neighbours. Pictures begin at whole multiples of kGrid_px:
// the record keeps equal tiles of that size once.
constexpr int kReach_px = 144, kReachDown_px = 80, kGrid_px = 64;
constexpr std::size_t kLongestLabel_bytes = 80;
// An action waits for this at most; what isn't read by then the picture has to tell.
constexpr UiReadOptions kReading{.max_nodes = 500, .limit = std::chrono::milliseconds(600)};

capture::Rect rect_of(const Rect& rect) {
  return {rect.x, rect.y, rect.width, rect.height};
}

// What one would call the widget. What an entry holds is no name of it.
std::string label_of(const UiNode& node) {
  if (!node.name.empty()) return node.name;
  if (node.is_editable || node.text.size() > kLongestLabel_bytes) return "";
  return node.text;
}

int on_grid(int px) {
  return px >= 0 ? px / kGrid_px * kGrid_px : 0;
}

}  // namespace

WindowIdentity identity_of(const Window& window) {
  return {window.class_name, window.title, window.type, window.process_name, rect_of(window.frame)};
}

WidgetIdentity identity_of(const UiSnapshot& snapshot, std::size_t node_idx) {
  const UiNode& node = snapshot.nodes[node_idx];
  WidgetIdentity identity{node.role, label_of(node)};
  for (int at = node.parent; at >= 0; at = snapshot.nodes[static_cast<std::size_t>(at)].parent) {
    const UiNode& ancestor = snapshot.nodes[static_cast<std::size_t>(at)];
    if (ancestor.parent >= 0 && !ancestor.name.empty()) identity.ancestors.push_back(ancestor.name);
  }
  identity.n_alike = 0;
  for (std::size_t i = 0; i < snapshot.nodes.size(); ++i) {
    if (snapshot.nodes[i].role != identity.role || label_of(snapshot.nodes[i]) != identity.label) continue;
    if (i == node_idx) identity.ordinal = identity.n_alike;
    ++identity.n_alike;
  }
  if (node.box) identity.box_pt = rect_of(*node.box);
  return identity;
}

std::optional<std::size_t> node_at(const UiSnapshot& snapshot, capture::DesktopPoint point) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < snapshot.nodes.size(); ++i) {
    const std::optional<Rect>& box = snapshot.nodes[i].box;
    if (!box || !rect_of(*box).contains(point.x_pt, point.y_pt)) continue;
    // Of equal ones the later: a child that fills its parent, or what was opened over it.
    if (!found || rect_of(*box).area() <= rect_of(*snapshot.nodes[*found].box).area()) found = i;
  }
  if (found && snapshot.nodes[*found].parent < 0) return std::nullopt;  // the window itself says nothing more
  return found;
}

std::optional<std::size_t> focused_node(const UiSnapshot& snapshot) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < snapshot.nodes.size(); ++i) {
    if (snapshot.nodes[i].has_state("focused") && snapshot.nodes[i].parent >= 0) found = i;
  }
  return found;
}

UiSnapshot read_widgets(Desktop& desktop, const Window& window, const std::stop_token& stop) {
  if (desktop.widgets() == nullptr) return {};
  if (std::optional<UiSnapshot> just_read = desktop.take_widgets(window.id)) return *std::move(just_read);
  if (window.is_managed) return desktop.widgets()->read(window, kReading, stop);
  // An open menu is a window of its own on the screen, but a part of its program's tree.
  for (const Window& owner : desktop.windows().list()) {
    if (owner.pid == window.pid && owner.pid != 0) return desktop.widgets()->read(owner, kReading, stop);
  }
  return {};
}

std::shared_ptr<const capture::Frame> picture_around(const std::shared_ptr<const capture::Frame>& desktop,
                                                     capture::DesktopPoint point) {
  if (desktop == nullptr) return nullptr;
  const capture::Rect& screen = desktop->screen_map.area_pt();
  const int x_px = point.x_pt - screen.x, y_px = point.y_pt - screen.y;
  const int left = on_grid(x_px - kReach_px), top = on_grid(y_px - kReachDown_px);
  const capture::Rect area = capture::intersect(
      {left, top, on_grid(x_px + kReach_px) + kGrid_px - left, on_grid(y_px + kReachDown_px) + kGrid_px - top},
      {0, 0, screen.width, screen.height});
  return area.is_empty() ? nullptr : crop(desktop, area);
}

Anchor anchor_of(const Window& window) {
  return {.point = {window.frame.x + window.frame.width / 2, window.frame.y + window.frame.height / 2},
          .window = identity_of(window),
          .widget = {},
          .picture = nullptr};
}

Anchor anchor_at(Desktop& desktop, capture::DesktopPoint point, const std::stop_token& stop) {
  Anchor anchor{.point = point, .window = {}, .widget = {}, .picture = nullptr};
  const std::optional<Window> window = desktop.windows().at(point.x_pt, point.y_pt);
  anchor.picture = picture_around(desktop.grab().frame, point);
  if (!window) return anchor;
  anchor.window = identity_of(*window);
  const UiSnapshot snapshot = read_widgets(desktop, *window, stop);
  const std::optional<std::size_t> node = node_at(snapshot, point);
  if (!node) return anchor;
  WidgetIdentity widget = identity_of(snapshot, *node);
  // What lies below an open menu in the window that it belongs to isn't what was meant.
  const bool is_covered = !window->is_managed && !anchor.window->frame_pt.contains(widget.box_pt);
  if (!is_covered) anchor.widget = std::move(widget);
  return anchor;
}

std::vector<Anchor> anchors_at(Desktop& desktop, const std::vector<capture::DesktopPoint>& points,
                               const std::stop_token& stop) {
  std::vector<Anchor> anchors;
  for (const capture::DesktopPoint& point : points) anchors.push_back(anchor_at(desktop, point, stop));
  return anchors;
}

std::vector<Anchor> focus_anchor(Desktop& desktop, const std::stop_token& stop) {
  const std::optional<Window> window = desktop.windows().active();
  if (!window) return {};
  Anchor anchor = anchor_of(*window);
  const UiSnapshot snapshot = read_widgets(desktop, *window, stop);
  if (const std::optional<std::size_t> node = focused_node(snapshot)) {
    anchor.widget = identity_of(snapshot, *node);
    const capture::Rect& box = anchor.widget->box_pt;
    if (!box.is_empty()) anchor.point = {box.x + box.width / 2, box.y + box.height / 2};
  }
  anchor.picture = picture_around(desktop.grab().frame, anchor.point);
  return {std::move(anchor)};
}

}  // namespace tools
