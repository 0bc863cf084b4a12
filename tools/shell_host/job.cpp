#include "tools/shell_host/job.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "tools/process_tree.h"
#include "tools/shell_host/terminal_wait.h"

namespace tools::shell_host {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kStateFd = 250;  // far above what scripts use
constexpr winsize kTerminalSize = {50, 160, 0, 0};
constexpr auto kQuiet = 250ms;            // silence before we look whether the command waits
constexpr auto kQuietWhenBlind = 1000ms;  // the same when only the terminal's modes can be seen
constexpr auto kKillLimit = 1000ms;

// Runs the command, then leaves directory and exported variables in the state file. No marker goes through the output,
// so nothing that the command prints can be mistaken for one.
constexpr const char* kScript =
    "trap '{ printf \"%s\\0\" \"$PWD\"; /usr/bin/env -0; printf \"\\0\"; } >&250 2>/dev/null' EXIT\n"
    "eval \"shift; $1\"";

// What the minder says when bash has ended.
struct LastWord {
  int status;
  int has_left;
};

std::string read_whole(int fd) {
  struct stat file;
  if (fstat(fd, &file) != 0) return {};
  std::string bytes(static_cast<size_t>(file.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t size = pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (size <= 0) break;
    done += static_cast<size_t>(size);
  }
  bytes.resize(done);
  return bytes;
}

int open_terminal(std::string& slave_name) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  char name[64];
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, name, sizeof name) != 0) {
    if (master >= 0) close(master);
    return -1;
  }
  slave_name = name;
  return master;
}

[[noreturn]] void run_bash(const shell_protocol::Request& request, int slave, int state) {
  setpgid(0, 0);
  tcsetpgrp(slave, getpid());
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(state, kStateFd);
  for (int fd : {0, 1, 2}) dup2(slave, fd);
  close_range(3, kStateFd - 1, 0);
  close_range(kStateFd + 1, ~0U, 0);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (chdir(request.directory.c_str()) != 0) {
    dprintf(2, "shell: cannot enter %s: %s\n", request.directory.c_str(), std::strerror(errno));
    _exit(126);
  }
  std::vector<char*> environment;
  for (const std::string& variable : request.environment) environment.push_back(const_cast<char*>(variable.c_str()));
  environment.push_back(nullptr);
  const char* arguments[] = {"bash", "-c", kScript, "bash", request.command.c_str(), nullptr};
  execve("/bin/bash", const_cast<char* const*>(arguments), environment.data());
  dprintf(2, "shell: cannot start /bin/bash: %s\n", std::strerror(errno));
  _exit(127);
}

// Leads the session, waits for everyone, writes bash's wait status to the lifeline. Only SIGKILL ends it early.
[[noreturn]] void mind(const shell_protocol::Request& request, const std::string& slave_name, int lifeline, int state) {
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE, SIGUSR1, SIGUSR2})
    signal(number, SIG_IGN);
  const int slave = open(slave_name.c_str(), O_RDWR | O_CLOEXEC);
  if (slave < 0) _exit(1);
  ioctl(slave, TIOCSCTTY, 0);
  termios modes;
  if (tcgetattr(slave, &modes) == 0) {
    modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // the stored output keeps the program's own line ends
    modes.c_iflag |= IUTF8;
    tcsetattr(slave, TCSANOW, &modes);
  }
  ioctl(slave, TIOCSWINSZ, &kTerminalSize);
  const pid_t bash = fork();
  if (bash == 0) run_bash(request, slave, state);
  if (bash < 0) _exit(1);
  // Nobody but the lifeline stays open here: the terminal must end when the commands close it.
  dup2(lifeline, 3);
  close_range(4, ~0U, 0);
  for (int fd : {0, 1, 2}) close(fd);
  LastWord word{};
  for (pid_t ended; (ended = wait(&word.status)) > 0 || errno == EINTR;) {
    if (ended != bash) continue;
    // Those that ended with bash aren't left behind.
    pid_t other;
    while ((other = waitpid(-1, nullptr, WNOHANG)) > 0) continue;
    word.has_left = other == 0;
    if (write(3, &word, sizeof word) < 0) _exit(1);
  }
  _exit(0);
}

}  // namespace

std::optional<Job> Job::start(const shell_protocol::Message& message, std::string& error) {
  Job job;
  job.id_ = message.job;
  job.max_stored_bytes_ = message.value;
  if (message.fds.size() != 3) {
    for (int fd : message.fds) close(fd);
    error = "the request lacks its files";
    return std::nullopt;
  }
  const int request_fd = message.fds[0], state_fd = message.fds[2];
  job.output_ = message.fds[1];
  const auto request = shell_protocol::decode_request(read_whole(request_fd));
  std::string slave_name;
  int lifeline[2] = {-1, -1};
  job.terminal_ = open_terminal(slave_name);
  if (!request) {
    error = "the request can't be read";
  } else if (job.terminal_ < 0) {
    error = std::string("no terminal to be had: ") + std::strerror(errno);
  } else if (pipe2(lifeline, O_CLOEXEC) != 0 || (job.minder_ = fork()) < 0) {
    error = std::string("no process to be had: ") + std::strerror(errno);
  } else if (job.minder_ == 0) {
    mind(*request, slave_name, lifeline[1], state_fd);
  }
  close(request_fd);
  close(state_fd);
  if (lifeline[1] >= 0) close(lifeline[1]);
  job.lifeline_ = lifeline[0];
  job.last_activity_ = steady_clock::now();
  if (!error.empty()) return std::nullopt;
  return job;
}

