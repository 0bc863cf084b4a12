#include "tools/key_names.h"

#include <xkbcommon/xkbcommon-keysyms.h>
#include <xkbcommon/xkbcommon.h>

#include <algorithm>
#include <map>

#include "tools/utf8.h"

namespace tools {
namespace {

// Spellings in lower case without "_", "-" and spaces.
const std::map<std::string_view, std::uint32_t>& spellings() {
  static const std::map<std::string_view, std::uint32_t> table{
      {"ctrl", XKB_KEY_Control_L},
      {"control", XKB_KEY_Control_L},
      {"ctrlleft", XKB_KEY_Control_L},
      {"controlleft", XKB_KEY_Control_L},
      {"leftctrl", XKB_KEY_Control_L},
      {"leftcontrol", XKB_KEY_Control_L},
      {"lctrl", XKB_KEY_Control_L},
      {"ctrll", XKB_KEY_Control_L},
      {"ctrlright", XKB_KEY_Control_R},
      {"controlright", XKB_KEY_Control_R},
      {"rightctrl", XKB_KEY_Control_R},
      {"rightcontrol", XKB_KEY_Control_R},
      {"rctrl", XKB_KEY_Control_R},
      {"ctrlr", XKB_KEY_Control_R},
      {"shift", XKB_KEY_Shift_L},
      {"shiftleft", XKB_KEY_Shift_L},
      {"leftshift", XKB_KEY_Shift_L},
      {"lshift", XKB_KEY_Shift_L},
      {"shiftright", XKB_KEY_Shift_R},
      {"rightshift", XKB_KEY_Shift_R},
      {"rshift", XKB_KEY_Shift_R},
      {"alt", XKB_KEY_Alt_L},
      {"option", XKB_KEY_Alt_L},
      {"altleft", XKB_KEY_Alt_L},
      {"leftalt", XKB_KEY_Alt_L},
      {"lalt", XKB_KEY_Alt_L},
      {"optionleft", XKB_KEY_Alt_L},
      {"altright", XKB_KEY_Alt_R},
      {"rightalt", XKB_KEY_Alt_R},
      {"ralt", XKB_KEY_Alt_R},
      {"optionright", XKB_KEY_Alt_R},
      {"altgr", XKB_KEY_ISO_Level3_Shift},
      {"super", XKB_KEY_Super_L},
      {"meta", XKB_KEY_Super_L},
      {"win", XKB_KEY_Super_L},
      {"windows", XKB_KEY_Super_L},
      {"cmd", XKB_KEY_Super_L},
      {"command", XKB_KEY_Super_L},
      {"winleft", XKB_KEY_Super_L},
      {"leftwin", XKB_KEY_Super_L},
      {"leftsuper", XKB_KEY_Super_L},
      {"leftcmd", XKB_KEY_Super_L},
      {"winright", XKB_KEY_Super_R},
      {"rightwin", XKB_KEY_Super_R},
      {"rightsuper", XKB_KEY_Super_R},
      {"rightcmd", XKB_KEY_Super_R},
      {"enter", XKB_KEY_Return},
      {"return", XKB_KEY_Return},
      {"kpenter", XKB_KEY_KP_Enter},
      {"numenter", XKB_KEY_KP_Enter},
      {"esc", XKB_KEY_Escape},
      {"escape", XKB_KEY_Escape},
      {"tab", XKB_KEY_Tab},
      {"space", XKB_KEY_space},
      {"spacebar", XKB_KEY_space},
      {"backspace", XKB_KEY_BackSpace},
      {"bksp", XKB_KEY_BackSpace},
      {"back", XKB_KEY_BackSpace},
      {"delete", XKB_KEY_Delete},
      {"del", XKB_KEY_Delete},
      {"insert", XKB_KEY_Insert},
      {"ins", XKB_KEY_Insert},
      {"home", XKB_KEY_Home},
      {"end", XKB_KEY_End},
      {"pageup", XKB_KEY_Page_Up},
      {"pgup", XKB_KEY_Page_Up},
      {"prior", XKB_KEY_Page_Up},
      {"pagedown", XKB_KEY_Page_Down},
      {"pgdn", XKB_KEY_Page_Down},
      {"pgdown", XKB_KEY_Page_Down},
      {"next", XKB_KEY_Page_Down},
      {"up", XKB_KEY_Up},
      {"down", XKB_KEY_Down},
      {"left", XKB_KEY_Left},
      {"right", XKB_KEY_Right},
      {"arrowup", XKB_KEY_Up},
      {"arrowdown", XKB_KEY_Down},
      {"arrowleft", XKB_KEY_Left},
      {"arrowright", XKB_KEY_Right},
      {"uparrow", XKB_KEY_Up},
      {"downarrow", XKB_KEY_Down},
      {"leftarrow", XKB_KEY_Left},
      {"rightarrow", XKB_KEY_Right},
      {"capslock", XKB_KEY_Caps_Lock},
      {"numlock", XKB_KEY_Num_Lock},
      {"scrolllock", XKB_KEY_Scroll_Lock},
      {"print", XKB_KEY_Print},
      {"printscreen", XKB_KEY_Print},
      {"prtsc", XKB_KEY_Print},
      {"prtscr", XKB_KEY_Print},
      {"prntscrn", XKB_KEY_Print},
      {"pause", XKB_KEY_Pause},
      {"break", XKB_KEY_Break},
      {"menu", XKB_KEY_Menu},
      {"apps", XKB_KEY_Menu},
      {"contextmenu", XKB_KEY_Menu},
      {"plus", XKB_KEY_plus},
      {"minus", XKB_KEY_minus},
      {"comma", XKB_KEY_comma},
      {"period", XKB_KEY_period},
      {"dot", XKB_KEY_period},
      {"slash", XKB_KEY_slash},
      {"backslash", XKB_KEY_backslash},
      {"semicolon", XKB_KEY_semicolon},
      {"quote", XKB_KEY_apostrophe},
      {"backquote", XKB_KEY_grave},
      {"equals", XKB_KEY_equal},
      {"volumeup", XKB_KEY_XF86AudioRaiseVolume},
      {"volumedown", XKB_KEY_XF86AudioLowerVolume},
      {"volumemute", XKB_KEY_XF86AudioMute},
      {"browserback", XKB_KEY_XF86Back},
      {"browserforward", XKB_KEY_XF86Forward},
  };
  return table;
}

std::string folded(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

// "kp_5", "numpad5", "num5": a digit of the keypad.
std::optional<std::uint32_t> keypad_digit(const std::string& name) {
  for (const std::string_view prefix : {"kp", "numpad", "num"})
    if (name.size() == prefix.size() + 1 && name.starts_with(prefix) && name.back() >= '0' && name.back() <= '9')
      return XKB_KEY_KP_0 + static_cast<std::uint32_t>(name.back() - '0');
  return std::nullopt;
}

std::string name_of(std::uint32_t keysym) {
  switch (keysym) {
    case XKB_KEY_Control_L:
      return "ctrl";
    case XKB_KEY_Shift_L:
      return "shift";
    case XKB_KEY_Alt_L:
      return "alt";
    case XKB_KEY_Super_L:
      return "super";
    case XKB_KEY_Page_Up:  // xkbcommon says Prior and Next
      return "Page_Up";
    case XKB_KEY_Page_Down:
      return "Page_Down";
    default:
      break;
  }
  const std::uint32_t character = xkb_keysym_to_utf32(keysym);
  const bool keypad = keysym >= XKB_KEY_KP_Space && keysym <= XKB_KEY_KP_9;
  if (character > 0x20 && character != 0x7f && !keypad) return encode_utf8(character);
  char name[64];
  xkb_keysym_get_name(keysym, name, sizeof name);
  return name;
}

bool is_capital(const std::string& name) {
  return name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z';
}

}  // namespace

std::optional<std::uint32_t> keysym_from_name(std::string_view name) {
  const std::optional<std::u32string> characters = decode_utf8(name);
  if (!characters || characters->empty()) return std::nullopt;
  if (characters->size() == 1) {
    const char32_t character = characters->front();
    if (character == U'\n' || character == U'\r') return XKB_KEY_Return;
    if (character == U'\t') return XKB_KEY_Tab;
    if (character < 0x20 || (character >= 0x7f && character < 0xa0)) return std::nullopt;
    return xkb_utf32_to_keysym(character);
  }
  const std::string key = folded(name);
  if (const auto known = spellings().find(key); known != spellings().end()) return known->second;
  if (const auto digit = keypad_digit(key)) return digit;
  const std::string spelled(name);
  if (spelled.find('\0') != std::string::npos) return std::nullopt;
  for (const xkb_keysym_flags flags : {XKB_KEYSYM_NO_FLAGS, XKB_KEYSYM_CASE_INSENSITIVE})
    if (const xkb_keysym_t keysym = xkb_keysym_from_name(spelled.c_str(), flags); keysym != XKB_KEY_NoSymbol)
      return keysym;
  return std::nullopt;
}

std::optional<std::string> canonical_key_name(std::string_view name) {
  const std::optional<std::uint32_t> keysym = keysym_from_name(name);
  if (!keysym) return std::nullopt;
  return name_of(*keysym);
}

std::string name_of_keysym(std::uint32_t keysym) {
  return name_of(keysym);
}

bool is_modifier(std::uint32_t keysym) {
  return (keysym >= XKB_KEY_Shift_L && keysym <= XKB_KEY_Hyper_R && keysym != XKB_KEY_Caps_Lock &&
          keysym != XKB_KEY_Shift_Lock) ||
         keysym == XKB_KEY_ISO_Level3_Shift;
}

std::variant<std::vector<std::string>, KeyNameError> canonical_keys(const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  for (const std::string& name : names) {
    std::optional<std::string> key = canonical_key_name(name);
    if (!key) return KeyNameError{"there is no key named \"" + name + "\""};
    if (names.size() > 1 && is_capital(*key)) (*key)[0] = static_cast<char>((*key)[0] - 'A' + 'a');
    keys.push_back(std::move(*key));
  }
  if (keys.empty()) return KeyNameError{"no key is named"};
  return keys;
}

std::variant<std::vector<std::string>, KeyNameError> parse_chord(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    // A plus that stands where a name should begin is the plus key itself.
    const std::size_t end = text[at] == '+' ? at + 1 : std::min(text.find('+', at), text.size());
    std::string_view name = text.substr(at, end - at);
    while (name.size() > 1 && name.front() == ' ') name.remove_prefix(1);
    while (name.size() > 1 && name.back() == ' ') name.remove_suffix(1);
    names.emplace_back(name);
    at = end + 1;
    if (end + 1 == text.size()) return KeyNameError{"the key names end with a lone +"};
  }
  return canonical_keys(names);
}

}  // namespace tools
