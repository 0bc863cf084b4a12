#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <opencv2/core.hpp>
#include <random>

#include "capture/error.h"
#include "capture/x11_source.h"
#include "tests/desk/test_window.h"
#include "tests/desk/x_server.h"

namespace capture {
namespace {

using desk_test::TestProgram;
using desk_test::TestWindow;
using desk_test::TestXServer;
using testing::HasSubstr;

std::unique_ptr<X11Source> open_source(const TestXServer& server, CaptureTarget target = WholeDesktop{}) {
  return X11Source::open({.display = server.display(), .target = std::move(target)});
}

std::shared_ptr<const Frame> grabbed(X11Source& source, const GrabOptions& options = {}) {
  Grab grab = source.grab(options);
  if (!grab) throw std::runtime_error(grab.error);
  return grab.frame;
}

std::uint32_t colour_at(const Frame& frame, int x, int y) {
  return frame.pixels.at<std::uint32_t>(y, x) & 0xffffff;
}

std::vector<std::uint32_t> noise(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (std::uint32_t& pixel : pixels) pixel = random() & 0xffffff;
  return pixels;
}

// The number of pixels whose colour differs.
int n_different(const Frame& frame, const std::vector<std::uint32_t>& expected) {
  int count = 0;
  for (int y = 0; y < frame.pixels.rows; ++y) {
    for (int x = 0; x < frame.pixels.cols; ++x) {
      count += colour_at(frame, x, y) != expected[static_cast<std::size_t>(y * frame.pixels.cols + x)];
    }
  }
  return count;
}

class CaptureAtSize : public testing::TestWithParam<Size> {};

TEST_P(CaptureAtSize, the_picture_equals_what_was_drawn) {
  const auto [width, height] = GetParam();
  TestXServer server({.width = width, .height = height, .extra_arguments = {}});
  TestWindow window(server.display(), {0, 0, width, height});
  const auto pixels = noise(width, height, 1);
  window.put({0, 0, width, height}, pixels.data());
  const auto frame = grabbed(*open_source(server));
  ASSERT_EQ(frame->screen_map.area_pt(), (Rect{0, 0, width, height}));
  EXPECT_EQ(n_different(*frame, pixels), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, CaptureAtSize,
                         testing::Values(Size{320, 200}, Size{1366, 768}, Size{1279, 801}, Size{2560, 1440}));

TEST(Capture, updates_from_damage_equal_full_grabs_under_random_drawing) {
  TestXServer server({.width = 640, .height = 480, .extra_arguments = {}});
  TestWindow window(server.display(), {0, 0, 640, 480});
  const auto updated = open_source(server), reread = open_source(server);
  std::mt19937 random(5);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<std::pair<std::shared_ptr<const Frame>, std::uint64_t>> kept;  // held frames must never change
  for (int step = 0; step < 300; ++step) {
    for (int n = pick(0, 4); n > 0; --n) {
      const Rect area{pick(-20, 630), pick(-20, 470), pick(1, 200), pick(1, 60)};
      if (pick(0, 3) == 0) {
        window.scroll({0, 0, 640, 480}, pick(-9, 9), pick(-9, 9));
      } else {
        window.fill(area, random() & 0xffffff);
      }
    }
    const auto frame = grabbed(*updated, {.area_pt = {}, .with_cursor = pick(0, 4) == 0, .reread_all = false});
    if (pick(0, 9) == 0) kept.emplace_back(frame, frame->content_hash());
    const auto plain = grabbed(*updated);
    const auto full = grabbed(*reread, {.area_pt = {}, .with_cursor = false, .reread_all = true});
    ASSERT_EQ(plain->content_hash(), full->content_hash()) << "step " << step;
  }
  for (const auto& [frame, hash] : kept) {
    EXPECT_EQ(Frame(frame->pixels, frame->screen_map).content_hash(), hash);
  }
}

TEST(Capture, an_unchanged_screen_is_not_read_again) {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 100, 100}, 0x123456);
  const auto source = open_source(server);
  const auto first = grabbed(*source), second = grabbed(*source);
  EXPECT_EQ(first->pixels.data, second->pixels.data);  // the same memory
  EXPECT_NE(first->id, second->id);
  window.fill({0, 0, 1, 1}, 0xffffff);
  const auto third = grabbed(*source);
  EXPECT_NE(third->pixels.data, first->pixels.data);
  EXPECT_EQ(colour_at(*first, 0, 0), 0x123456u);
  EXPECT_EQ(colour_at(*third, 0, 0), 0xffffffu);
}

TEST(Capture, a_part_of_the_desktop_comes_at_native_resolution) {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 1280, 800});
  window.fill({300, 200, 10, 10}, 0xff8000);
  const auto source = open_source(server);
  const auto part = grabbed(*source, {.area_pt = Rect{299, 199, 5, 5}, .with_cursor = false, .reread_all = false});
  EXPECT_EQ(part->pixels.cols, 5);
  EXPECT_EQ(colour_at(*part, 0, 0), 0u);
  EXPECT_EQ(colour_at(*part, 1, 1), 0xff8000u);
  EXPECT_EQ(std::get<DesktopPoint>(part->screen_map.to_desktop(1, 1)), (DesktopPoint{300, 200}));
  const Grab outside = source->grab({.area_pt = Rect{1270, 0, 20, 20}, .with_cursor = false, .reread_all = false});
  EXPECT_FALSE(outside);
  EXPECT_THAT(outside.error, HasSubstr("not inside"));
}

