// The pointer through the helper process, on a real X server: where events arrive is the oracle.

#include <gtest/gtest.h>

#include <random>

#include "tests/desk/input_window.h"
#include "tests/desk/x_server.h"
#include "tools/x11_input.h"

namespace {

using desk_test::InputWindow;
using desk_test::TestXServer;
using tools::ButtonChange;
using tools::InputOutcome;
using tools::MoveTo;
using tools::Pause;
using tools::X11Input;

std::unique_ptr<X11Input> open_input(const TestXServer& server) {
  return X11Input::open({.display = server.display()});
}

class PointerAt : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(PointerAt, fifty_random_points_are_hit_exactly) {
  const auto [width, height] = GetParam();
  const TestXServer server({.width = width, .height = height});
  InputWindow window(server.display(), {0, 0, width, height});
  const auto input = open_input(server);
  std::mt19937 random(7);
  for (int point_idx = 0; point_idx < 50; ++point_idx) {
    // The corners, zero included, are points like any other.
    const int x = point_idx == 0   ? 0
                  : point_idx == 1 ? width - 1
                                   : static_cast<int>(random() % static_cast<unsigned>(width));
    const int y = point_idx == 0   ? 0
                  : point_idx == 1 ? height - 1
                                   : static_cast<int>(random() % static_cast<unsigned>(height));
    window.forget();
    const InputOutcome outcome = input->perform({MoveTo{x, y}, ButtonChange{1, true}, ButtonChange{1, false}}, {});
    ASSERT_EQ(outcome.ending, InputOutcome::Ending::Done) << outcome.message;
    ASSERT_TRUE(window.wait_for_count(ButtonRelease, 1));
    const auto presses = window.events_of(ButtonPress);
    ASSERT_EQ(presses.size(), 1U);
    EXPECT_EQ(presses[0].x_root, x);
    EXPECT_EQ(presses[0].y_root, y);
  }
}

INSTANTIATE_TEST_SUITE_P(three_resolutions, PointerAt,
                         testing::Values(std::pair{1280, 800}, std::pair{1920, 1200}, std::pair{2560, 1440}));

}  // namespace
