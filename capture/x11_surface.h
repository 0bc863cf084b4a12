#pragma once
// Where a capture target is now: which drawable holds its pixels, and what part of the desktop it is.

#include <xcb/randr.h>

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "capture/screen_map.h"
#include "capture/x11_connection.h"

namespace capture {

// Reads the list of monitors; remembers their names, each of which costs a request.
class MonitorReader {
 public:
  explicit MonitorReader(std::shared_ptr<X11Connection> x) : x_(std::move(x)) {}
  void ask();
  std::vector<Monitor> answer();  // empty when the server is gone

 private:
  const std::string& name_of(xcb_atom_t atom);

  std::shared_ptr<X11Connection> x_;
  xcb_randr_get_monitors_cookie_t cookie_{};
  std::map<xcb_atom_t, std::string> names_;
};

struct Surface {
  xcb_drawable_t drawable = 0;
  int x = 0, y = 0;  // of the target's top left corner in the drawable
  Rect area_pt;      // on the desktop; its size is the picture's
  int damage_y = 0;  // of the same corner in the window whose changes are reported
  std::vector<Monitor> monitors;
};
using SurfaceOrReason = std::variant<Surface, std::string>;

// Finds the surface of one target, in two halves so that other requests share the way.
class SurfaceLocator {
 public:
  virtual ~SurfaceLocator() = default;
  virtual void ask() = 0;
  virtual SurfaceOrReason answer() = 0;
  virtual xcb_window_t window() const = 0;  // whose changes matter
};

// The whole desktop (null) or the monitor of that name ("": the primary one).
std::unique_ptr<SurfaceLocator> locate_screen(std::shared_ptr<X11Connection> x, const std::string* monitor);
// A window, through the off-screen pixmap that XComposite keeps for it.
std::unique_ptr<SurfaceLocator> locate_window(std::shared_ptr<X11Connection> x, xcb_window_t window);

}  // namespace capture