TEST(Capture, the_pointer_is_drawn_only_when_asked_for) {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 1280, 800}, 0x00ff00);
  window.set_cursor(0xff0000, 9);
  window.warp_pointer(400, 300);
  const auto source = open_source(server);
  const GrabOptions with_cursor{.area_pt = {}, .with_cursor = true, .reread_all = false};
  const auto with = grabbed(*source, with_cursor);
  EXPECT_EQ(colour_at(*with, 400, 300), 0xff0000u);
  EXPECT_EQ(colour_at(*with, 396, 296), 0xff0000u);
  EXPECT_EQ(colour_at(*with, 395, 300), 0x00ff00u);
  EXPECT_EQ(colour_at(*with, 405, 300), 0x00ff00u);
  EXPECT_EQ(colour_at(*grabbed(*source), 400, 300), 0x00ff00u);
  window.warp_pointer(0, 0);  // half of it leaves the screen
  const auto corner = grabbed(*source, with_cursor);
  EXPECT_EQ(colour_at(*corner, 4, 4), 0xff0000u);
  EXPECT_EQ(colour_at(*corner, 5, 5), 0x00ff00u);
  EXPECT_EQ(colour_at(*corner, 400, 300), 0x00ff00u);
  EXPECT_EQ(source->cursor()->position, (DesktopPoint{0, 0}));
}

void run_to_end(const TestXServer& server, const std::vector<std::string>& command) {
  ASSERT_EQ(TestProgram(server.display(), command).wait_for_exit(), 0) << command[0];
}

TEST(Capture, monitors_with_offsets_are_seen_one_by_one_and_can_be_plugged_in_later) {
  TestXServer server({.width = 1000, .height = 600, .extra_arguments = {}});
  TestWindow window(server.display(), {0, 0, 1000, 600});
  window.fill({600, 100, 400, 300}, 0x0000ff);
  window.fill({600, 100, 1, 1}, 0xff0000);
  const auto right = open_source(server, OneMonitor{"RIGHT"});
  const Grab missing = right->grab();
  EXPECT_FALSE(missing);
  EXPECT_THAT(missing.error, HasSubstr("There is no monitor RIGHT; there are: screen"));

  run_to_end(server, {"xrandr", "--setmonitor", "LEFT", "600/160x600/160+0+0", "screen"});
  run_to_end(server, {"xrandr", "--setmonitor", "RIGHT", "400/100x300/80+600+100", "none"});
  const auto frame = grabbed(*right);
  EXPECT_EQ(frame->screen_map.area_pt(), (Rect{600, 100, 400, 300}));
  EXPECT_EQ(colour_at(*frame, 0, 0), 0xff0000u);
  EXPECT_EQ(colour_at(*frame, 399, 299), 0x0000ffu);
  EXPECT_EQ(std::get<DesktopPoint>(frame->to_desktop({frame->id, 0, 0})), (DesktopPoint{600, 100}));
  window.fill({999, 399, 1, 1}, 0x00ff00);
  EXPECT_EQ(colour_at(*grabbed(*right), 399, 299), 0x00ff00u);

  const auto desktop = grabbed(*open_source(server));
  EXPECT_EQ(desktop->screen_map.monitors().size(), 2u);
  EXPECT_TRUE(std::holds_alternative<DesktopPoint>(desktop->screen_map.to_desktop(650, 150)));
  EXPECT_TRUE(std::holds_alternative<PointError>(desktop->screen_map.to_desktop(650, 50)));  // above RIGHT

  run_to_end(server, {"xrandr", "--delmonitor", "RIGHT"});
  EXPECT_FALSE(right->grab());
}

TEST(Capture, a_desktop_that_changes_size_is_followed) {
  TestXServer server({.width = 1280, .height = 800, .extra_arguments = {}});
  const auto source = open_source(server);
  EXPECT_EQ(grabbed(*source)->pixels.cols, 1280);
  run_to_end(server, {"xrandr", "--output", "screen", "--off", "--fb", "640x480"});
  EXPECT_EQ(grabbed(*source)->screen_map.image_px(), (Size{640, 480}));
}

