#pragma once
// Where frames come from.

#include <memory>
#include <optional>
#include <string>

#include "capture/frame.h"

namespace capture {

struct GrabOptions {
  std::optional<Rect> area_pt;  // only this part, in desktop points and at native resolution: a zoom
  bool with_cursor = false;
  bool reread_all = false;  // don't trust the server's report of what changed
};

// A frame, or the reason why there is none. Never a picture that wasn't seen.
struct [[nodiscard]] Grab {
  std::shared_ptr<const Frame> frame;
  std::string error;  // what failed, on what, what to do; empty when there is a frame
  explicit operator bool() const { return frame != nullptr; }
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // Doesn't throw: what is shown may vanish at any time, and that is for the caller to handle.
  virtual Grab grab(const GrabOptions& options = {}) = 0;
};

}  // namespace capture
