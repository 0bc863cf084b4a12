#pragma once
// Frames of an X11 screen: the whole desktop, one monitor or one window.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "capture/frame_source.h"
#include "capture/x11_cursor.h"

namespace capture {

struct WholeDesktop {};
struct OneMonitor {
  std::string name;  // as in Monitor; empty: the primary one
};
struct OneWindow {
  std::uint32_t id = 0;  // seen whole, also where other windows cover it or where it leaves the screen
};
using CaptureTarget = std::variant<WholeDesktop, OneMonitor, OneWindow>;

// Used by one thread at a time; its frames may go anywhere and outlive it. Pictures come through shared memory, and of
// a frame only the rows that changed since are read again. Nothing runs between two grabs.
class X11Source : public FrameSource {
 public:
  struct Options {
    std::string display;  // empty: the environment's DISPLAY
    CaptureTarget target = WholeDesktop{};
  };

  // Throws Error when there is no such display, when it lacks an extension, or when it can't show its pictures
  // (XWayland without a root window). A target that isn't there now is reported by grab().
  static std::unique_ptr<X11Source> open(const Options& options);
  ~X11Source() override;

  // Follows monitors and windows that come, move, change size and go.
  Grab grab(const GrabOptions& options = {}) override;

  std::vector<Monitor> monitors();  // empty when the server is gone
  std::optional<Cursor> cursor();

 private:
  class Impl;
  explicit X11Source(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace capture
