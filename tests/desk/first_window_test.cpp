// A program that opens its window in the very moment a private desktop is ready.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tools/private_desktop.h"

// Last: Xlib's macros have common names.
#include "tests/desk/input_window.h"

namespace tools {
namespace {

// Three desktops start at a time, so that their parts get ready in ever different orders.
TEST(FirstWindow, gets_a_frame_on_every_fresh_desktop) {
  std::vector<std::thread> starters;
  for (int starter_idx = 0; starter_idx < 3; ++starter_idx) {
    starters.emplace_back([] {
      for (int start_idx = 0; start_idx < 3; ++start_idx) {
        const PrivateDesktop desktop = PrivateDesktop::start();
        desk_test::InputWindow window(desktop.display(), {});
        EXPECT_TRUE(window.wait_for_count(ReparentNotify, 1)) << "openbox did not take the window";
      }
    });
  }
  for (std::thread& starter : starters) starter.join();
}

}  // namespace
}  // namespace tools
