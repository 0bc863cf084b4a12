// The ear of a demonstration on a real X server.

#include "tools/input_listener.h"

#include <gtest/gtest.h>

#include "capture/error.h"
#include "tests/desk/x_server.h"

namespace desk_test {
namespace {

TEST(InputListener, says_that_its_server_is_gone) {
  TestXServer server;
  tools::InputListener listener(server.display());
  EXPECT_TRUE(listener.read(std::chrono::milliseconds(0)).empty());
  server.kill_now();
  EXPECT_THROW(for (int n = 0; n < 100; ++n) listener.read(std::chrono::milliseconds(100)), capture::Error);
}

}  // namespace
}  // namespace desk_test
