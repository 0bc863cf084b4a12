#include "tests/desk/deskhand_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace desk_test {
namespace {

using nlohmann::json;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

DeskhandProcess::DeskhandProcess(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& environment) {
  static std::atomic<int> n_started{0};
  mark_ = "DESKHAND_TEST_MARK=" + std::to_string(::getpid()) + "." + std::to_string(++n_started);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    for (const std::string& entry : environment) ::putenv(::strdup(entry.c_str()));
    ::putenv(::strdup(mark_.c_str()));
    std::vector<char*> argv = {::strdup(DESKHAND_BIN_DIR "/deskhand")};
    for (const std::string& argument : arguments) argv.push_back(::strdup(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  fd_ = ends[0];
}

DeskhandProcess::~DeskhandProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(fd_);
}

bool DeskhandProcess::read_more(int limit_ms) {
  pollfd polled = {fd_, POLLIN, 0};
  char bytes[65536];
  if (::poll(&polled, 1, limit_ms) <= 0) return false;
  const ssize_t n = ::read(fd_, bytes, sizeof(bytes));
  if (n <= 0) return false;
  output_.append(bytes, static_cast<std::size_t>(n));
  line_.append(bytes, static_cast<std::size_t>(n));
  for (std::size_t end = line_.find('\n'); end != std::string::npos; end = line_.find('\n')) {
    const json event = json::parse(line_.substr(0, end), nullptr, false);
    if (event.is_object()) events_.push_back(event);
    line_.erase(0, end + 1);
  }
  return true;
}

std::optional<json> DeskhandProcess::wait_for(const std::string& event) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    while (n_seen_ < events_.size()) {
      if (events_[n_seen_++].value("event", "") == event) return events_[n_seen_ - 1];
    }
    if (!read_more(60'000)) return std::nullopt;
  }
  return std::nullopt;
}

int DeskhandProcess::finish() {
  while (read_more(100'000)) {
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<json> DeskhandProcess::results_of(const std::string& tool) const {
  std::vector<json> results;
  for (const json& event : events_) {
    if (event.value("event", "") == "result" && event.value("tool", "") == tool) results.push_back(event);
  }
  return results;
}

std::vector<pid_t> DeskhandProcess::left_behind() const {
  std::vector<pid_t> left;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  do {
    left.clear();
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      if (read_file(entry.path() / "environ").find(mark_) != std::string::npos) left.push_back(std::stoi(name));
    }
    if (left.empty()) break;
    ::poll(nullptr, 0, 20);
  } while (std::chrono::steady_clock::now() < deadline);
  return left;
}

}  // namespace desk_test
