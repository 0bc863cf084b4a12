#include "tools/key_names.h"

#include <xkbcommon/xkbcommon-keysyms.h>
#include <xkbcommon/xkbcommon.h>

#include <algorithm>
#include <map>

#include "tools/utf8.h"

namespace tools {
namespace {

// Each key's spellings in lower case without "_", "-" and spaces.
constexpr std::pair<std::uint32_t, std::string_view> kSpellings[] = {
    {XKB_KEY_Control_L, "ctrl control ctrlleft controlleft leftctrl leftcontrol lctrl ctrll"},
    {XKB_KEY_Control_R, "ctrlright controlright rightctrl rightcontrol rctrl ctrlr"},
    {XKB_KEY_Shift_L, "shift shiftleft leftshift lshift"},
    {XKB_KEY_Shift_R, "shiftright rightshift rshift"},
    {XKB_KEY_Alt_L, "alt option altleft leftalt lalt optionleft"},
    {XKB_KEY_Alt_R, "altright rightalt ralt optionright"},
    {XKB_KEY_ISO_Level3_Shift, "altgr"},
    {XKB_KEY_Super_L, "super meta win windows cmd command winleft leftwin leftsuper leftcmd"},
    {XKB_KEY_Super_R, "winright rightwin rightsuper rightcmd"},
    {XKB_KEY_Return, "enter return"},
    {XKB_KEY_KP_Enter, "kpenter numenter"},
    {XKB_KEY_Escape, "esc escape"},
    {XKB_KEY_Tab, "tab"},
    {XKB_KEY_space, "space spacebar"},
    {XKB_KEY_BackSpace, "backspace bksp back"},
    {XKB_KEY_Delete, "delete del"},
    {XKB_KEY_Insert, "insert ins"},
    {XKB_KEY_Home, "home"},
    {XKB_KEY_End, "end"},
    {XKB_KEY_Page_Up, "pageup pgup prior"},
    {XKB_KEY_Page_Down, "pagedown pgdn pgdown next"},
    {XKB_KEY_Up, "up arrowup uparrow"},
    {XKB_KEY_Down, "down arrowdown downarrow"},
    {XKB_KEY_Left, "left arrowleft leftarrow"},
    {XKB_KEY_Right, "right arrowright rightarrow"},
    {XKB_KEY_Caps_Lock, "capslock"},
    {XKB_KEY_Num_Lock, "numlock"},
    {XKB_KEY_Scroll_Lock, "scrolllock"},
    {XKB_KEY_Print, "print printscreen prtsc prtscr prntscrn"},
    {XKB_KEY_Pause, "pause"},
    {XKB_KEY_Break, "break"},
    {XKB_KEY_Menu, "menu apps contextmenu"},
    {XKB_KEY_plus, "plus"},
    {XKB_KEY_minus, "minus"},
    {XKB_KEY_comma, "comma"},
    {XKB_KEY_period, "period dot"},
    {XKB_KEY_slash, "slash"},
    {XKB_KEY_backslash, "backslash"},
    {XKB_KEY_semicolon, "semicolon"},
    {XKB_KEY_apostrophe, "quote"},
    {XKB_KEY_grave, "backquote"},
    {XKB_KEY_equal, "equals"},
    {XKB_KEY_XF86AudioRaiseVolume, "volumeup"},
    {XKB_KEY_XF86AudioLowerVolume, "volumedown"},
    {XKB_KEY_XF86AudioMute, "volumemute"},
    {XKB_KEY_XF86Back, "browserback"},
    {XKB_KEY_XF86Forward, "browserforward"},
};

std::map<std::string_view, std::uint32_t> keysym_of_each_spelling() {
  std::map<std::string_view, std::uint32_t> keysyms;
  for (auto [keysym, names] : kSpellings) {
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(' '), names.size());
      keysyms[names.substr(0, end)] = keysym;
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }
  return keysyms;
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
  static const std::map<std::string_view, std::uint32_t> keysyms = keysym_of_each_spelling();
  if (const auto known = keysyms.find(key); known != keysyms.end()) return known->second;
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
