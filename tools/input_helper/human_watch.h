#pragma once
// Sees the human: raw XInput2 events that the helper didn't send itself. They arrive whatever window has the focus and
// also while another program holds a grab.

#include <X11/Xlib.h>

#include <set>
#include <vector>

#include "tools/input_helper/injector.h"

namespace tools::input_helper {

class HumanWatch {
 public:
  enum class Sight { Nothing, Touched, PanicChord };

  // False from `works()` when the server has no XInput 2.2.
  HumanWatch(Display* display, Injector& injector, std::vector<KeySym> panic_chord);
  bool works() const { return works_; }
  int opcode() const { return opcode_; }

  Sight look(XEvent& event);
  // The keymap changed: the chord's keys may have moved.
  void find_chord_keys();

 private:
  void list_xtest_devices();
  bool is_ours(int raw_type, unsigned detail, int source_id);
  Sight on_key(unsigned keycode, bool down);
  Sight on_motion();

  // A hand resting on the mouse moves it by a pixel or two.
  static constexpr int kTouch_px = 6;

  Display* display_;
  Injector& injector_;
  std::vector<KeySym> panic_chord_;
  std::vector<KeyCode> chord_keycodes_;
  std::set<unsigned> keys_down_;  // keycodes that the human holds
  std::set<int> xtest_devices_;
  bool works_ = false;
  int opcode_ = 0;
  int moved_px_ = 0;
  Point last_seen_;
  Clock::time_point last_motion_at_{};
};

}  // namespace tools::input_helper
