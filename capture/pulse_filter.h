#pragma once
// Tells changes that mean something from those that go on for ever: carets, spinners, clocks.

#include <vector>

#include "capture/screen_map.h"

namespace capture {

// Learns small places that change again and again in the same spot. Typing and progress move on to new places, and
// painting a window covers more, so neither is learned.
class PulseFilter {
 public:
  // Notes a change of `area` and says whether it is the next beat of a known pulse. `now_ms` counts only time in which
  // changes were watched, and never goes back.
  bool is_pulse(const Rect& area, double now_ms);

  std::vector<Rect> known_pulses() const;

 private:
  struct Place {
    Rect area;
    double first_ms, last_ms;
    int n_beats;
    bool is_known() const;
  };
  std::vector<Place> places_;
};

}  // namespace capture
