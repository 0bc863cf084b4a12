#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "capture/error.h"
#include "capture/frame_diff.h"
#include "capture/settle.h"
#include "capture/x11_source.h"
#include "tests/desk/test_window.h"
#include "tests/desk/x_server.h"

namespace capture {
namespace {

using desk_test::TestWindow;
using desk_test::TestXServer;
using testing::ElementsAre;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Calls `paint` every `period` from another thread until told to stop, or `n_times`.
std::jthread repeat(milliseconds period, std::function<void(int)> paint, int n_times = 1 << 30) {
  return std::jthread([=](std::stop_token stop) {
    for (int i = 0; i < n_times && !stop.stop_requested(); ++i) {
      std::this_thread::sleep_for(period);
      paint(i);
    }
  });
}

std::uint32_t colour(int i) {
  return 0x102030u * static_cast<std::uint32_t>(i + 1) & 0xffffff;
}

TEST(Settle, a_quiet_screen_settles_after_the_quiet_time) {
  TestXServer server;
  const auto watch = ScreenWatch::open(server.display());
  watch->begin();
  const Settled result = watch->settle({.quiet_ms = 60, .cap_ms = 20000, .first_change_ms = 0});
  EXPECT_TRUE(result.settled);
  EXPECT_TRUE(result.changed_pt.empty());
  EXPECT_GE(result.waited_ms, 60);
  EXPECT_LT(result.waited_ms, 10000);
}

TEST(Settle, an_app_that_paints_over_50_to_900_ms_is_waited_for) {
  for (const int paints_for_ms : {50, 300, 900}) {
    TestXServer server;
    TestWindow window(server.display(), {100, 100, 400, 300});
    const auto watch = ScreenWatch::open(server.display());
    watch->begin();
    const int n_paints = paints_for_ms / 50;
    std::jthread app = repeat(
        milliseconds(50),
        [&](int i) {
          window.fill({0, 0, 400, 300}, colour(i));
        },
        n_paints);
    const Settled result = watch->settle({.quiet_ms = 500, .cap_ms = 20000, .first_change_ms = 0});
    EXPECT_TRUE(result.settled);
    EXPECT_GE(result.waited_ms, paints_for_ms);
    EXPECT_THAT(result.changed_pt, ElementsAre(Rect{100, 100, 400, 300}));
    const auto frame = X11Source::open({.display = server.display(), .target = WholeDesktop{}})->grab().frame;
    EXPECT_EQ(frame->pixels.at<std::uint32_t>(200, 200) & 0xffffff, colour(n_paints - 1));
  }
}

TEST(Settle, a_late_first_reaction_is_waited_for_when_expected) {
  TestXServer server;
  TestWindow window(server.display(), {100, 100, 50, 50});
  const auto watch = ScreenWatch::open(server.display());
  watch->begin();
  std::jthread app = repeat(
      milliseconds(600),
      [&](int) {
        window.fill({0, 0, 50, 50}, 0x00ff00);
      },
      1);
  const Settled result = watch->settle({.quiet_ms = 50, .cap_ms = 20000, .first_change_ms = 10000});
  EXPECT_TRUE(result.settled);
  EXPECT_THAT(result.changed_pt, ElementsAre(Rect{100, 100, 50, 50}));
  EXPECT_LT(result.waited_ms, 10000);
}

TEST(Settle, what_changed_between_begin_and_settle_counts) {
  TestXServer server;
  TestWindow window(server.display(), {100, 100, 50, 50});
  const auto watch = ScreenWatch::open(server.display());
  window.fill({0, 0, 50, 50}, 0xff0000);
  watch->begin();
  window.fill({10, 10, 5, 5}, 0x00ff00);
  EXPECT_THAT(watch->settle().changed_pt, ElementsAre(Rect{110, 110, 5, 5}));
}

TEST(Settle, a_spinner_is_learned_and_then_does_not_hold_up) {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 1280, 800}), spinner(server.display(), {600, 400, 32, 32});
  const auto watch = ScreenWatch::open(server.display());
  std::jthread turning = repeat(milliseconds(40), [&](int i) { spinner.fill({0, 0, 32, 32}, colour(i)); });
  watch->begin();
  EXPECT_TRUE(watch->settle({.quiet_ms = 400, .cap_ms = 20000, .first_change_ms = 0}).settled);  // learns it
  watch->begin();
  std::jthread app = repeat(
      milliseconds(50),
      [&](int i) {
        window.fill({10, 10, 99, 20}, colour(i));
      },
      4);
  const Settled result = watch->settle({.quiet_ms = 400, .cap_ms = 20000, .first_change_ms = 0});
  EXPECT_TRUE(result.settled);
  EXPECT_THAT(result.changed_pt, ElementsAre(Rect{10, 10, 99, 20}));
  EXPECT_THAT(result.pulsing_pt, ElementsAre(Rect{600, 400, 32, 32}));
}

