#pragma once
// Finds again what an action once took hold of: by the identity of its window, by its widget, by its picture. Says no
// rather than guess: acting on the wrong thing is worse than stopping.

#include <chrono>
#include <stop_token>
#include <string>
#include <variant>

#include "tools/anchor.h"
#include "tools/desktop.h"

namespace tools {

struct FoundAnchor {
  capture::DesktopPoint point;   // where to act now
  std::optional<Window> window;  // in which window
  std::string how;               // what it was known by, for the report: "widget push button \"7\", picture 0.98"
};

struct MissingAnchor {
  std::string reason;  // what was looked for and what was found instead
};

using AnchorSearch = std::variant<FoundAnchor, MissingAnchor>;

// The window that is meant: of the same program and kind, by its title where there are several.
std::variant<Window, MissingAnchor> find_window(const Windows& windows, const WindowIdentity& identity);

// Both wait until it is there, and raise its window when another covers it.
AnchorSearch wait_for_anchor(Desktop& desktop, const Anchor& anchor, std::chrono::milliseconds limit,
                             const std::stop_token& stop);
// The same for the keyboard: the window is given the focus when it lacks it, the widget has to have it.
AnchorSearch wait_for_focus(Desktop& desktop, const Anchor& anchor, std::chrono::milliseconds limit,
                            const std::stop_token& stop);

}  // namespace tools
