#pragma once
// The common course of every action on a desktop: is it allowed there, do it, see what it did.

#include <optional>
#include <string>
#include <vector>

#include "tools/desktop.h"
#include "tools/evidence.h"

namespace tools {

// A refusal: nothing was done, and the model is told why.
ToolResult refused(const std::string& why);
// An expected failure before anything was done.
ToolResult not_done(const std::string& why);

// Why these points must not be clicked: a consent dialog, a keyring, a window of ours is under one of them.
std::optional<std::string> protected_point(const Desktop& desktop, const std::vector<capture::DesktopPoint>& points);
std::optional<std::string> protected_focus(const Desktop& desktop);

// What is under the point, or has the focus: the window, and for a point the screen around it.
std::optional<CallTarget> target_at(Desktop& desktop, capture::DesktopPoint point);
std::optional<CallTarget> focused_target(const Desktop& desktop);
// Why the second is no longer what the first was; none: it still is. A small change of the screen, such as a caret that
// blinks, is none.
std::optional<std::string> target_change(const CallTarget& before, const CallTarget& now);

// Performs the steps and gathers the evidence; `what` is told in the result ("clicked at 10, 20").
ToolResult act(Desktop& desktop, const std::vector<InputStep>& steps, const Aim& aim, const std::string& what,
               std::stop_token stop);

}  // namespace tools
