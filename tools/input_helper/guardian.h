#pragma once
// A tiny second process that outlives the helper by a moment: when the helper ends, however it ends, the guardian
// releases every key and button it left pressed and gives the lent keycodes back.
// It also keeps the display for one Deskhand at a time, and repairs what a killed guardian left behind.

#include <string>

#include "tools/input_helper/held_state.h"

namespace tools::input_helper {

struct GuardianLink {
  int alive_fd = -1;  // closes when the guardian ends; the helper's end must stay open for the guardian to rest
  std::string error;  // why the guardian could not start; empty when it watches
};

// Forks. Call it before the helper opens its own connection to the display.
GuardianLink start_guardian(HeldState& held);

}  // namespace tools::input_helper
