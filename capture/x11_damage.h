#pragma once
// What changed on a window since we last asked (XDamage).

#include <xcb/damage.h>
#include <xcb/xfixes.h>

#include <memory>
#include <vector>

#include "capture/screen_map.h"
#include "capture/x11_connection.h"

namespace capture {

// One window and everything inside it. The server sends one event when something has changed and then stays silent
// until take(), so a busy screen that nobody looks at costs nothing.
class X11Damage {
 public:
  // The connection must have been prepared with require_damage().
  X11Damage(std::shared_ptr<X11Connection> x, xcb_window_t window);
  ~X11Damage();
  X11Damage(const X11Damage&) = delete;
  X11Damage& operator=(const X11Damage&) = delete;

  // In three steps, so that other requests can share the way: collect what has changed, ask for it, wait for the
  // answer. Rectangles are relative to the window. Nothing is left out: pixels read after collect() are up to date but
  // for rectangles that a later round gives.
  void collect();
  xcb_xfixes_fetch_region_cookie_t ask();
  std::vector<Rect> answer(xcb_xfixes_fetch_region_cookie_t cookie);
  std::vector<Rect> take() {
    collect();
    return answer(ask());
  }

 private:
  std::shared_ptr<X11Connection> x_;
  xcb_damage_damage_t damage_;
  xcb_xfixes_region_t region_;
};

// Throws Error when DAMAGE or XFIXES is missing; tells the server which versions we speak.
void require_damage(const X11Connection& x);

}  // namespace capture
