#pragma once
// What kind of desktop session this is, and what Deskhand can see in it.

#include <string>

#include "capture/x11_connection.h"

namespace capture {

enum class SessionKind {
  X11,               // an X server that owns its screen, also a nested or virtual one: everything can be seen
  XWaylandRootless,  // Wayland; X programs are windows among others: only those, one by one
  WaylandOnly,       // Wayland without XWayland
  None,              // no display, or one that can't be reached
};

struct SessionEnvironment {  // the variables of those names
  std::string display, wayland_display;
  static SessionEnvironment of_this_process();
};

struct Session {
  SessionKind kind = SessionKind::None;
  std::string explanation;  // for the user: what it is, what can be seen, and what to do when that isn't enough
};

// Connects to the display that the environment names. Doesn't throw.
Session detect_session(const SessionEnvironment& environment = SessionEnvironment::of_this_process());

// Whether the server draws into a Wayland compositor.
bool is_xwayland(const X11Connection& x);
// Empty when the root window can be read, else the server's error.
std::string why_root_is_unreadable(const X11Connection& x);
Session explain_unreadable_root(const X11Connection& x, const std::string& reason);

}  // namespace capture
