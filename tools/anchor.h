#pragma once
// What an action took hold of, as it looked just before: enough to find the same thing again later, at another place,
// on another screen, in other colours. Plain values; anchor_reader.h makes them.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/frame.h"

namespace tools {

struct WindowIdentity {
  std::string class_name, title, type, process_name;  // see Window
  capture::Rect frame_pt;
};

struct WidgetIdentity {
  std::string role;
  std::string label;                        // its name; without one the text that it shows
  std::vector<std::string> ancestors = {};  // labels of those around it that have one, innermost first
  int ordinal = 0, n_alike = 1;             // which, of how many with the same role and label, in reading order
  capture::Rect box_pt = {};                // empty: its program doesn't tell
};

struct Anchor {
  capture::DesktopPoint point;                    // where it acted; of the keyboard: the middle of what had the focus
  std::optional<WindowIdentity> window;           // none: the bare desktop
  std::optional<WidgetIdentity> widget;           // none: the program shows no widgets, or none is there
  std::shared_ptr<const capture::Frame> picture;  // around the point, at native resolution; null: none was taken
};

}  // namespace tools
