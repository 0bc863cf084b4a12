#pragma once
// Canonical actions as calls of our tools: recordings of hands and of other agents become steps like our own.

#include <optional>

#include "tools/action.h"
#include "tools/tool.h"

namespace agent {

// The call that does the action in a picture of this size, points as its pixels. Nothing for what isn't an act of its
// own: finishing, asking the user. An action that doesn't fit the picture is an error.
using ActionCall = std::variant<std::optional<tools::ToolCall>, tools::ActionError>;
ActionCall call_of(const tools::Action& action, capture::Size image_px);

}  // namespace agent
