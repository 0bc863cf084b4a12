#include "tools/input_helper/keymap.h"

#include <X11/XKBlib.h>
#include <X11/keysym.h>
#include <xkbcommon/xkbcommon.h>

namespace tools::input_helper {
namespace {

bool is_keypad(KeySym keysym) {
  return keysym >= XK_KP_Space && keysym <= XK_KP_9;
}

bool has_symbols(XkbDescPtr map, KeyCode keycode) {
  const int n_symbols = XkbKeyNumSyms(map, keycode);
  for (int symbol_idx = 0; symbol_idx < n_symbols; ++symbol_idx)
    if (XkbKeySymsPtr(map, keycode)[symbol_idx] != NoSymbol) return true;
  return false;
}

}  // namespace

KeySym keysym_of(char32_t character) {
  if (character == U'\n') return XK_Return;
  if (character == U'\t') return XK_Tab;
  return xkb_utf32_to_keysym(static_cast<std::uint32_t>(character));
}

Keymap::Keymap(Display* display, HeldState& held) : display_(display), held_(held) {}

void Keymap::refresh_if_stale() {
  if (!stale_) return;
  stale_ = false;
  by_keysym_.clear();
  by_keysym_any_group_.clear();
  by_character_.clear();
  unused_.clear();
  XkbDescPtr map =
      XkbGetMap(display_, XkbKeyTypesMask | XkbKeySymsMask | XkbModifierMapMask | XkbVirtualModsMask, XkbUseCoreKbd);
  if (!map) return;
  XkbStateRec state{};
  XkbGetState(display_, XkbUseCoreKbd, &state);
  for (int code = map->min_key_code; code <= map->max_key_code; ++code) {
    const auto keycode = static_cast<KeyCode>(code);
    const bool lent = held_.lent[keycode];
    if (lent || (!has_symbols(map, keycode) && map->map->modmap[keycode] == 0)) unused_.push_back(keycode);
    read_key(map, keycode, state.group);
  }
  XkbFreeKeyboard(map, XkbAllComponentsMask, True);
  const auto shift = by_keysym_.find(XK_Shift_L);
  shift_keycode_ = shift == by_keysym_.end() ? XKeysymToKeycode(display_, XK_Shift_L) : shift->second.keycode;
}

void Keymap::read_key(XkbDescPtr map, KeyCode keycode, int group) {
  for (int n_group = 0; n_group < XkbNumKbdGroups; ++n_group) {
    for (const bool shift : {false, true}) {
      KeySym keysym = NoSymbol;
      unsigned consumed = 0;
      const unsigned state = XkbBuildCoreState(shift ? ShiftMask : 0U, static_cast<unsigned>(n_group));
      if (!XkbTranslateKeyCode(map, keycode, state, &consumed, &keysym) || keysym == NoSymbol) continue;
      const KeyPlace place{keycode, shift};
      const auto add = [&](auto& table, auto key) {
        const auto [at, is_new] = table.try_emplace(key, place);
        if (!is_new && at->second.shift && !shift) at->second = place;
      };
      add(by_keysym_any_group_, keysym);
      if (n_group != group) continue;
      add(by_keysym_, keysym);
      const char32_t character = xkb_keysym_to_utf32(static_cast<xkb_keysym_t>(keysym));
      if (character >= 0x20 && character != 0x7f && !is_keypad(keysym)) add(by_character_, character);
    }
  }
}

std::optional<KeyPlace> Keymap::find_keysym(KeySym keysym) {
  refresh_if_stale();
  const auto found = by_keysym_.find(keysym);
  return found == by_keysym_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<KeyPlace> Keymap::find_character(char32_t character) {
  if (character == U'\n' || character == U'\t') return find_keysym(keysym_of(character));
  refresh_if_stale();
  const auto found = by_character_.find(character);
  return found == by_character_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<KeyPlace> Keymap::find_in_other_groups(KeySym keysym) {
  refresh_if_stale();
  const auto found = by_keysym_any_group_.find(keysym);
  return found == by_keysym_any_group_.end() ? std::nullopt : std::optional(found->second);
}

KeyCode Keymap::shift_keycode() {
  refresh_if_stale();
  return shift_keycode_;
}

std::size_t Keymap::lendable() {
  refresh_if_stale();
  return unused_.size() * 2;
}

void Keymap::lend(const std::vector<KeySym>& keysyms) {
  refresh_if_stale();
  const std::size_t n_keycodes = std::min(unused_.size(), (keysyms.size() + 1) / 2);
  const auto keysym_at = [&](std::size_t idx) { return idx < keysyms.size() ? keysyms[idx] : NoSymbol; };
  for (std::size_t key_idx = 0; key_idx < n_keycodes; ++key_idx) held_.lent[unused_[key_idx]] = true;
  write_down_lent(display_, held_);
  for (std::size_t first = 0; first < n_keycodes;) {
    std::vector<KeySym> pairs;  // plain, shifted
    std::size_t at = first;
    for (; at < n_keycodes && unused_[at] == unused_[first] + (at - first); ++at) {
      pairs.push_back(keysym_at(at));
      pairs.push_back(keysym_at(n_keycodes + at));
    }
    XChangeKeyboardMapping(display_, unused_[first], 2, pairs.data(), static_cast<int>(at - first));
    first = at;
  }
  XSync(display_, False);
  set_stale();
}

void Keymap::lift_caps_lock() {
  XkbStateRec state{};
  XkbGetState(display_, XkbUseCoreKbd, &state);
  if (!(state.locked_mods & LockMask)) return;
  held_.caps_lock_lifted = true;
  XkbLockModifiers(display_, XkbUseCoreKbd, LockMask, 0);
}

}  // namespace tools::input_helper