Job::Job(Job&& other) noexcept
    : id_(other.id_),
      minder_(other.minder_),
      terminal_(std::exchange(other.terminal_, -1)),
      lifeline_(std::exchange(other.lifeline_, -1)),
      output_(std::exchange(other.output_, -1)),
      stored_bytes_(other.stored_bytes_),
      max_stored_bytes_(other.max_stored_bytes_),
      last_byte_(other.last_byte_),
      has_ended_(other.has_ended_),
      is_drained_(other.is_drained_),
      waiting_reported_(other.waiting_reported_),
      limit_reported_(other.limit_reported_),
      last_activity_(other.last_activity_),
      input_(std::move(other.input_)) {}

Job::~Job() {
  for (int fd : {terminal_, lifeline_, output_})
    if (fd >= 0) close(fd);
}

bool Job::store_output() {
  static char bytes[65536];
  // Bounded, so that one loud command leaves the host time for the others.
  for (int round = 0; round < 64 && terminal_ >= 0; ++round) {
    const ssize_t size = read(terminal_, bytes, sizeof bytes);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (size <= 0) {
      close(std::exchange(terminal_, -1));
      break;
    }
    last_activity_ = steady_clock::now();
    waiting_reported_ = false;
    last_byte_ = bytes[size - 1];
    const int64_t room = max_stored_bytes_ - stored_bytes_;
    const ssize_t wanted = std::min<int64_t>(size, room);
    if (wanted > 0 && write(output_, bytes, static_cast<size_t>(wanted)) != wanted) max_stored_bytes_ = stored_bytes_;
    stored_bytes_ += wanted;
    if (stored_bytes_ >= max_stored_bytes_ && !std::exchange(limit_reported_, true)) return false;
  }
  return true;
}

void Job::queue_input(const std::string& bytes) {
  input_ += bytes;
  write_input();
}

void Job::write_input() {
  last_activity_ = steady_clock::now();
  waiting_reported_ = false;
  while (!input_.empty() && terminal_ >= 0) {
    const ssize_t size = write(terminal_, input_.data(), input_.size());
    if (size <= 0) return;
    input_.erase(0, static_cast<size_t>(size));
  }
}

Job::LifeSigns Job::read_lifeline() {
  LifeSigns signs;
  LastWord word{};
  const ssize_t size = read(lifeline_, &word, sizeof word);
  if (size == sizeof word) {
    signs.wait_status = word.status;
    signs.has_left = word.has_left != 0;
    has_ended_ = true;
  } else if (size == 0) {
    signs.drained = is_drained_ = true;
    // The minder itself was killed before bash ended: report bash as killed rather than never.
    if (!std::exchange(has_ended_, true)) signs.wait_status = SIGKILL;
  }
  return signs;
}

std::optional<bool> Job::newly_waiting() {
  const auto quiet = steady_clock::now() - last_activity_;
  if (has_ended_ || waiting_reported_ || terminal_ < 0 || !input_.empty() || quiet < kQuiet) return std::nullopt;
  termios modes;
  if (tcgetattr(terminal_, &modes) != 0) return std::nullopt;
  const bool is_hidden = (modes.c_lflag & ICANON) != 0 && (modes.c_lflag & ECHO) == 0;
  const TerminalWait wait = terminal_wait(terminal_);
  const bool looks_like_prompt = is_hidden || last_byte_ != '\n';
  if (wait == TerminalWait::No) return std::nullopt;
  if (wait == TerminalWait::Unknown && (quiet < kQuietWhenBlind || !looks_like_prompt)) return std::nullopt;
  waiting_reported_ = true;
  return is_hidden;
}

bool Job::kill_tree() {
  const auto deadline = steady_clock::now() + kKillLimit;
  while (!is_drained_ && steady_clock::now() < deadline) {
    const std::vector<pid_t> tree = descendants(minder_);
    // All are stopped before any is killed, so that none can fork away or be restarted by its parent meanwhile.
    for (pid_t pid : tree) kill(pid, SIGSTOP);
    for (pid_t pid : tree) kill(pid, SIGKILL);
    pollfd line{lifeline_, POLLIN, 0};
    if (poll(&line, 1, 10) > 0) read_lifeline();
  }
  return is_drained_;
}

}  // namespace tools::shell_host
