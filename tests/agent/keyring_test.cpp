// Keys and secrets from a real keyring: gnome-keyring on a session bus of its own, filled by secret-tool.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stop_token>
#include <string>
#include <thread>

#include "agent/credentials.h"
#include "agent/error.h"

namespace agent {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return output;
}

class KeyringTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"}) {
      fs::create_directories(root_ / name);
      ::chmod((root_ / name).c_str(), 0700);
      ::setenv(name, (root_ / name).c_str(), 1);
    }
    const std::string started = output_of("dbus-daemon --session --fork --print-address=1 --print-pid=1");
    const std::size_t line_end = started.find('\n');
    bus_pid_ = std::stoi(started.substr(line_end + 1));
    ::setenv("DBUS_SESSION_BUS_ADDRESS", started.substr(0, line_end).c_str(), 1);
    output_of("printf 'a password' | gnome-keyring-daemon --unlock --daemonize --components=secrets");
  }
  void TearDown() override {
    ::kill(bus_pid_, SIGTERM);
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}) {
      ::unsetenv(name);
    }
    // The keyring goes with its bus, a moment later, and writes until then.
    std::error_code still_written;
    for (int i = 0; i < 1000 && fs::exists(root_); ++i) {
      fs::remove_all(root_, still_written);
      if (still_written) ::usleep(10'000);
    }
  }
  static void store(const std::string& value, const std::string& attributes) {
    output_of("printf %s '" + value + "' | secret-tool store --label=Deskhand service deskhand " + attributes);
  }

  fs::path root_ = fs::path(::testing::TempDir()) / ("keyring" + std::to_string(::getpid()));
  pid_t bus_pid_ = 0;
};

TEST_F(KeyringTest, keys_and_secrets_are_found_by_host_and_name) {
  store("sk-from-the-keyring", "host gpu:8000");
  store("12 34", "secret pin");
  EXPECT_EQ(server_key("gpu:8000"), "sk-from-the-keyring");
  EXPECT_EQ(server_key("gpu"), std::nullopt);
  EXPECT_EQ(named_secret("pin"), "12 34");
  EXPECT_THROW(named_secret("puk"), Error);
}

// A session bus that takes a connection and says nothing, as a keyring does that waits to be unlocked.
TEST(SilentKeyring, is_not_waited_for_once_the_question_is_stopped) {
  ::alarm(25);  // before the time after which it is given up anyway
  const fs::path path = fs::path(::testing::TempDir()) / ("bus" + std::to_string(::getpid()));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int bus = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(bus, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(bus, 1), 0);
  ::setenv("DBUS_SESSION_BUS_ADDRESS", ("unix:path=" + path.string()).c_str(), 1);
  std::stop_source stop;
  std::jthread user([&] {
    const int client = ::accept(bus, nullptr, nullptr);
    stop.request_stop();
    char byte = 0;
    while (::read(client, &byte, 1) > 0) {  // until who asked is gone
    }
    ::close(client);
  });
  EXPECT_EQ(from_keyring("host", "gpu:8000", stop.get_token()), std::nullopt);
  user.join();
  ::close(bus);
  ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
  fs::remove(path);
  ::alarm(0);
}

}  // namespace
}  // namespace agent