TEST(Capture, a_black_screen_is_a_picture) {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 1280, 800}, 0x000000);
  EXPECT_EQ(colour_at(*grabbed(*open_source(server)), 640, 400), 0u);
}

TEST(Capture, a_screen_saver_is_an_error_with_its_reason) {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 1280, 800}, 0x808080);
  const auto source = open_source(server);
  run_to_end(server, {"xset", "s", "activate"});
  const Grab grab = source->grab();
  EXPECT_FALSE(grab);
  EXPECT_THAT(grab.error, HasSubstr("screen saver"));
  run_to_end(server, {"xset", "s", "reset"});
  EXPECT_EQ(colour_at(*grabbed(*source), 5, 5), 0x808080u);
}

TEST(Capture, a_server_that_dies_is_an_error_and_its_frames_live_on) {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 1280, 800}, 0x0000ff);
  const auto source = open_source(server);
  const auto frame = grabbed(*source);
  server.kill_now();
  const Grab grab = source->grab();
  EXPECT_FALSE(grab);
  EXPECT_THAT(grab.error, HasSubstr("is gone"));
  EXPECT_EQ(colour_at(*frame, 640, 400), 0x0000ffu);
  EXPECT_TRUE(source->monitors().empty());
  EXPECT_FALSE(source->cursor());
}

TEST(Capture, frames_outlive_their_source) {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 1280, 800}, 0x00ff00);
  std::vector<std::shared_ptr<const Frame>> frames;
  {
    const auto source = open_source(server);
    for (std::uint32_t i = 0; i < 20; ++i) {
      window.fill({0, 0, 1280, 800}, i);
      frames.push_back(grabbed(*source));
    }
  }
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(colour_at(*frames[i], 640, 400), i);
}

std::string message_of_open(const X11Source::Options& options) {
  try {
    (void)X11Source::open(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

TEST(CaptureProblems, each_gives_one_plain_message) {
  EXPECT_THAT(message_of_open({.display = "nonsense", .target = WholeDesktop{}}),
              HasSubstr("not the name of a display"));
  EXPECT_THAT(message_of_open({.display = ":4711", .target = WholeDesktop{}}),
              HasSubstr("No X server answers at :4711"));
  const std::string display = getenv("DISPLAY") ? getenv("DISPLAY") : "";
  unsetenv("DISPLAY");
  EXPECT_THAT(message_of_open({}), HasSubstr("DISPLAY is not set"));
  if (!display.empty()) setenv("DISPLAY", display.c_str(), 1);
}

TEST(CaptureProblems, a_wrong_cookie_is_named) {
  // A cookie file for the server, and no cookie for us.
  const std::string name = testing::TempDir() + "cookie_" + std::to_string(getpid());
  run_to_end(TestXServer(), {"xauth", "-f", name, "add", ":0", ".", "0123456789abcdef0123456789abcdef"});
  TestXServer server({.width = 320, .height = 200, .extra_arguments = {"-auth", name}, .lets_everyone_in = false});
  setenv("XAUTHORITY", "/nonexistent", 1);
  const std::string message = message_of_open({.display = server.display(), .target = WholeDesktop{}});
  unsetenv("XAUTHORITY");
  unlink(name.c_str());
  EXPECT_THAT(message, HasSubstr("refuses us: the file that XAUTHORITY names, /nonexistent, holds no valid cookie"));
}

TEST(CaptureProblems, missing_extensions_are_named) {
  for (const std::string name : {"MIT-SHM", "DAMAGE", "XFIXES", "RANDR"}) {
    TestXServer server({.width = 320, .height = 200, .extra_arguments = {"-extension", name}});
    const std::string message = message_of_open({.display = server.display(), .target = WholeDesktop{}});
    EXPECT_THAT(message, HasSubstr("no " + name + " extension")) << name;
  }
  TestXServer server({.width = 320, .height = 200, .extra_arguments = {"-extension", "Composite"}});
  EXPECT_EQ(message_of_open({.display = server.display(), .target = WholeDesktop{}}), "opened");
  EXPECT_THAT(message_of_open({.display = server.display(), .target = OneWindow{1}}),
              HasSubstr("no Composite extension"));
}

TEST(CaptureProblems, another_colour_depth_is_refused) {
  TestXServer server({.width = 320, .height = 200, .extra_arguments = {"-screen", "0", "320x200x16"}});
  EXPECT_THAT(message_of_open({.display = server.display(), .target = WholeDesktop{}}), HasSubstr("depth of 16 bits"));
}

}  // namespace
}  // namespace capture
