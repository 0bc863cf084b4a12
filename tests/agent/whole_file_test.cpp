// What is read whole must be a file, whoever names it: nothing here may wait or eat memory.

#include "agent/whole_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "agent/chat_template.h"
#include "agent/credentials.h"
#include "agent/error.h"
#include "agent/recorder.h"
#include "agent/rule_book.h"
#include "agent/trajectory.h"
#include "agent/workflow.h"
#include "tests/unit/tools/temporary_folder.h"

namespace agent {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  WholeFile() { ::alarm(60); }  // who waits for a pipe's other end, or reads on for ever, ends here
  ~WholeFile() override { ::alarm(0); }

  fs::path pipe(const std::string& name) const {
    const fs::path path = folder_.path() / name;
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path;
  }
  // What the Error says; fails when there is none.
  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }
  static std::string problem_with(const fs::path& path) {
    return error_of([&] { read_file(path); });
  }

  tools::TemporaryFolder folder_;
};

TEST_F(WholeFile, is_read_with_every_byte) {
  std::string bytes(200'000, 'x');
  bytes[70'000] = '\0';
  EXPECT_EQ(read_file(folder_.write("a", bytes)), bytes);
  EXPECT_EQ(read_file(folder_.write("empty", "")), "");
  EXPECT_THAT(read_file("/proc/self/status"), StartsWith("Name:")) << "which claims to have no bytes";
}

TEST_F(WholeFile, what_is_no_file_is_named_with_what_to_do) {
  const fs::path path = pipe("pipe");
  EXPECT_EQ(problem_with(path),
            path.string() + ": is a pipe, a socket or a device; put what comes from it into a file, and name that one");
  EXPECT_THAT(problem_with("/dev/zero"), HasSubstr("/dev/zero: is a pipe, a socket or a device"));
  EXPECT_THAT(problem_with(folder_.path()), HasSubstr("is a folder; name a file in it"));
  EXPECT_THAT(problem_with(folder_.path() / "none"), HasSubstr("none: can't be read: No such file or directory"));
  EXPECT_THAT(problem_with(std::string(5000, 'a')), HasSubstr("File name too long"));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const fs::path socket = folder_.path() / "socket";
  std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
  const tools::FileDescriptor bound(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(::bind(bound.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(problem_with(socket), HasSubstr("socket: is a pipe, a socket or a device"));
}

TEST_F(WholeFile, a_file_of_absurd_size_is_not_read) {
  const fs::path path = folder_.write("huge", "");
  fs::resize_file(path, std::uintmax_t{1} << 40);  // takes no room on the disk
  EXPECT_THAT(problem_with(path), HasSubstr("has more than the 64 MiB"));
}

TEST_F(WholeFile, nobody_waits_for_a_pipe) {
  const std::string words = "is a pipe, a socket or a device";
  pipe("chat_template.jinja");
  EXPECT_THAT(error_of([&] { ChatTemplate::load(folder_.path()); }), HasSubstr(words));
  const fs::path path = pipe("pipe");
  EXPECT_THAT(error_of([&] { RuleBook book(path); }), HasSubstr(words));
  EXPECT_THAT(error_of([&] { read_private_file(path); }), HasSubstr(words));
  const auto recorder = Recorder::open(folder_.path() / "sessions.db");
  EXPECT_THAT(error_of([&] { import_workflow(*recorder, path); }), HasSubstr(words));
  EXPECT_THAT(error_of([&] { import_trajectory(*recorder, path, ""); }), HasSubstr(words));
}

TEST_F(WholeFile, a_recordings_picture_that_is_a_pipe_counts_as_missing) {
  pipe("shot.png");
  const std::string step =
      R"json({"step_num": 1, "action": "pyautogui.typewrite('hi')", "screenshot_file": "shot.png"})json";
  const fs::path recording = folder_.write("traj.jsonl", step);
  const auto recorder = Recorder::open(folder_.path() / "sessions.db");
  const ImportedTrajectory imported = import_trajectory(*recorder, recording, "osworld");
  EXPECT_EQ(imported.n_actions, 1);
  EXPECT_EQ(imported.n_pictures, 0);
}

}  // namespace
}  // namespace agent