TEST(Settle, a_caret_does_not_hold_up) {
  TestXServer server;
  TestWindow caret(server.display(), {600, 400, 2, 16});
  const auto watch = ScreenWatch::open(server.display());
  std::jthread blinking = repeat(milliseconds(250), [&](int i) { caret.fill({0, 0, 2, 16}, colour(i)); });
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(watch->settle({.quiet_ms = 100, .cap_ms = 20000, .first_change_ms = 0}).settled);
}

TEST(Settle, a_screen_that_never_rests_ends_at_the_cap_unsettled) {
  TestXServer server;
  TestWindow film(server.display(), {100, 100, 400, 300});
  const auto watch = ScreenWatch::open(server.display());
  watch->begin();
  std::jthread playing = repeat(milliseconds(30), [&](int i) { film.fill({0, 0, 400, 300}, colour(i)); });
  const Settled result = watch->settle({.quiet_ms = 400, .cap_ms = 700, .first_change_ms = 0});
  EXPECT_FALSE(result.settled);
  EXPECT_TRUE(result.error.empty());
  EXPECT_GE(result.waited_ms, 700);
  EXPECT_THAT(result.changed_pt, ElementsAre(Rect{100, 100, 400, 300}));
}

TEST(Settle, a_stop_ends_it_at_once) {
  TestXServer server;
  const auto watch = ScreenWatch::open(server.display());
  std::stop_source source;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(milliseconds(50));
    source.request_stop();
  });
  const auto start = Clock::now();
  const Settled result = watch->settle({.quiet_ms = 20000, .cap_ms = 20000, .first_change_ms = 0}, source.get_token());
  EXPECT_FALSE(result.settled);
  EXPECT_LT(Clock::now() - start, milliseconds(5000));
}

TEST(Settle, a_server_that_dies_is_reported) {
  TestXServer server;
  const auto watch = ScreenWatch::open(server.display());
  server.kill_now();
  const Settled result = watch->settle({.quiet_ms = 5000, .cap_ms = 20000, .first_change_ms = 0});
  EXPECT_FALSE(result.settled);
  EXPECT_THAT(result.error, HasSubstr("is gone"));
}

TEST(Settle, waiting_for_a_change_wakes_at_the_change_and_costs_nothing) {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 50, 50});
  const auto watch = ScreenWatch::open(server.display());
  watch->begin();
  timespec before{}, after{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  EXPECT_FALSE(watch->wait_for_change(500));
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  const double cpu_ms = (after.tv_sec - before.tv_sec) * 1e3 + (after.tv_nsec - before.tv_nsec) / 1e6;
  EXPECT_LT(cpu_ms, 5) << "of 500 ms";  // less than 1 % of a core
  std::jthread app = repeat(
      milliseconds(30),
      [&](int i) {
        window.fill({0, 0, 50, 50}, colour(i));
      },
      1);
  EXPECT_TRUE(watch->wait_for_change(20000));
}

TEST(FrameDiffOnScreen, a_scrolled_window_is_recognised) {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 1280, 800}, 0xffffff);
  for (int y = 0; y < 800; y += 7) window.fill({50 + y * 37 % 200, y, 300 + y * 13 % 400, 3}, colour(y));
  const auto source = X11Source::open({.display = server.display(), .target = WholeDesktop{}});
  const auto before = source->grab().frame;
  window.scroll({100, 100, 900, 500}, 0, -48);
  const auto after = source->grab().frame;
  const auto scroll = diff(*before, *after)->scroll;
  ASSERT_TRUE(scroll);
  EXPECT_EQ(scroll->dy_px, -48);
  EXPECT_EQ(scroll->dx_px, 0);
}

TEST(SettleProblems, each_gives_one_plain_message) {
  const auto message = [](const std::string& display) -> std::string {
    try {
      (void)ScreenWatch::open(display);
    } catch (const Error& error) {
      return error.what();
    }
    return "opened";
  };
  EXPECT_THAT(message(":4711"), HasSubstr("No X server answers"));
  TestXServer server({.width = 320, .height = 200, .extra_arguments = {"-extension", "DAMAGE"}});
  EXPECT_THAT(message(server.display()), HasSubstr("no DAMAGE extension"));
}

}  // namespace
}  // namespace capture
