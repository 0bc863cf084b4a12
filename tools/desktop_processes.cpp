#include "tools/desktop_processes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "capture/error.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kAnswerLimitMs = 15'000;
constexpr int kStopCheckMs = 50;

fs::path supervisor_program() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "deskhand-desktop";
  if (access(program.c_str(), X_OK) != 0)
    throw capture::Error("cannot start a private desktop: " + program.string() +
                         " is missing; it belongs beside this program, so build or install Deskhand anew");
  return program;
}

// Descriptors as the supervisor gets them: nothing of ours but the socket (3) and the lock (4).
pid_t spawn_supervisor(const DesktopDirectory& directory, int socket) {
  const std::string program = supervisor_program();
  const std::string log = directory.path / "supervisor.log";
  const int high_socket = fcntl(socket, F_DUPFD_CLOEXEC, 10);
  const int high_lock = fcntl(directory.lock_fd, F_DUPFD_CLOEXEC, 10);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_adddup2(&actions, high_socket, 3);
  posix_spawn_file_actions_adddup2(&actions, high_lock, 4);
  posix_spawn_file_actions_addclosefrom_np(&actions, 5);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string arguments[] = {program, "3", "4", std::to_string(getpid()), directory.path.string()};
  char* argv[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(),
                  arguments[3].data(), arguments[4].data(), nullptr};
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(high_socket);
  close(high_lock);
  if (error != 0)
    throw capture::Error("cannot start a private desktop: " + program + ": " + strerror(error) +
                         "; check the limits on processes and memory");
  return pid;
}

json receive_answer(int socket) {
  pollfd readable{socket, POLLIN, 0};
  int n_ready = 0;
  do n_ready = poll(&readable, 1, kAnswerLimitMs);
  while (n_ready < 0 && errno == EINTR);
  std::vector<char> answer(1 << 16);
  const ssize_t n_bytes = n_ready > 0 ? recv(socket, answer.data(), answer.size(), 0) : -1;
  return n_bytes > 0 ? json::parse(answer.data(), answer.data() + n_bytes, nullptr, false) : json();
}

}  // namespace

DesktopSupervisor::DesktopSupervisor(const DesktopDirectory& directory) : directory_(directory.path) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw capture::Error(std::string("cannot start a private desktop: no socket pair: ") + strerror(errno));
  try {
    pid_ = spawn_supervisor(directory, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  socket_ = ends[0];
}

DesktopSupervisor::~DesktopSupervisor() {
  close(socket_);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

json DesktopSupervisor::ask(const json& request) {
  const std::lock_guard lock(mutex_);
  static std::atomic<std::int64_t> last_serial = 0;
  json numbered = request;
  const std::int64_t serial = ++last_serial;
  numbered["serial"] = serial;
  const std::string text = numbered.dump(-1, ' ', false, json::error_handler_t::replace);
  const bool sent = send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  json parsed = sent ? receive_answer(socket_) : json();
  // A question that was given up may be answered now.
  while (parsed.is_object() && parsed.value("serial", std::int64_t{0}) != serial) parsed = receive_answer(socket_);
  if (!parsed.is_object())
    throw capture::Error("the private desktop's supervisor does not answer (it was ended from outside or " +
                         std::string("the request was too large); start a new private desktop"));
  return parsed;
}

DesktopProcess DesktopProcess::launch(std::shared_ptr<DesktopSupervisor> supervisor, const LaunchOptions& options) {
  if (options.argv.empty() || options.argv[0].empty())
    throw capture::Error("cannot launch on the private desktop: no program named");
  std::vector<std::string> environment;
  for (const auto& [name, value] : options.environment) environment.push_back(name + "=" + value);
  DesktopProcess process;
  process.log_ = supervisor->directory() / "log" / options.log_name;
  const json answer = supervisor->ask({{"do", "launch"},
                                       {"argv", options.argv},
                                       {"environment", environment},
                                       {"directory", options.working_directory.string()},
                                       {"log", process.log_.string()},
                                       {"announce", options.announce.string()}});
  if (answer.contains("error"))
    throw capture::Error("cannot launch " + options.argv[0] + " on the private desktop: " +
                         answer["error"].get<std::string>() + "; check that the program is installed" +
                         " and that the working directory " + options.working_directory.string() + " exists");
  process.pid_ = answer.at("pid");
  process.supervisor_ = std::move(supervisor);
  return process;
}

std::optional<ExitStatus> DesktopProcess::exit_status() const {
  json answer;
  try {
    answer = supervisor_->ask({{"do", "status"}, {"pid", pid_}});
  } catch (const capture::Error&) {
    return ExitStatus{.exit_code = {}, .signal = SIGKILL};
  }
  if (answer.value("running", false)) return std::nullopt;
  ExitStatus status;
  if (answer.contains("exit_code")) status.exit_code = answer["exit_code"].get<int>();
  if (answer.contains("signal")) status.signal = answer["signal"].get<int>();
  return status;
}

std::optional<ExitStatus> DesktopProcess::wait(std::chrono::milliseconds limit, std::stop_token stop) const {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const int pid_fd = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  std::optional<ExitStatus> status = exit_status();
  while (!status && !stop.stop_requested() && std::chrono::steady_clock::now() < deadline) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd ended{pid_fd, POLLIN, 0};
    poll(&ended, pid_fd >= 0 ? 1 : 0, std::clamp(static_cast<int>(left.count()), 1, kStopCheckMs));
    status = exit_status();
  }
  if (pid_fd >= 0) close(pid_fd);
  return status;
}

void DesktopProcess::send_signal(int signal) const {
  try {
    supervisor_->ask({{"do", "signal"}, {"pid", pid_}, {"signal", signal}});
  } catch (const capture::Error&) {
    // The supervisor took its processes with it: what was asked for is done.
  }
}

void DesktopProcess::terminate() const {
  send_signal(SIGTERM);
}
void DesktopProcess::kill() const {
  send_signal(SIGKILL);
}

std::string DesktopProcess::output(size_t max_bytes) const {
  std::ifstream file(log_, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const auto size = static_cast<size_t>(file.tellg());
  const size_t start = size > max_bytes ? size - max_bytes : 0;
  file.seekg(static_cast<std::streamoff>(start));
  std::string text(size - start, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

}  // namespace tools
