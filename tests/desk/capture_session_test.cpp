#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "capture/error.h"
#include "capture/session_kind.h"
#include "capture/x11_source.h"
#include "tests/desk/test_window.h"
#include "tests/desk/x_server.h"

namespace capture {
namespace {

using desk_test::TestProgram;
using desk_test::TestWindow;
using desk_test::TestXServer;
using testing::HasSubstr;

TEST(Session, an_x_server_shows_everything) {
  TestXServer server;
  const Session session = detect_session({.display = server.display(), .wayland_display = ""});
  EXPECT_EQ(session.kind, SessionKind::X11) << session.explanation;
}

TEST(Session, without_a_display_it_says_what_to_do) {
  const Session nothing = detect_session({.display = "", .wayland_display = ""});
  EXPECT_EQ(nothing.kind, SessionKind::None);
  EXPECT_THAT(nothing.explanation, HasSubstr("private desktop"));
  const Session wayland = detect_session({.display = "", .wayland_display = "wayland-0"});
  EXPECT_EQ(wayland.kind, SessionKind::WaylandOnly);
  EXPECT_THAT(wayland.explanation, HasSubstr("private desktop"));
  const Session dead = detect_session({.display = ":4711", .wayland_display = ""});
  EXPECT_EQ(dead.kind, SessionKind::None);
  EXPECT_THAT(dead.explanation, HasSubstr("No X server answers at :4711"));
}

// A compositor without a screen, with an XWayland for its X programs.
class Weston {
 public:
  Weston() : folder_(std::filesystem::temp_directory_path() / ("weston_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    chmod(folder_.c_str(), 0700);
    program_ = std::make_unique<TestProgram>(
        "",
        std::vector<std::string>{"weston", "--backend=headless-backend.so", "--xwayland", "--idle-time=0",
                                 "--socket=wl", "--log=" + log().string()},
        std::vector<std::string>{"XDG_RUNTIME_DIR=" + folder_.string()});
  }
  ~Weston() {
    program_.reset();
    std::filesystem::remove_all(folder_);
  }

  // The number of its X display, which it writes into its log; empty when it doesn't come.
  std::string display() const {
    for (int i = 0; i < 1000; ++i) {
      std::ifstream file(log());
      const std::string text(std::istreambuf_iterator<char>(file), {});
      const std::string mark = "listening on display ";
      const std::size_t at = text.find(mark);
      if (at != std::string::npos && text.find('\n', at) != std::string::npos) {
        return text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return "";
  }

 private:
  std::filesystem::path log() const { return folder_ / "log"; }

  std::filesystem::path folder_;
  std::unique_ptr<TestProgram> program_;
};

bool is_installed(const std::string& program) {
  return access(("/usr/bin/" + program).c_str(), X_OK) == 0;
}

TEST(Session, rootless_xwayland_shows_single_windows_only_and_says_so) {
  if (!is_installed("weston") || !is_installed("Xwayland")) {
    GTEST_SKIP() << "weston and xwayland are not installed";
  }
  const Weston weston;
  const std::string display = weston.display();
  ASSERT_FALSE(display.empty());
  const Session session = detect_session({.display = display, .wayland_display = "wl"});
  EXPECT_EQ(session.kind, SessionKind::XWaylandRootless) << session.explanation;
  EXPECT_THAT(session.explanation, HasSubstr("single windows of X programs"));
  std::string message;
  try {
    (void)X11Source::open({.display = display, .target = WholeDesktop{}});
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_EQ(message, session.explanation);

  TestWindow window(display, {100, 100, 200, 100}, 0x204060);
  const auto source = X11Source::open({.display = display, .target = OneWindow{window.id()}});
  window.fill({0, 0, 200, 100}, 0x204060);
  const Grab grab = source->grab();
  ASSERT_TRUE(grab) << grab.error;
  EXPECT_EQ(grab.frame->pixels.at<std::uint32_t>(50, 100) & 0xffffff, 0x204060u);
}

}  // namespace
}  // namespace capture
