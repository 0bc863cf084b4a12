// The pointer through the helper process, on a real X server: where events arrive is the oracle.

#include <gtest/gtest.h>

#include <random>

#include "capture/x11_source.h"
#include "tests/desk/x_server.h"
#include "tools/x11_input.h"

// Last: Xlib's macros have common names.
#include "tests/desk/input_window.h"

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

TEST(PointerOnTwoMonitors, a_point_in_the_picture_of_the_second_one_is_hit) {
  const TestXServer server({.width = 3200, .height = 1200});
  InputWindow window(server.display(), {0, 0, 3200, 1200});
  const auto set_monitor = [&](const std::string& name, const std::string& place, const std::string& output) {
    return desk_test::run_program({"xrandr", "-display", server.display(), "--setmonitor", name, place, output});
  };
  ASSERT_TRUE(set_monitor("LEFT", "1920/508x1080/286+0+0", "screen"));
  ASSERT_TRUE(set_monitor("RIGHT", "1280/338x1024/270+1920+100", "none"));
  const auto source = capture::X11Source::open({.display = server.display(), .target = capture::OneMonitor{"RIGHT"}});
  const capture::Grab grab = source->grab();
  ASSERT_TRUE(grab) << grab.error;
  const auto picture = capture::resize(grab.frame, {896, 716});
  const auto input = open_input(server);
  for (const auto& [x_px, y_px] : {std::pair{0.0, 0.0}, std::pair{448.0, 358.0}, std::pair{895.0, 715.0}}) {
    const auto point = picture->to_desktop({picture->id, x_px, y_px});
    ASSERT_TRUE(std::holds_alternative<capture::DesktopPoint>(point));
    const auto at = std::get<capture::DesktopPoint>(point);
    window.forget();
    ASSERT_EQ(input->perform({MoveTo{at.x_pt, at.y_pt}, ButtonChange{1, true}, ButtonChange{1, false}}, {}).ending,
              InputOutcome::Ending::Done);
    ASSERT_TRUE(window.wait_for_count(ButtonPress, 1));
    const auto press = window.events_of(ButtonPress).front();
    EXPECT_NEAR(press.x_root, 1920 + (x_px + 0.5) * 1280 / 896, 1);
    EXPECT_NEAR(press.y_root, 100 + (y_px + 0.5) * 1024 / 716, 1);
  }
}

TEST(PointerScript, a_drag_shows_its_motion_between_press_and_release) {
  const TestXServer server;
  InputWindow window(server.display(), {0, 0, 400, 400});
  const auto input = open_input(server);
  std::vector<tools::InputStep> steps{MoveTo{0, 0}, ButtonChange{1, true}};
  for (int step_idx = 1; step_idx <= 12; ++step_idx) steps.emplace_back(MoveTo{step_idx * 25, 0});
  steps.emplace_back(ButtonChange{1, false});
  ASSERT_EQ(input->perform(steps, {}).ending, InputOutcome::Ending::Done);
  ASSERT_TRUE(window.wait_for_count(ButtonRelease, 1));
  EXPECT_EQ(window.events_of(ButtonPress).at(0).x_root, 0);
  EXPECT_EQ(window.events_of(ButtonRelease).at(0).x_root, 300);
  std::size_t n_dragged = 0;
  for (const auto& motion : window.events_of(MotionNotify)) n_dragged += (motion.state & Button1Mask) != 0;
  EXPECT_GE(n_dragged, 8U);
}

}  // namespace
