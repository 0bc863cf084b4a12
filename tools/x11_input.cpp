#include "tools/x11_input.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "capture/error.h"

namespace tools {
namespace {

namespace wire = input_protocol;
using std::chrono::milliseconds;
using Ending = InputOutcome::Ending;

// A helper that says nothing for so long hangs in a server that another program has grabbed.
constexpr milliseconds kSilenceLimit{1800};
constexpr milliseconds kStartLimit{10'000};

std::string helper_path(const X11InputOptions& options) {
  if (!options.helper.empty()) return options.helper;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "deskhand-input";
}

std::vector<std::string> environment(const X11InputOptions& options) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (!options.display.empty() && text.starts_with("DISPLAY=")) continue;
    if (!options.xauthority.empty() && text.starts_with("XAUTHORITY=")) continue;
    variables.emplace_back(text);
  }
  if (!options.display.empty()) variables.push_back("DISPLAY=" + options.display);
  if (!options.xauthority.empty()) variables.push_back("XAUTHORITY=" + options.xauthority);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

pid_t spawn_helper(const X11InputOptions& options, int helper_end) {
  const std::string path = helper_path(options);
  std::vector<std::string> arguments{path};
  for (const std::uint32_t keysym : options.panic_chord) arguments.push_back(std::to_string(keysym));
  std::vector<std::string> variables = environment(options);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, helper_end, wire::kHelperFd);
  pid_t pid = -1;
  const int failed =
      ::posix_spawn(&pid, path.c_str(), &actions, nullptr, pointers(arguments).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed)
    throw capture::Error("starting the input helper " + path + " failed: " + std::strerror(failed) +
                         "; install Deskhand again");
  return pid;
}

bool is_readable(int fd, milliseconds limit) {
  pollfd polled{fd, POLLIN, 0};
  return ::poll(&polled, 1, static_cast<int>(limit.count())) > 0;
}

// A helper that hangs in a grabbed server doesn't see its end; its guardian releases what it held.
void reap(pid_t pid) {
  const int ended = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (ended >= 0 && !is_readable(ended, kSilenceLimit)) ::kill(pid, SIGKILL);
  if (ended >= 0) ::close(ended);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

}  // namespace

std::unique_ptr<X11Input> X11Input::open(const X11InputOptions& options) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw capture::Error(std::string("no socket for the input helper: ") + std::strerror(errno));
  const int buffer_bytes = static_cast<int>(wire::kMaxPacketBytes);
  ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
  // dup2 onto itself would leave the close-on-exec flag set, so the helper's end must not be that number.
  const int helper_end = ::fcntl(ends[1], F_DUPFD_CLOEXEC, wire::kHelperFd + 1);
  ::close(ends[1]);
  pid_t pid = -1;
  try {
    pid = spawn_helper(options, helper_end);
  } catch (...) {
    ::close(ends[0]);
    ::close(helper_end);
    throw;
  }
  ::close(helper_end);
  bool gone = false;
  std::optional<wire::Message> first;
  if (is_readable(ends[0], kStartLimit)) first = wire::receive(ends[0], wire::Wait::Yes, gone);
  if (first && first->kind == wire::Kind::Ready)
    return std::unique_ptr<X11Input>(new X11Input(ends[0], pid, lines(first->text)));
  ::close(ends[0]);
  reap(pid);
  throw capture::Error(first ? first->text : "the input helper doesn't answer; run `deskhand doctor`");
}

X11Input::X11Input(int fd, pid_t helper_pid, std::vector<std::string> warnings)
    : fd_(fd),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      helper_pid_(helper_pid),
      warnings_(std::move(warnings)),
      thread_([this](const std::stop_token& stop) { listen(stop); }) {}

X11Input::~X11Input() {
  thread_.request_stop();
  wake_listener();
  thread_.join();
  ::close(fd_);  // the helper sees the end, releases everything and exits
  ::close(wake_fd_);
  reap(helper_pid_);
}

void X11Input::wake_listener() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_fd_, &one, sizeof one);
}

