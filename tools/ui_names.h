#pragma once
// The words for what AT-SPI sends as numbers (AtspiRole and AtspiStateType of its protocol).

#include <cstdint>
#include <string>
#include <vector>

namespace tools {

// Bits of a state set.
enum class UiState : unsigned {
  Active = 1,
  Checked = 4,
  Collapsed = 5,
  Editable = 7,
  Enabled = 8,
  Expandable = 9,
  Expanded = 10,
  Focusable = 11,
  Focused = 12,
  Modal = 16,
  MultiLine = 17,
  Pressed = 20,
  Selected = 23,
  Sensitive = 24,
  Showing = 25,
  SingleLine = 26,
  Visible = 30,
  ManagesDescendants = 31,
  Indeterminate = 32,
  Required = 33,
  InvalidEntry = 36,
  ReadOnly = 43,
};

inline bool has(std::uint64_t states, UiState state) {
  return (states >> static_cast<unsigned>(state) & 1) != 0;
}

// "push button", …; "role 200" for a number newer than this list.
std::string role_name(unsigned role);

// The states that change what one would do: "focused", "checked", "disabled", … Showing and the like are left out.
std::vector<std::string> telling_states(std::uint64_t states);

}  // namespace tools
