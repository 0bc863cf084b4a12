#pragma once
// Opens the X display and says in one sentence what is wrong when it can't be used.

#include <X11/Xlib.h>

#include <string>
#include <vector>

namespace tools::input_helper {

struct OpenedDisplay {
  Display* display = nullptr;
  std::string error;  // when display is null
};

// Uses $DISPLAY and $XAUTHORITY. X errors about vanished windows no longer end the process.
OpenedDisplay open_display();

// What works badly on this display: no window manager, an input method.
std::vector<std::string> display_warnings(Display* display);
// The input method server that runs ("ibus"), or nothing.
std::string input_method(Display* display);

// True when another program holds the pointer (or the keyboard) and it isn't for an open menu.
bool is_pointer_grabbed(Display* display, Window unmapped_window);
bool is_keyboard_grabbed(Display* display, Window unmapped_window);

}  // namespace tools::input_helper
