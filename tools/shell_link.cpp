#include "tools/shell_link.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tools {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kHelloLimit{10000};
constexpr milliseconds kFarewellLimit{2500};
constexpr size_t kMaxErrors_bytes = 4000;

bool is_readable(int fd, milliseconds limit) {
  pollfd source{fd, POLLIN, 0};
  const auto deadline = steady_clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    const int n_ready = poll(&source, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (n_ready >= 0 || errno != EINTR) return n_ready > 0;
  }
}

// Starts the command with the socket as descriptor 3, `errors` as its outputs and nothing else of ours.
int spawn(const std::vector<std::string>& command, int socket, int errors, pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, errors, 1);
  posix_spawn_file_actions_adddup2(&files, errors, 2);
  posix_spawn_file_actions_adddup2(&files, socket, 3);
  posix_spawn_file_actions_addclosefrom_np(&files, 4);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // Not the session's variables: LD_PRELOAD set by a command must not act on bubblewrap, outside the sandbox.
  char path[] = "PATH=/usr/bin:/bin";
  char* environment[] = {path, nullptr};
  const int error = posix_spawn(&child, arguments[0], &files, &attributes, arguments.data(), environment);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

std::string read_available(int fd) {
  std::string text;
  char bytes[1024];
  for (ssize_t size; text.size() < kMaxErrors_bytes && (size = read(fd, bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<size_t>(size));
  return text;
}

}  // namespace

std::variant<ShellLink, ShellLinkFailure> ShellLink::open(const std::vector<std::string>& command) {
  int sockets[2], errors[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
    return ShellLinkFailure{std::string("no socket to be had: ") + std::strerror(errno)};
  if (pipe2(errors, O_CLOEXEC) != 0) {
    const int error = errno;
    for (int fd : sockets) close(fd);
    return ShellLinkFailure{std::string("no pipe to be had: ") + std::strerror(error)};
  }
  const int yes = 1;
  setsockopt(sockets[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
  // The file actions run in order: a source below 4 would be overwritten by an earlier one.
  const int socket = fcntl(sockets[1], F_DUPFD_CLOEXEC, 10), output = fcntl(errors[1], F_DUPFD_CLOEXEC, 10);
  pid_t child = 0;
  const int error = spawn(command, socket, output, child);
  for (int fd : {socket, output, sockets[1], errors[1]}) close(fd);
  ShellLink link(child, sockets[0]);
  std::optional<std::string> failure;
  if (error != 0) {
    failure = command.front() + ": " + std::strerror(error);
  } else {
    failure = link.wait_for_hello(errors[0]);
  }
  close(errors[0]);
  if (failure) return ShellLinkFailure{*failure};
  return link;
}

std::optional<std::string> ShellLink::wait_for_hello(int errors) {
  const auto hello = receive(kHelloLimit);
  if (!hello || hello->kind != shell_protocol::Kind::Hello) {
    kill(child_, SIGKILL);
    fcntl(errors, F_SETFL, O_NONBLOCK);
    is_readable(errors, milliseconds(200));
    return read_available(errors);
  }
  host_ = static_cast<int>(syscall(SYS_pidfd_open, hello->sender, 0));
  return std::nullopt;
}

ShellLink::ShellLink(ShellLink&& other) noexcept
    : child_(std::exchange(other.child_, 0)),
      socket_(std::exchange(other.socket_, -1)),
      host_(std::exchange(other.host_, -1)),
      is_alive_(other.is_alive_) {}

ShellLink::~ShellLink() {
  if (socket_ >= 0) close(socket_);  // the host ends everything when it sees this
  if (host_ >= 0) {
    if (!is_readable(host_, kFarewellLimit)) syscall(SYS_pidfd_send_signal, host_, SIGKILL, nullptr, 0);
    close(host_);
  }
  while (child_ > 0 && waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<shell_protocol::Message> ShellLink::receive(milliseconds limit) {
  if (!is_alive_ || !is_readable(socket_, limit)) return std::nullopt;
  auto message = shell_protocol::receive(socket_);
  if (!message) is_alive_ = false;
  return message;
}

}  // namespace tools
