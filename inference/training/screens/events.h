#pragma once
// One user action and what the desktop made of it, done on the real widgets: a box ticked, a menu opened, a text typed,
// a window closed, or nothing at all.

#include "inference/training/screens/desktop.h"

namespace screens {

struct Event {
  QString op;      // "click", "double_click", "right_click", "type", "scroll"
  int item = -1;   // index into the first screen's items
  QString text;    // typed
  int amount = 0;  // scroll notches, down positive
  QString effect;  // "toggled", "menu opened", "popup opened", "focused", "selected", "tab changed", "window closed",
                   // "window opened", "dialog opened", "raised", "typed", "scrolled", "none"
  QString detail;  // title of the window that opened
};

// Chooses an action that makes sense on `screen` and carries it out on `desktop`.
Event act(Desktop& desktop, const Screen& screen);

// Before the first picture: sometimes a menu is open already or a field has the focus.
void prepare(Desktop& desktop, const Screen& draft);

}  // namespace screens