void X11Input::listen(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    bool beating = false;
    {
      std::scoped_lock lock(mutex_);
      beating = beating_;
    }
    if (beating) wire::send(fd_, {.kind = wire::Kind::Beat}, wire::Wait::No);
    pollfd polled[] = {{fd_, POLLIN, 0}, {wake_fd_, POLLIN, 0}};
    ::poll(polled, 2, beating ? wire::kBeatInterval_ms : -1);
    std::uint64_t count = 0;
    if (polled[1].revents) [[maybe_unused]]
      const auto read_bytes = ::read(wake_fd_, &count, sizeof count);
    bool gone = false;
    while (const std::optional<wire::Message> message = wire::receive(fd_, wire::Wait::No, gone)) on_message(*message);
    if (!gone) continue;
    std::scoped_lock lock(mutex_);
    helper_gone_ = true;
    answered_.notify_all();
    return;
  }
}

void X11Input::on_message(const wire::Message& message) {
  std::unique_lock lock(mutex_);
  last_sign_ = std::chrono::steady_clock::now();
  if (message.kind == wire::Kind::Done && message.serial == serial_) {
    answer_ = message;
    beating_ = message.any_held != 0;
    answered_.notify_all();
  } else if (message.kind == wire::Kind::Interrupted) {
    interruption_ = message.status == static_cast<std::uint32_t>(Ending::Panicked) ? Interruption::Panicked
                                                                                   : Interruption::TakenOver;
    const auto listener = listener_;
    const Interruption interruption = *interruption_;
    lock.unlock();
    if (listener) listener(interruption);
  }
}

InputOutcome X11Input::exchange(wire::Message request, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  request.serial = ++serial_;
  answer_.reset();
  beating_ = true;
  last_sign_ = std::chrono::steady_clock::now();
  lock.unlock();
  const bool sent = wire::send(fd_, request, wire::Wait::Yes);
  wake_listener();
  lock.lock();
  const auto is_settled = [this] { return answer_.has_value() || helper_gone_; };
  bool aborted = false;
  while (sent && !is_settled()) {
    if (!aborted && !answered_.wait_for(lock, stop, milliseconds(200), is_settled) && stop.stop_requested()) {
      wire::send(fd_, {.kind = wire::Kind::Abort, .serial = request.serial}, wire::Wait::Yes);
      aborted = true;
    } else if (aborted) {
      answered_.wait_for(lock, milliseconds(200), is_settled);
    }
    if (std::chrono::steady_clock::now() - last_sign_ > kSilenceLimit) break;
  }
  if (answer_)
    return {static_cast<Ending>(answer_->status), answer_->text, answer_->steps_done, answer_->characters_typed};
  beating_ = false;
  if (helper_gone_ || !sent) return {Ending::Failed, "the input helper ended; its guardian released everything", 0, 0};
  return {Ending::Failed, "the X server doesn't answer: another program has grabbed it", 0, 0};
}

InputOutcome X11Input::perform(const std::vector<InputStep>& steps, std::stop_token stop) {
  wire::Message request{.kind = wire::Kind::Perform, .steps = steps};
  if (wire::encode(request).size() > wire::kMaxPacketBytes)
    return {Ending::Failed, "the input is too long for one action; send it in parts", 0, 0};
  return exchange(std::move(request), stop);
}

void X11Input::release_all() {
  exchange({.kind = wire::Kind::ReleaseAll}, {});
}

void X11Input::add_secret(const std::string& name, const std::string& value) {
  exchange({.kind = wire::Kind::Secret, .text = name, .steps = {TypeText{value}}}, {});
}

std::optional<Interruption> X11Input::interruption() const {
  std::scoped_lock lock(mutex_);
  return interruption_;
}

void X11Input::resume() {
  {
    std::scoped_lock lock(mutex_);
    interruption_.reset();
  }
  exchange({.kind = wire::Kind::Resume}, {});
}

void X11Input::on_interruption(std::function<void(Interruption)> listener) {
  std::scoped_lock lock(mutex_);
  listener_ = std::move(listener);
}

}  // namespace tools
