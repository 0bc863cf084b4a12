#pragma once
// A real X server (Xvfb) for one test, gone with its clients when the test ends.

#include <sys/types.h>

#include <string>
#include <vector>

namespace desk_test {

// Starts Xvfb on a free display number and waits until it answers. Killed in the destructor, and by the kernel when
// the test program dies.
class TestXServer {
 public:
  struct Options {
    int width = 1280, height = 800;
    std::vector<std::string> extra_arguments{};  // for Xvfb, for example {"-extension", "MIT-SHM"}
    bool lets_everyone_in = true;                // false: clients need a cookie
  };

  TestXServer() : TestXServer(Options{}) {}
  explicit TestXServer(const Options& options);
  ~TestXServer();
  TestXServer(const TestXServer&) = delete;
  TestXServer& operator=(const TestXServer&) = delete;

  const std::string& display() const { return display_; }  // ":7"
  pid_t pid() const { return pid_; }
  void kill_now();  // as if it crashed

 private:
  pid_t pid_ = -1;
  std::string display_;
};

// A program on that server, killed with its process group in the destructor. Output goes to /dev/null.
class TestProgram {
 public:
  // `environment` entries are NAME=VALUE and come on top of the test's own.
  TestProgram(const std::string& display, const std::vector<std::string>& command,
              const std::vector<std::string>& environment = {});
  ~TestProgram();
  TestProgram(const TestProgram&) = delete;
  TestProgram& operator=(const TestProgram&) = delete;

  pid_t pid() const { return pid_; }
  int wait_for_exit();  // the exit code, or 128 + signal

 private:
  pid_t pid_ = -1;
};

}  // namespace desk_test
