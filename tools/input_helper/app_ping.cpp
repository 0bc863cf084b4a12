#include "tools/input_helper/app_ping.h"

#include <X11/Xutil.h>

namespace tools::input_helper {

AppPing::AppPing(Display* display)
    : display_(display),
      protocols_(XInternAtom(display, "WM_PROTOCOLS", False)),
      ping_(XInternAtom(display, "_NET_WM_PING", False)) {}

bool AppPing::supports_ping(Window window) {
  Atom* atoms = nullptr;
  int n_atoms = 0;
  if (!XGetWMProtocols(display_, window, &atoms, &n_atoms)) return false;
  bool found = false;
  for (int atom_idx = 0; atom_idx < n_atoms; ++atom_idx) found |= atoms[atom_idx] == ping_;
  XFree(atoms);
  return found;
}

Window AppPing::focused_toplevel() {
  Window window = None;
  int revert = 0;
  XGetInputFocus(display_, &window, &revert);
  while (window != None && window != PointerRoot && window != DefaultRootWindow(display_)) {
    if (supports_ping(window)) return window;
    Window root = None, parent = None, *children = nullptr;
    unsigned n_children = 0;
    if (!XQueryTree(display_, window, &root, &parent, &children, &n_children)) return None;
    if (children) XFree(children);
    window = parent;
  }
  return None;
}

bool AppPing::send() {
  const Window window = focused_toplevel();
  if (window == None) return false;
  XEvent event{};
  event.xclient.type = ClientMessage;
  event.xclient.window = window;
  event.xclient.message_type = protocols_;
  event.xclient.format = 32;
  sent_stamp_ = next_stamp_++;
  event.xclient.data.l[0] = static_cast<long>(ping_);
  event.xclient.data.l[1] = static_cast<long>(sent_stamp_);
  event.xclient.data.l[2] = static_cast<long>(window);
  answered_ = false;
  XSendEvent(display_, window, False, NoEventMask, &event);
  XFlush(display_);
  return true;
}

void AppPing::look(const XEvent& event) {
  if (event.type != ClientMessage || event.xclient.message_type != protocols_) return;
  if (static_cast<Atom>(event.xclient.data.l[0]) != ping_) return;
  if (static_cast<unsigned long>(event.xclient.data.l[1]) == sent_stamp_) answered_ = true;
}

}  // namespace tools::input_helper
