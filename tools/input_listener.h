#pragma once
// Hears what hands do on an X display (RECORD extension), whichever window it goes to, without taking it from anybody.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/screen_map.h"

namespace tools {

struct HandEvent {
  enum class Kind { Motion, ButtonPress, ButtonRelease, KeyPress, KeyRelease };
  Kind kind = Kind::Motion;
  capture::DesktopPoint point = {};         // where the pointer is
  int button = 0;                           // X's number; 4 to 7: one notch of the wheel up, down, left, right
  std::uint32_t keysym = 0;                 // under the layout and the modifiers of that moment
  std::string text = {};                    // UTF-8 that the key gives, dead and compose keys considered; may be empty
  std::vector<std::string> modifiers = {};  // held: "ctrl", "alt", "super", "shift"
  std::int64_t at_ms = 0;                   // of the server's clock
};

// Used by one thread.
class InputListener {
 public:
  // Empty: the display that DISPLAY names. Throws capture::Error when it can't be heard.
  explicit InputListener(const std::string& display = "");
  ~InputListener();
  InputListener(const InputListener&) = delete;
  InputListener& operator=(const InputListener&) = delete;

  // What has happened since the last call, in order; waits so long for the first event. Throws capture::Error when the
  // X server is gone.
  std::vector<HandEvent> read(std::chrono::milliseconds wait);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tools
