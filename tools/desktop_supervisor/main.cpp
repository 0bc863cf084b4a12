// Keeps the processes of one private desktop: starts what it is told over a socket, and when that socket closes (the
// program ended, however it ended) ends every one of them with all their descendants and removes the desktop's
// directory.
//
// Usage: deskhand-desktop SOCKET_FD LOCK_FD PARENT_PID DIRECTORY
// It is two processes, each ready to end the desktop when the other is killed: the inner one serves, the outer one
// waits. Descendants that leave their parents or sessions are found too, because both are subreapers. A PID namespace
// would do the same, but then _NET_WM_PID and AT-SPI would name processes by numbers nobody outside knows.

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/desktop_directory.h"
#include "tools/desktop_supervisor/home_guard.h"
#include "tools/process_tree.h"

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr auto kGraceToTerminate = std::chrono::milliseconds(700);
constexpr auto kLimitToKill = std::chrono::seconds(5);
constexpr size_t kLargestMessageBytes = 1 << 20;

class Desktop {
 public:
  Desktop(int socket, std::string directory) : socket_(socket), directory_(std::move(directory)) {}

  // `parent_fd` tells of the program's end even if some forked child of it still holds the socket.
  void serve(int parent_fd) {
    sigset_t signals;
    sigemptyset(&signals);
    for (int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, &old_mask_);
    const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    pollfd watched[] = {{socket_, POLLIN, 0}, {signal_fd, POLLIN, 0}, {parent_fd, POLLIN, 0}};
    for (bool ending = false; !ending;) {
      if (poll(watched, 3, -1) < 0 && errno != EINTR) break;
      signalfd_siginfo info;
      while (read(signal_fd, &info, sizeof info) == sizeof info) ending |= info.ssi_signo != SIGCHLD;
      reap();
      if (watched[0].revents != 0) ending |= !answer_one();
      ending |= watched[2].revents != 0;
    }
  }

  void end_everything() {
    signal_all_until_gone(SIGTERM, kGraceToTerminate);
    signal_all_until_gone(SIGKILL, kLimitToKill);
    remove_what_the_x_server_left();
    tools::remove_desktop_directory(directory_);
  }

 private:
  // False: the program is gone or wants the end.
  bool answer_one() {
    std::vector<char> message(kLargestMessageBytes);
    const ssize_t n_bytes = recv(socket_, message.data(), message.size(), 0);
    if (n_bytes < 0 && errno == EINTR) return true;
    if (n_bytes <= 0) return false;
    const json request = json::parse(message.data(), message.data() + n_bytes, nullptr, false);
    if (!request.is_object()) return false;
    const std::string what = request.value("do", "");
    if (what == "end") return false;
    json reply = json::object();
    if (what == "launch") reply = launch(request);
    if (what == "guard") reply = guard(request);
    if (what == "status") reply = status(request.value("pid", 0));
    if (what == "signal") reply = signal_group(request.value("pid", 0), request.value("signal", SIGTERM));
    if (what == "display") x_socket_ = request.value("socket", "");
    reply["serial"] = request.value("serial", std::int64_t{0});
    const std::string text = reply.dump(-1, ' ', false, json::error_handler_t::replace);
    return send(socket_, text.data(), text.size(), MSG_NOSIGNAL) >= 0;
  }

  // From now on programs can't change the user's home, unless the kernel refuses: then they run as without it.
  json guard(const json& request) {
    const desktop_supervisor::HomeGuard wanted{request.at("homes"), request.at("writable")};
    if (const auto problem = desktop_supervisor::try_to_enter(wanted)) return {{"error", *problem}};
    guard_ = wanted;
    return json::object();
  }

  json launch(const json& request) {
    int failure[2];
    if (pipe2(failure, O_CLOEXEC) != 0) return {{"error", strerror(errno)}};
    const int low_fd = failure[1];
    failure[1] = fcntl(low_fd, F_DUPFD_CLOEXEC, 10);  // out of the way of the announcing descriptor 3
    close(low_fd);
    const std::vector<std::string> argv = request.at("argv");
    const std::vector<std::string> environment = request.at("environment");
    const pid_t pid = fork();
    if (pid < 0) {
      const int error = errno;
      for (const int end : failure) close(end);
      return {{"error", strerror(error)}};
    }
    if (pid == 0) run_child(request, argv, environment, failure[1]);
    close(failure[1]);
    int error = 0;
    const bool failed = read(failure[0], &error, sizeof error) == sizeof error;
    close(failure[0]);
    if (failed) {
      waitpid(pid, nullptr, 0);
      return {{"error", strerror(error)}, {"errno", error}};
    }
    running_or_ended_[pid] = {};
    return {{"pid", pid}};
  }

