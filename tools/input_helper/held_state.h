#pragma once
// What the helper has done to the X server and must be undone: pressed keys and buttons, keycodes lent to characters
// that the layout lacks. It lies in memory shared with the guardian, which undoes it when the helper is killed.

#include <X11/Xlib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace tools::input_helper {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC: the same in both processes

constexpr int kMaxButton = 15;
// A program translates a keycode when it reads the event, with the keymap of that moment. Measured: giving the
// keycode back after 100 ms breaks every second text in xterm and Qt, after 500 ms none.
constexpr std::chrono::milliseconds kGiveBackDelay{500};

// Each flag is set before the request goes out: releasing what was never pressed is harmless, the reverse is not.
struct HeldState {
  std::array<std::atomic<bool>, 256> keys{};                // by keycode
  std::array<std::atomic<bool>, kMaxButton + 1> buttons{};  // by button number
  std::array<std::atomic<bool>, 256> lent{};                // by keycode
  std::atomic<bool> caps_lock_lifted{false};
  std::atomic<std::int64_t> last_key_ns{0};  // Clock time of the last key event

  // Lives until both processes have ended.
  static HeldState& create_shared();
  bool any_held() const;
  bool any_lent() const;
  bool owes_keymap() const { return any_lent() || caps_lock_lifted; }
  Clock::time_point give_back_at() const;
};

// Lifts every key and button that is marked, then clears the marks.
void release_held(Display* display, HeldState& held);
// The selection that the guardian at work on a display owns.
constexpr const char* kLockSelection = "_DESKHAND_INPUT";

// Writes the lent keycodes to a property of the root window, so that a later start can repair what was left when
// helper and guardian were both killed.
void write_down_lent(Display* display, const HeldState& held);
// Gives back what the property lists. Only for who holds the selection: no helper is at work then, so what is listed
// was left by a crash.
void repair_lent_keycodes(Display* display, HeldState& held);
// Takes our keysyms off the lent keycodes and restores Caps Lock.
void give_back_keycodes(Display* display, HeldState& held);

}  // namespace tools::input_helper
