#include "tests/desk/x_server.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <memory>

namespace desk_test {
namespace {

TEST(TestXServer, answers_with_the_size_asked_for_and_is_gone_afterwards) {
  std::string display;
  {
    TestXServer server({.width = 640, .height = 480, .extra_arguments = {}});
    display = server.display();
    xcb_connection_t* connection = xcb_connect(display.c_str(), nullptr);
    ASSERT_EQ(xcb_connection_has_error(connection), 0);
    const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    EXPECT_EQ(screen->width_in_pixels, 640);
    EXPECT_EQ(screen->height_in_pixels, 480);
    xcb_disconnect(connection);
  }
  EXPECT_NE(access(("/tmp/.X11-unix/X" + display.substr(1)).c_str(), F_OK), 0);
}

TEST(TestXServer, several_run_at_once) {
  TestXServer first, second;
  EXPECT_NE(first.display(), second.display());
}

TEST(TestProgram, tells_its_exit_code_and_sees_the_display) {
  TestProgram program(":123", {"sh", "-c", "test $DISPLAY = :123 && exit 7"});
  EXPECT_EQ(program.wait_for_exit(), 7);
}

}  // namespace
}  // namespace desk_test
