#pragma once
// Waiting until the screen is quiet, instead of sleeping for a guessed time.

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "capture/screen_map.h"

namespace capture {

struct SettleOptions {
  int quiet_ms = 150;  // without a change that means something, this long
  int cap_ms = 3000;   // at most so long altogether
  int first_change_ms =
      0;  // while nothing at all has changed, wait at least so long for a slow program's first reaction
};

struct Settled {
  bool settled = false;  // false: still moving at the cap, stopped, or the server is gone
  int waited_ms = 0;
  std::vector<Rect> changed_pt;  // since begin(), pulses left out
  std::vector<Rect> pulsing_pt;  // carets, spinners and clocks that were ignored
  std::string error;             // why watching ended early; empty else
};

// Watches one X server's whole desktop on a connection of its own. Nothing runs, and the server sends nothing, between
// the calls. Used by one thread at a time.
class ScreenWatch {
 public:
  // `display` empty: the environment's. Throws Error when it can't be reached or can't report changes.
  static std::unique_ptr<ScreenWatch> open(const std::string& display = "");
  ~ScreenWatch();

  // Forgets what has changed so far: call it just before an action, then settle() after it.
  void begin();

  // Returns as soon as the screen is quiet. What changed between begin() and this call counts as a change just now.
  Settled settle(const SettleOptions& options = {}, std::stop_token stop = {});

  // Sleeps until something changes (true), or until the time is over or a stop is asked for (false). For live views.
  bool wait_for_change(int timeout_ms, std::stop_token stop = {});

 private:
  class Impl;
  explicit ScreenWatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace capture
