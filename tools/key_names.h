#pragma once
// Keys by name, in the spellings of people, X11, xdotool, OpenAI, pyautogui and nut.js: "ctrl", "Control_L", "CTRL",
// "ctrlleft" and "LeftControl" are one key, "Return" and "enter" another. A name that nobody knows is an error.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tools {

// The X keysym; for a single character (any Unicode) the keysym of that character.
std::optional<std::uint32_t> keysym_from_name(std::string_view name);

// One spelling for each key: "ctrl", "shift", "alt", "super", the character itself, else X11's name ("Page_Down").
std::optional<std::string> canonical_key_name(std::string_view name);

// Its one spelling.
std::string name_of_keysym(std::uint32_t keysym);

// "ctrl", "shift", "alt", "super" and the like.
bool is_modifier(std::uint32_t keysym);

struct KeyNameError {
  std::string message;
};

// Names joined by "+": "ctrl+shift+t", "ctrl++" (the second is the plus key), "Return". In canonical spelling, in
// order. A capital letter beside another key means that letter's key: "Ctrl+S" is "ctrl+s".
std::variant<std::vector<std::string>, KeyNameError> parse_chord(std::string_view text);
std::variant<std::vector<std::string>, KeyNameError> canonical_keys(const std::vector<std::string>& names);

}  // namespace tools
