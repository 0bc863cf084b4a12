#pragma once
// Which key gives which character now, and the lending of unused keycodes to characters that no key gives.

#include <X11/XKBlib.h>
#include <X11/Xlib.h>

#include <optional>
#include <unordered_map>
#include <vector>

#include "tools/input_helper/held_state.h"

namespace tools::input_helper {

struct KeyPlace {
  KeyCode keycode = 0;
  bool shift = false;
};

// The keymap as the X server has it, in the group that is active. Owned by the helper's loop.
class Keymap {
 public:
  Keymap(Display* display, HeldState& held);

  // The keymap or the group changed, by us or by anyone: it is read again before the next look-up.
  void set_stale() { stale_ = true; }

  // With Shift at most: keys that need AltGr, a dead key or another group count as absent.
  std::optional<KeyPlace> find_keysym(KeySym keysym);
  std::optional<KeyPlace> find_character(char32_t character);
  // In whatever group: for shortcuts when no keycode can be lent.
  std::optional<KeyPlace> find_in_other_groups(KeySym keysym);
  KeyCode shift_keycode();

  // How many keysyms fit on the unused keycodes at once: two each, plain and with Shift.
  std::size_t lendable();
  // Puts the keysyms on unused keycodes, replacing what was lent before. At most lendable() of them.
  void lend(const std::vector<KeySym>& keysyms);
  void lift_caps_lock();

 private:
  void refresh_if_stale();
  void read_key(XkbDescPtr map, KeyCode keycode, int group);

  Display* display_;
  HeldState& held_;
  bool stale_ = true;
  std::unordered_map<KeySym, KeyPlace> by_keysym_, by_keysym_any_group_;
  std::unordered_map<char32_t, KeyPlace> by_character_;
  std::vector<KeyCode> unused_;  // those that are lent included
  KeyCode shift_keycode_ = 0;
};

// The keysym that programs turn into this character.
KeySym keysym_of(char32_t character);

}  // namespace tools::input_helper
