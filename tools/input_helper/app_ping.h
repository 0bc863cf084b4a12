#pragma once
// Asks the program that has the keyboard focus whether it has read all its events so far (_NET_WM_PING): events of one
// window arrive in order, so its answer says that every key before was translated with the keymap of that time.

#include <X11/Xlib.h>

namespace tools::input_helper {

class AppPing {
 public:
  // The answers go to the root window: the owner of `display` selects SubstructureNotify there.
  explicit AppPing(Display* display);
  // False when the focused program doesn't answer pings (xterm, bare Xlib programs).
  bool send();
  bool answered() const { return answered_; }
  // Feed every X event.
  void look(const XEvent& event);

 private:
  bool supports_ping(Window window);
  Window focused_toplevel();

  Display* display_;
  Atom protocols_, ping_;
  bool answered_ = false;
  unsigned long next_stamp_ = 1, sent_stamp_ = 0;
};

}  // namespace tools::input_helper
