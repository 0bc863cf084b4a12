#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "capture/x11_source.h"
#include "tests/desk/test_window.h"
#include "tests/desk/x_server.h"

namespace capture {
namespace {

using desk_test::TestProgram;
using desk_test::TestWindow;
using desk_test::TestXServer;
using testing::HasSubstr;

std::unique_ptr<X11Source> open_window(const TestXServer& server, const TestWindow& window) {
  return X11Source::open({.display = server.display(), .target = OneWindow{window.id()}});
}

std::uint32_t colour_at(const Frame& frame, int x, int y) {
  return frame.pixels.at<std::uint32_t>(y, x) & 0xffffff;
}

// Paints its window anew when the server says that its content was lost, as programs do.
class Painter {
 public:
  Painter(TestWindow& window, std::uint32_t colour) : window_(window), colour_(colour) {
    const std::uint32_t events = XCB_EVENT_MASK_EXPOSURE;
    xcb_change_window_attributes(window.connection(), window.id(), XCB_CW_EVENT_MASK, &events);
    window.sync();
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
  }

 private:
  void run(std::stop_token stop) {
    while (!stop.stop_requested()) {
      while (xcb_generic_event_t* event = xcb_poll_for_event(window_.connection())) {
        if ((event->response_type & 0x7f) == XCB_EXPOSE) window_.fill({0, 0, 4000, 4000}, colour_);
        free(event);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  TestWindow& window_;
  std::uint32_t colour_;
  std::jthread thread_;
};

TEST(CaptureWindow, a_covered_window_is_seen_whole_and_its_neighbours_are_not) {
  TestXServer server;
  TestWindow target(server.display(), {100, 100, 300, 200}, 0x111111);
  Painter painter(target, 0x00ff00);
  TestWindow secret(server.display(), {50, 50, 600, 400}, 0xff00ff);
  const auto source = open_window(server, target);
  const Grab grab = source->grab();
  ASSERT_TRUE(grab) << grab.error;
  EXPECT_EQ(grab.frame->screen_map.area_pt(), (Rect{100, 100, 300, 200}));
  int n_wrong = 0;
  for (int y = 0; y < 200; ++y) {
    for (int x = 0; x < 300; ++x) n_wrong += colour_at(*grab.frame, x, y) != 0x00ff00;
  }
  EXPECT_EQ(n_wrong, 0);
}

TEST(CaptureWindow, the_focus_stays_where_it_was) {
  TestXServer server;
  TestWindow target(server.display(), {100, 100, 300, 200}, 0x222222);
  xcb_set_input_focus(target.connection(), XCB_INPUT_FOCUS_PARENT, target.id(), XCB_CURRENT_TIME);
  target.sync();
  const auto focus = [&] {
    auto* reply = xcb_get_input_focus_reply(target.connection(), xcb_get_input_focus(target.connection()), nullptr);
    const xcb_window_t window = reply->focus;
    free(reply);
    return window;
  };
  ASSERT_EQ(focus(), target.id());
  {
    const auto source = open_window(server, target);
    ASSERT_TRUE(source->grab());
    EXPECT_EQ(focus(), target.id());
  }
  target.sync();
  EXPECT_EQ(focus(), target.id());
}

TEST(CaptureWindow, what_it_paints_later_is_seen) {
  TestXServer server;
  TestWindow target(server.display(), {10, 10, 50, 50}, 0x222222);
  const auto source = open_window(server, target);
  ASSERT_TRUE(source->grab());
  TestWindow cover(server.display(), {0, 0, 100, 100}, 0xffffff);
  for (std::uint32_t i = 0; i < 50; ++i) {
    target.fill({static_cast<int>(i), 20, 1, 1}, 0x010101 * i);
    const Grab grab = source->grab();
    ASSERT_TRUE(grab) << grab.error;
    ASSERT_EQ(colour_at(*grab.frame, static_cast<int>(i), 20), 0x010101 * i);
  }
}

TEST(CaptureWindow, moves_and_sizes_are_followed) {
  TestXServer server;
  TestWindow target(server.display(), {10, 10, 50, 50}, 0x333333);
  const auto source = open_window(server, target);
  ASSERT_TRUE(source->grab());
  target.place({200, 300, 70, 30});
  const Grab grab = source->grab();
  ASSERT_TRUE(grab) << grab.error;
  EXPECT_EQ(grab.frame->screen_map.area_pt(), (Rect{200, 300, 70, 30}));
  target.place({-20, -10, 70, 30});  // partly outside the screen: still whole
  const Grab outside = source->grab();
  ASSERT_TRUE(outside) << outside.error;
  EXPECT_EQ(colour_at(*outside.frame, 0, 0), 0x333333u);
  EXPECT_EQ(outside.frame->screen_map.area_pt(), (Rect{-20, -10, 70, 30}));
}

TEST(CaptureWindow, hidden_gone_and_never_there_are_errors) {
  TestXServer server;
  TestWindow target(server.display(), {10, 10, 50, 50}, 0x444444);
  const auto source = open_window(server, target);
  ASSERT_TRUE(source->grab());
  target.hide();
  EXPECT_THAT(source->grab().error, HasSubstr("is not shown"));
  target.show();
  EXPECT_TRUE(source->grab());
  target.destroy();
  EXPECT_THAT(source->grab().error, HasSubstr("is gone"));
  const auto never = X11Source::open({.display = server.display(), .target = OneWindow{0x7fffffff}});
  EXPECT_THAT(never->grab().error, HasSubstr("Window 0x7fffffff is gone"));
}

TEST(CaptureWindow, windows_that_come_and_go_during_the_grab_do_no_harm) {
  TestXServer server;
  int n_pictures = 0, n_reasons = 0;
  for (int round = 0; round < 12; ++round) {
    TestWindow target(server.display(), {10, 10, 400, 300}, 0x00ff00);
    const auto source = open_window(server, target);
    ASSERT_TRUE(source->grab());
    std::jthread chaos([&] {
      for (int i = 1; i < 100; ++i) target.place({i, i, 400 - i, 300 + i});
      target.destroy();
    });
    for (bool is_there = true; is_there;) {
      const Grab grab = source->grab();
      is_there = bool(grab);
      ++(grab ? n_pictures : n_reasons);
      ASSERT_EQ(bool(grab), grab.error.empty());
    }
  }
  EXPECT_EQ(n_reasons, 12);
  EXPECT_GT(n_pictures, 12);
}

class PropertyReader {
 public:
  explicit PropertyReader(const std::string& display) : x_(xcb_connect(display.c_str(), nullptr)) {}
  ~PropertyReader() { xcb_disconnect(x_); }

  xcb_window_t root() const { return xcb_setup_roots_iterator(xcb_get_setup(x_)).data->root; }

  std::vector<std::uint32_t> read(xcb_window_t window, const std::string& name) {
    const auto atom_cookie = xcb_intern_atom(x_, 0, static_cast<std::uint16_t>(name.size()), name.c_str());
    auto* atom = xcb_intern_atom_reply(x_, atom_cookie, nullptr);
    auto* reply = xcb_get_property_reply(x_, xcb_get_property(x_, 0, window, atom->atom, XCB_ATOM_ANY, 0, 16), nullptr);
    const auto* values = static_cast<std::uint32_t*>(xcb_get_property_value(reply));
    std::vector<std::uint32_t> result(values, values + reply->length);
    free(atom);
    free(reply);
    return result;
  }

  std::vector<std::uint32_t> wait_for(xcb_window_t window, const std::string& name) {
    for (int i = 0; i < 1000 && read(window, name).empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return read(window, name);
  }

 private:
  xcb_connection_t* x_;
};

TEST(CaptureWindow, under_a_window_manager_the_frame_does_not_count) {
  TestXServer server;
  PropertyReader properties(server.display());
  // Started by openbox, which may overlook a window that appears while it starts.
  TestProgram manager(server.display(),
                      {"openbox", "--startup", "xterm -geometry 40x10+200+150 -bg '#204060' -e sleep 60"});
  const auto windows = properties.wait_for(properties.root(), "_NET_CLIENT_LIST");
  ASSERT_EQ(windows.size(), 1u);
  const auto source = X11Source::open({.display = server.display(), .target = OneWindow{windows[0]}});
  Grab grab = source->grab();
  for (int i = 0; i < 500 && (!grab || colour_at(*grab.frame, 100, 60) != 0x204060); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    grab = source->grab();
  }
  ASSERT_TRUE(grab) << grab.error;
  const Frame& frame = *grab.frame;
  EXPECT_EQ(colour_at(frame, frame.pixels.cols - 1, frame.pixels.rows - 1), 0x204060u);
  const auto extents = properties.read(windows[0], "_NET_FRAME_EXTENTS");
  ASSERT_EQ(extents.size(), 4u);
  EXPECT_GT(extents[2], 0u);  // there is a title bar, and the picture starts below it
  EXPECT_EQ(frame.screen_map.area_pt().x, static_cast<int>(200 + extents[0]));
  EXPECT_EQ(frame.screen_map.area_pt().y, static_cast<int>(150 + extents[2]));
}

}  // namespace
}  // namespace capture
