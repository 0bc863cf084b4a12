#pragma once
// Sends pointer and key events through XTest, and remembers what it sent so that its own events, when they come back
// as raw events, are told from a human's and from another program's.

#include <X11/Xlib.h>

#include <deque>
#include <optional>

#include "tools/input_helper/held_state.h"

namespace tools::input_helper {

struct Point {
  int x_pt = 0, y_pt = 0;
};

class Injector {
 public:
  Injector(Display* display, HeldState& held);

  void move(Point to);
  void button(unsigned button, bool down);
  void key(KeyCode keycode, bool down);
  void release_all();

  bool is_key_held(unsigned keycode) const { return held_.keys[keycode & 0xff]; }
  std::optional<Point> last_move() const { return last_move_; }
  bool contains(Point point) const {
    return point.x_pt >= 0 && point.y_pt >= 0 && point.x_pt < width_ && point.y_pt < height_;
  }
  void set_screen_size(int width, int height);

  // Takes the matching event off the list of those that are still to come back. Type is an XI_Raw… number.
  bool was_sent(int raw_type, unsigned detail);

 private:
  void expect(int raw_type, unsigned detail);

  struct Sent {
    int raw_type;
    unsigned detail;
    Clock::time_point at;
  };
  Display* display_;
  HeldState& held_;
  int width_, height_;
  std::optional<Point> last_move_;
  std::deque<Sent> sent_;
};

}  // namespace tools::input_helper
