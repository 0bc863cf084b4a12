#include "tests/desk/x_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace desk_test {
namespace {

// Runs in the child: becomes the leader of its own group, dies with the test program, says nothing.
[[noreturn]] void become(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                         pid_t parent, int kept_fd) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
  if (kept_fd >= 0) fcntl(kept_fd, F_SETFD, 0);
  std::vector<std::string> copy = command, variables = environment;
  for (std::string& variable : variables) putenv(variable.data());
  std::vector<char*> arguments;
  for (std::string& argument : copy) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

pid_t start(const std::vector<std::string>& command, const std::vector<std::string>& environment, int kept_fd) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("fork failed");
  if (pid == 0) become(command, environment, parent, kept_fd);
  setpgid(pid, pid);
  return pid;
}

int reap(pid_t& pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  pid = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void kill_group(pid_t& pid) {
  if (pid < 0) return;
  kill(-pid, SIGKILL);
  reap(pid);
}

}  // namespace

TestXServer::TestXServer(const Options& options) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  const std::string screen = std::to_string(options.width) + "x" + std::to_string(options.height) + "x24";
  // -noreset: without it the server forgets monitors and keymaps when its last client leaves. -ac: no cookie needed.
  std::vector<std::string> command = {
      "Xvfb", "-displayfd", std::to_string(ready[1]), "-screen", "0", screen, "-noreset", "-nolisten", "tcp"};
  if (options.lets_everyone_in) command.emplace_back("-ac");
  command.insert(command.end(), options.extra_arguments.begin(), options.extra_arguments.end());
  pid_ = start(command, {}, ready[1]);
  close(ready[1]);
  std::string number;  // the server writes "7\n" once it accepts connections
  for (char c = 0; read(ready[0], &c, 1) == 1 && c != '\n';) number += c;
  close(ready[0]);
  if (number.empty()) {
    kill_group(pid_);
    throw std::runtime_error("Xvfb did not start");
  }
  display_ = ":" + number;
}

TestXServer::~TestXServer() {
  kill_now();
}

void TestXServer::kill_now() {
  if (pid_ < 0) return;
  // SIGTERM lets it remove its socket and lock file; a server with nothing to wait for goes at once.
  kill(pid_, SIGTERM);
  for (int i = 0; i < 200; ++i) {
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      return;
    }
    usleep(5000);
  }
  kill_group(pid_);
}

TestProgram::TestProgram(const std::string& display, const std::vector<std::string>& command,
                         const std::vector<std::string>& environment) {
  std::vector<std::string> variables = environment;
  variables.push_back("DISPLAY=" + display);
  pid_ = start(command, variables, -1);
}

TestProgram::~TestProgram() {
  kill_group(pid_);
}

int TestProgram::wait_for_exit() {
  return reap(pid_);
}

}  // namespace desk_test
