#pragma once
// Makes anchors: looks at what is under a point, or has the focus, just before something is done to it.

#include <stop_token>
#include <vector>

#include "tools/anchor.h"
#include "tools/desktop.h"

namespace tools {

WindowIdentity identity_of(const Window& window);
// Of a node of the snapshot.
WidgetIdentity identity_of(const UiSnapshot& snapshot, std::size_t node_idx);
// The innermost node that shows at this point; none: there is none with a known place.
std::optional<std::size_t> node_at(const UiSnapshot& snapshot, capture::DesktopPoint point);
// The node that has the keyboard; none: the program doesn't tell.
std::optional<std::size_t> focused_node(const UiSnapshot& snapshot);

// The widgets of the window's program, menus that stand open included; empty where it shows none.
UiSnapshot read_widgets(Desktop& desktop, const Window& window, const std::stop_token& stop);

// The part of a picture of the whole desktop that an anchor keeps; null where there is no picture.
std::shared_ptr<const capture::Frame> picture_around(const std::shared_ptr<const capture::Frame>& desktop,
                                                     capture::DesktopPoint point);
Anchor anchor_of(const Window& window);  // of the window as such
Anchor anchor_at(Desktop& desktop, capture::DesktopPoint point, const std::stop_token& stop);
std::vector<Anchor> anchors_at(Desktop& desktop, const std::vector<capture::DesktopPoint>& points,
                               const std::stop_token& stop);
// Of what the keyboard works on; none: no window has the focus.
std::vector<Anchor> focus_anchor(Desktop& desktop, const std::stop_token& stop);

}  // namespace tools
