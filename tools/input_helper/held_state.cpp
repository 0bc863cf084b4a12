#include "tools/input_helper/held_state.h"

#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/extensions/XTest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

namespace tools::input_helper {
namespace {

Atom lent_property(Display* display) {
  return XInternAtom(display, "_DESKHAND_LENT_KEYCODES", False);
}

}  // namespace

HeldState& HeldState::create_shared() {
  void* memory = ::mmap(nullptr, sizeof(HeldState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return *new (memory) HeldState;
}

bool HeldState::any_held() const {
  const auto is_set = [](const std::atomic<bool>& flag) { return flag.load(); };
  return std::any_of(keys.begin(), keys.end(), is_set) || std::any_of(buttons.begin(), buttons.end(), is_set);
}

bool HeldState::any_lent() const {
  return std::any_of(lent.begin(), lent.end(), [](const std::atomic<bool>& flag) { return flag.load(); });
}

Clock::time_point HeldState::give_back_at() const {
  return Clock::time_point(std::chrono::nanoseconds(last_key_ns.load())) + kGiveBackDelay;
}

void release_held(Display* display, HeldState& held) {
  for (unsigned button = 1; button <= kMaxButton; ++button)
    if (held.buttons[button]) XTestFakeButtonEvent(display, button, False, CurrentTime);
  for (unsigned keycode = 8; keycode < 256; ++keycode)
    if (held.keys[keycode]) XTestFakeKeyEvent(display, keycode, False, CurrentTime);
  XSync(display, False);
  for (auto& flag : held.buttons) flag = false;
  for (auto& flag : held.keys) flag = false;
}

void write_down_lent(Display* display, const HeldState& held) {
  std::vector<long> items;
  for (int keycode = 8; keycode < 256; ++keycode)
    if (held.lent[static_cast<std::size_t>(keycode)]) items.push_back(keycode);
  XChangeProperty(display, DefaultRootWindow(display), lent_property(display), XA_CARDINAL, 32, PropModeReplace,
                  reinterpret_cast<unsigned char*>(items.data()), static_cast<int>(items.size()));
}

void repair_lent_keycodes(Display* display, HeldState& held) {
  Atom type = None;
  int format = 0;
  unsigned long n_items = 0, bytes_after = 0;
  unsigned char* data = nullptr;
  XGetWindowProperty(display, DefaultRootWindow(display), lent_property(display), 0, 300, False, XA_CARDINAL, &type,
                     &format, &n_items, &bytes_after, &data);
  if (data && format == 32 && n_items > 0) {
    const long* items = reinterpret_cast<long*>(data);
    for (unsigned long item_idx = 0; item_idx < n_items; ++item_idx)
      if (items[item_idx] >= 8 && items[item_idx] < 256) held.lent[static_cast<std::size_t>(items[item_idx])] = true;
    if (held.any_lent()) give_back_keycodes(display, held);
  }
  if (data) XFree(data);
}

void give_back_keycodes(Display* display, HeldState& held) {
  // One request for each run of neighbours: every request makes every program read the keymap again.
  for (int first = 8; first < 256; ++first) {
    if (!held.lent[static_cast<std::size_t>(first)]) continue;
    int count = 1;
    while (first + count < 256 && held.lent[static_cast<std::size_t>(first + count)]) ++count;
    std::vector<KeySym> none(static_cast<std::size_t>(count), NoSymbol);
    XChangeKeyboardMapping(display, first, 1, none.data(), count);
    first += count;
  }
  if (held.caps_lock_lifted) XkbLockModifiers(display, XkbUseCoreKbd, LockMask, LockMask);
  XDeleteProperty(display, DefaultRootWindow(display), lent_property(display));
  XSync(display, False);
  for (auto& flag : held.lent) flag = false;
  held.caps_lock_lifted = false;
}

}  // namespace tools::input_helper