  [[noreturn]] void run_child(const json& request, const std::vector<std::string>& argv,
                              const std::vector<std::string>& environment, int failure_fd) {
    const auto check = [&](bool good) {
      if (good) return;
      const int error = errno;
      (void)!write(failure_fd, &error, sizeof error);
      _exit(127);
    };
    const pid_t supervisor = getppid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != supervisor) _exit(127);
    setsid();
    sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
    const int input = open("/dev/null", O_RDONLY);
    const int log = open(request.at("log").get<std::string>().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    check(input >= 0 && log >= 0);
    dup2(input, 0);
    dup2(log, 1);
    dup2(log, 2);
    if (const auto problem = desktop_supervisor::enter(guard_)) {
      fprintf(stderr, "the user's home can't be made read-only (%s)\n", problem->c_str());
      errno = EPERM;
      check(false);
    }
    if (const std::string announce = request.value("announce", ""); !announce.empty()) {
      // A program that tells its address does so on descriptor 3.
      const int fifo = open(announce.c_str(), O_WRONLY | O_NONBLOCK);
      check(fifo >= 0);
      check(fifo == 3 || dup2(fifo, 3) == 3);
      fcntl(3, F_SETFD, 0);
      fcntl(3, F_SETFL, 0);
      if (fifo != 3) close(fifo);
    }
    close_range(4, ~0U, CLOSE_RANGE_CLOEXEC);
    check(chdir(request.at("directory").get<std::string>().c_str()) == 0);
    std::vector<char*> arguments, variables;
    for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
    for (const std::string& variable : environment) variables.push_back(const_cast<char*>(variable.c_str()));
    arguments.push_back(nullptr);
    variables.push_back(nullptr);
    environ = variables.data();
    execvp(arguments[0], arguments.data());
    check(false);
    _exit(127);
  }

  json status(pid_t pid) {
    reap();
    const auto found = running_or_ended_.find(pid);
    if (found == running_or_ended_.end()) return {{"error", "no such process on this desktop"}};
    const Ended& ended = found->second;
    if (!ended.has_ended) return {{"running", true}};
    if (WIFSIGNALED(ended.status)) return {{"running", false}, {"signal", WTERMSIG(ended.status)}};
    return {{"running", false}, {"exit_code", WEXITSTATUS(ended.status)}};
  }

  // To the program and all that belongs to its session: each program leads its own.
  json signal_group(pid_t pid, int signal) {
    reap();
    const auto found = running_or_ended_.find(pid);
    if (found == running_or_ended_.end()) return {{"error", "no such process on this desktop"}};
    if (found->second.has_ended) return json::object();
    for (const pid_t process : tools::descendants(getpid()))
      if (getsid(process) == pid) kill(process, signal);
    return json::object();
  }

  void reap() {
    int status = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto found = running_or_ended_.find(pid);
      if (found != running_or_ended_.end()) found->second = {true, status};
    }
  }

  void signal_all_until_gone(int signal, Clock::duration limit) {
    const Clock::time_point deadline = Clock::now() + limit;
    bool first = true;
    while (Clock::now() < deadline) {
      reap();
      const std::vector<pid_t> processes = tools::descendants(getpid());
      if (processes.empty()) return;
      if (first || signal == SIGKILL)
        for (const pid_t pid : processes) kill(pid, signal);
      first = false;
      poll(nullptr, 0, 5);
    }
  }

  // A killed X server leaves its socket. But another one may have got the number since, and servers take a number by
  // its abstract socket: while that is held here, the file is nobody's.
  void remove_what_the_x_server_left() {
    if (x_socket_.empty()) return;
    sockaddr_un number = {.sun_family = AF_UNIX, .sun_path = {}};
    const size_t n_bytes = std::min(x_socket_.size(), sizeof number.sun_path - 1);
    x_socket_.copy(number.sun_path + 1, n_bytes);
    const int held = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(held, reinterpret_cast<const sockaddr*>(&number), offsetof(sockaddr_un, sun_path) + 1 + n_bytes) == 0)
      unlink(x_socket_.c_str());
    close(held);
  }

  struct Ended {
    bool has_ended = false;
    int status = 0;
  };

  int socket_;
  std::string directory_;
  sigset_t old_mask_ = {};
  desktop_supervisor::HomeGuard guard_;
  std::string x_socket_;  // "/tmp/.X11-unix/X7"
  std::map<pid_t, Ended> running_or_ended_;
};

void serve_until_the_end(Desktop& desktop, int parent_fd) {
  try {
    desktop.serve(parent_fd);
  } catch (const std::exception& error) {
    // A malformed request is a bug of the program; the desktop still ends in order.
    fprintf(stderr, "deskhand-desktop: %s\n", error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int socket = std::atoi(argv[1]);
  const int lock = std::atoi(argv[2]);
  setsid();  // an interrupt at the terminal is the program's business
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const int fd : {socket, lock}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  signal(SIGPIPE, SIG_IGN);
  const pid_t parent = std::atoi(argv[3]);
  const int parent_fd = static_cast<int>(syscall(SYS_pidfd_open, parent, 0));
  const bool has_parent = parent_fd >= 0 && getppid() == parent;
  Desktop desktop(socket, argv[4]);
  const pid_t outer = getpid();
  const pid_t inner = has_parent ? fork() : -1;
  if (inner == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == outer) serve_until_the_end(desktop, parent_fd);
  } else if (inner > 0) {
    // The socket has to be the inner one's alone: its end of it tells the program that nobody answers any more.
    close(socket);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::signal(signal, SIG_IGN);
    while (waitpid(inner, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  desktop.end_everything();
  return 0;
}
