#include "capture/pulse_filter.h"

#include <gtest/gtest.h>

namespace capture {
namespace {

const Rect kSpinner{100, 100, 32, 32};

// Feeds beats every `period_ms` from `from_ms` on; returns how many were called pulses.
int feed(PulseFilter& filter, const Rect& area, double from_ms, double period_ms, int n_beats) {
  int n_pulses = 0;
  for (int i = 0; i < n_beats; ++i) n_pulses += filter.is_pulse(area, from_ms + i * period_ms);
  return n_pulses;
}

TEST(PulseFilter, a_spinner_is_learned_after_a_while_and_then_always_a_pulse) {
  PulseFilter filter;
  EXPECT_EQ(feed(filter, kSpinner, 0, 50, 31), 0);  // 1.5 s
  EXPECT_EQ(feed(filter, kSpinner, 1550, 50, 100), 100);
  EXPECT_EQ(filter.known_pulses(), std::vector<Rect>{kSpinner});
}

TEST(PulseFilter, a_caret_is_learned) {
  PulseFilter filter;
  feed(filter, {10, 10, 2, 16}, 0, 600, 5);
  EXPECT_TRUE(filter.is_pulse({10, 10, 2, 16}, 3000));
}

TEST(PulseFilter, the_parts_of_a_known_spinner_belong_to_it) {
  PulseFilter filter;
  feed(filter, kSpinner, 0, 50, 40);
  EXPECT_TRUE(filter.is_pulse({104, 110, 5, 5}, 2001));
  EXPECT_FALSE(filter.is_pulse({90, 90, 60, 60}, 2002));  // it and its surroundings: something else happened
}

TEST(PulseFilter, typing_is_never_a_pulse) {
  PulseFilter filter;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(filter.is_pulse({10 + 8 * i, 10, 9, 16}, 100.0 * i));
}

TEST(PulseFilter, a_filling_progress_bar_is_never_a_pulse) {
  PulseFilter filter;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(filter.is_pulse({2 * i, 10, 2, 16}, 40.0 * i));
}

TEST(PulseFilter, a_large_moving_picture_is_never_a_pulse) {
  PulseFilter filter;
  EXPECT_EQ(feed(filter, {0, 0, 300, 200}, 0, 40, 200), 0);
}

TEST(PulseFilter, what_paints_for_less_than_a_second_is_no_pulse) {
  PulseFilter filter;
  EXPECT_EQ(feed(filter, kSpinner, 50, 50, 18), 0);
}

TEST(PulseFilter, a_pulse_that_stopped_is_forgotten) {
  PulseFilter filter;
  feed(filter, kSpinner, 0, 50, 40);
  EXPECT_FALSE(filter.is_pulse(kSpinner, 4000));
  EXPECT_TRUE(filter.known_pulses().empty());
}

}  // namespace
}  // namespace capture
