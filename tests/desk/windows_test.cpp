// Windows of real programs under a real window manager.
#include "tools/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "capture/error.h"
#include "tools/private_desktop.h"

namespace tools {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct Fixture {
  PrivateDesktop desktop = PrivateDesktop::start();
  Windows windows = Windows::open(desktop.display());

  Window opened(const std::vector<std::string>& argv) {
    const DesktopProcess process = desktop.launch(argv);
    const auto fits = [&](const Window& window) { return belongs_to_session(window, process.pid()); };
    const std::optional<Window> window = windows.wait_for(fits, 20s);
    EXPECT_TRUE(window.has_value()) << argv[0] << ": " << process.output();
    return window.value_or(Window{});
  }
  Window now(WindowId id) { return windows.find(id).value_or(Window{}); }
};

TEST(Windows, says_what_each_window_is) {
  Fixture f;
  const Window xterm = f.opened({"xterm", "-T", "Ünï — 中", "-geometry", "40x10+100+200"});
  EXPECT_EQ(xterm.title, "Ünï — 中");
  EXPECT_EQ(xterm.class_name, "XTerm");
  EXPECT_EQ(xterm.process_name, "xterm");
  EXPECT_TRUE(xterm.is_managed);
  EXPECT_EQ(xterm.frame.x, 100);
  EXPECT_EQ(xterm.frame.y, 200);
  EXPECT_GT(xterm.client.y, xterm.frame.y) << "the title bar is part of the frame";
  EXPECT_GE(xterm.frame.height, xterm.client.height + (xterm.client.y - xterm.frame.y));

  const Window calculator = f.opened({"galculator"});
  EXPECT_EQ(calculator.process_name, "galculator");
  const std::vector<Window> listed = f.windows.list();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_NE(listed[0].id, listed[1].id);
  EXPECT_FALSE(f.windows.find(0x7fffff).has_value());
}

TEST(Windows, activate_raises_focuses_and_shows) {
  Fixture f;
  const Window one = f.opened({"xterm", "-T", "one", "-geometry", "40x10+100+100"});
  const Window two = f.opened({"xterm", "-T", "two", "-geometry", "40x10+120+120"});
  for (const WindowId id : {one.id, two.id, one.id}) {
    EXPECT_EQ(f.windows.activate(id), std::nullopt);
    EXPECT_EQ(f.windows.active()->id, id);
    EXPECT_EQ(f.windows.list()[0].id, id) << "topmost first";
    EXPECT_EQ(f.windows.at(200, 180)->id, id) << "where both lie, the active one shows";
  }
  EXPECT_EQ(f.windows.at(one.frame.x + 30, one.frame.y + 4)->id, one.id) << "the title bar belongs to its window";
  EXPECT_FALSE(f.windows.at(1200, 700).has_value()) << "bare desktop";
  EXPECT_EQ(f.windows.minimize(two.id), std::nullopt);
  EXPECT_TRUE(f.now(two.id).has_state("minimized"));
  EXPECT_EQ(f.windows.activate(two.id), std::nullopt);
  EXPECT_FALSE(f.now(two.id).has_state("minimized"));
}

TEST(Windows, move_sets_the_frame_or_tells_what_came_out) {
  Fixture f;
  const Window editor = f.opened({"mousepad"});
  const Rect wanted{50, 60, 700, 500};
  EXPECT_EQ(f.windows.move_resize(editor.id, wanted), std::nullopt);
  const Rect frame = f.now(editor.id).frame;
  EXPECT_EQ(frame.x, 50);
  EXPECT_EQ(frame.y, 60);
  EXPECT_EQ(frame.width, 700);
  EXPECT_EQ(frame.height, 500);

  EXPECT_EQ(f.windows.set_maximized(editor.id, true), std::nullopt);
  EXPECT_TRUE(f.now(editor.id).has_state("maximized"));
  // The window manager takes its border away a moment after it has said so.
  const auto fills_the_screen = [&](const Window& window) {
    return window.id == editor.id && window.frame.width == 1280;
  };
  EXPECT_TRUE(f.windows.wait_for(fills_the_screen, 10s).has_value());
  EXPECT_EQ(f.windows.move_resize(editor.id, wanted), std::nullopt);

  const Window terminal = f.opened({"xterm"});  // its size goes in steps of a character
  const WindowProblem problem = f.windows.move_resize(terminal.id, {10, 20, 333, 222});
  ASSERT_TRUE(problem.has_value());
  EXPECT_THAT(*problem, HasSubstr("asked for 333x222 at (10, 20), but the window is now"));
  EXPECT_EQ(f.now(terminal.id).frame.x, 10);
}

TEST(Windows, close_waits_until_it_is_gone_and_names_what_stands_in_the_way) {
  Fixture f;
  const Window xterm = f.opened({"xterm"});
  EXPECT_EQ(f.windows.close(xterm.id), std::nullopt);
  EXPECT_TRUE(f.windows.list().empty());
  EXPECT_THAT(*f.windows.close(xterm.id), HasSubstr("there is no window"));
  EXPECT_THAT(*f.windows.activate(xterm.id), HasSubstr("there is no window"));
  EXPECT_THAT(*f.windows.move_resize(xterm.id, {0, 0, 100, 100}), HasSubstr("there is no window"));
}

TEST(Windows, a_window_that_vanishes_at_any_moment_is_survived) {
  Fixture f;
  for (int round = 0; round < 6; ++round) {
    const DesktopProcess process = f.desktop.launch({"xterm"});
    const auto window = f.windows.wait_for([&](const Window& w) { return belongs_to_session(w, process.pid()); }, 20s);
    ASSERT_TRUE(window.has_value());
    process.kill();
    (void)f.windows.find(window->id);
    (void)f.windows.list();
    (void)f.windows.at(window->client.x + 5, window->client.y + 5);
    (void)f.windows.activate(window->id, 50ms);
    (void)f.windows.move_resize(window->id, {1, 1, 200, 200}, 50ms);
    (void)f.windows.close(window->id, 50ms);
  }
  for (int i = 0; i < 2000 && !f.windows.list().empty(); ++i) poll(nullptr, 0, 5);
  EXPECT_TRUE(f.windows.list().empty());
}

TEST(Windows, waiting_ends_when_stopped) {
  Fixture f;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(f.windows.wait_for([](const Window&) { return true; }, 60s, stop.get_token()), std::nullopt);
}

TEST(Windows, without_a_window_manager_windows_are_seen_but_not_moved) {
  PrivateDesktop desktop = PrivateDesktop::start({.window_manager = DesktopOptions::WindowManager::None});
  const Windows windows = Windows::open(desktop.display());
  EXPECT_FALSE(windows.has_window_manager());
  desktop.launch({"xterm", "-T", "bare"});
  const auto window = windows.wait_for([](const Window& w) { return w.title == "bare"; }, 20s);
  ASSERT_TRUE(window.has_value());
  for (const WindowProblem& problem :
       {windows.activate(window->id), windows.move_resize(window->id, {0, 0, 100, 100}), windows.close(window->id)})
    EXPECT_THAT(problem.value_or(""), HasSubstr("no window manager runs on " + desktop.display()));
}

TEST(Windows, a_display_that_is_not_there_is_named) {
  const char* old = getenv("DISPLAY");
  const std::string saved = old ? old : "";
  unsetenv("DISPLAY");
  EXPECT_THROW(
      try { Windows::open(); } catch (const capture::Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("DISPLAY is not set"));
        throw;
      },
      capture::Error);
  if (old) setenv("DISPLAY", saved.c_str(), 1);
  EXPECT_THROW(Windows::open(":4711"), capture::Error);
}

TEST(Windows, consent_keyring_and_own_windows_are_the_users_alone) {
  Window window;
  window.title = "Share";
  window.process_name = "mousepad";
  EXPECT_EQ(protection_of(window), std::nullopt);
  for (const char* name : {"xdg-desktop-portal-gtk", "polkit-gnome-authentication-agent-1", "lxpolkit", "gcr-prompter",
                           "kwalletd5", "pinentry-gtk-2", "gnome-keyring-daemon"}) {
    window.process_name = name;
    EXPECT_THAT(protection_of(window).value_or(""), HasSubstr(name));
  }
  window.process_name = "deskhand";
  window.pid = getpid();
  EXPECT_THAT(protection_of(window).value_or(""), HasSubstr("Deskhand's own"));
}

}  // namespace
}  // namespace tools
