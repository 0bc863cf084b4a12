#pragma once
// The oracle of the input tests: a bare X window that writes down every event it gets, and a human's hand on the X
// server's own mouse and keyboard devices.

#include <X11/Xlib.h>
#include <X11/extensions/XInput.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace desk_test {

struct LoggedEvent {
  int type = 0;         // KeyPress, ButtonPress, MotionNotify …
  unsigned detail = 0;  // keycode or button
  KeySym keysym = 0;
  int x_root = 0, y_root = 0;
  unsigned state = 0;         // modifiers and buttons just before
  unsigned long time_ms = 0;  // the server's
  std::chrono::steady_clock::time_point seen_at{};
};

class InputWindow {
 public:
  struct Area {
    int x = 0, y = 0, width = 200, height = 200;
  };
  enum class Managed { Yes, No };  // No: exactly there and on top, whatever the window manager thinks
  InputWindow(const std::string& display, Area area, Managed managed = Managed::Yes);
  ~InputWindow();
  InputWindow(const InputWindow&) = delete;
  InputWindow& operator=(const InputWindow&) = delete;

  Display* display() const { return display_; }
  Window window() const { return window_; }
  void take_focus();

  const std::vector<LoggedEvent>& events();  // all so far
  std::vector<LoggedEvent> events_of(int type);
  void forget() { events(), events_.clear(); }
  // False after half a minute.
  bool wait_for(const std::function<bool()>& condition);
  bool wait_for_count(int type, std::size_t count);

 private:
  Display* display_;
  Window window_;
  std::vector<LoggedEvent> events_;
};

// What the X server holds pressed: buttons of the pointer's mask and keycodes.
struct Pressed {
  unsigned buttons = 0;
  std::vector<int> keycodes;
  bool nothing() const { return buttons == 0 && keycodes.empty(); }
};
Pressed pressed_now(Display* display);
// Until nothing is pressed; the time that took, or a negative number after three seconds.
double milliseconds_until_released(Display* display);

// Acts through the server's hardware devices, not through XTEST's, as a person would.
class HumanHand {
 public:
  explicit HumanHand(const std::string& display);
  ~HumanHand();
  HumanHand(const HumanHand&) = delete;
  HumanHand& operator=(const HumanHand&) = delete;
  void move_to(int x, int y);
  void click();
  void key(KeySym keysym, bool down);

 private:
  Display* display_;
  XDevice* pointer_ = nullptr;
  XDevice* keyboard_ = nullptr;
};

// A click through XTEST that no helper sent.
void foreign_xtest_click(Display* display);

// The keymap in full, as xkbcomp prints it.
std::string keymap_text(const std::string& display);
// The first child of a process.
std::optional<pid_t> child_of(pid_t parent);
// Runs a program to its end; true when it exits with 0.
bool run_program(const std::vector<std::string>& command, const std::vector<std::string>& environment = {});

}  // namespace desk_test
