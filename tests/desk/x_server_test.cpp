#include "tests/desk/x_server.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <xcb/xcb.h>

#include <cerrno>

namespace desk_test {
namespace {

TEST(TestXServer, answers_with_the_size_asked_for_and_is_gone_afterwards) {
  pid_t pid = 0;
  {
    TestXServer server({.width = 640, .height = 480, .extra_arguments = {}});
    pid = server.pid();
    xcb_connection_t* connection = xcb_connect(server.display().c_str(), nullptr);
    ASSERT_EQ(xcb_connection_has_error(connection), 0);
    const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    EXPECT_EQ(screen->width_in_pixels, 640);
    EXPECT_EQ(screen->height_in_pixels, 480);
    xcb_disconnect(connection);
  }
  // Not its socket: a test beside this one may have got the same number by now.
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
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
