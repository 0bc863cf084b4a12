#pragma once
// The processes of one private desktop, kept by a supervisor process (deskhand-desktop) that ends them all, with every
// descendant, when we ask or when this program is gone.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/desktop_directory.h"

namespace tools {

using Environment = std::map<std::string, std::string>;

// How a process ended: exactly one of the two is set.
struct ExitStatus {
  std::optional<int> exit_code;
  std::optional<int> signal;
};

// The wire to the supervisor. Any thread may ask; one question at a time.
class DesktopSupervisor {
 public:
  // Starts the supervisor, which takes over the directory and its lock. Throws capture::Error.
  explicit DesktopSupervisor(const DesktopDirectory& directory);
  // Ends everything and waits until it is gone (a second at most for programs that obey, five for those that don't).
  ~DesktopSupervisor();
  DesktopSupervisor(const DesktopSupervisor&) = delete;
  DesktopSupervisor& operator=(const DesktopSupervisor&) = delete;

  // Asks and waits for the answer. Throws capture::Error when the supervisor is gone.
  nlohmann::json ask(const nlohmann::json& request);
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::mutex mutex_;
  std::filesystem::path directory_;
  int socket_ = -1;
  pid_t pid_ = -1;
};

struct LaunchOptions {
  std::vector<std::string> argv;  // the program (searched in PATH) and its arguments; never a shell line
  Environment environment;        // complete
  std::filesystem::path working_directory;
  std::string log_name;                 // its output goes to log/NAME
  std::filesystem::path announce = {};  // a FIFO opened as its descriptor 3; none when empty
};

// One launched program. A handle: copies name the same process, which lives on when they go.
class DesktopProcess {
 public:
  // Throws capture::Error when the program can't be started.
  static DesktopProcess launch(std::shared_ptr<DesktopSupervisor> supervisor, const LaunchOptions& options);

  pid_t pid() const { return pid_; }
  std::optional<ExitStatus> exit_status() const;  // none while it runs; a lost supervisor counts as killed
  // None: still running after the time, or stopped waiting.
  std::optional<ExitStatus> wait(std::chrono::milliseconds limit, std::stop_token stop = {}) const;
  // Asks it and the processes of its session to end, or kills them.
  void terminate() const;
  void kill() const;
  // The end of what it wrote to its output and error streams so far.
  std::string output(size_t max_bytes = 16384) const;

 private:
  DesktopProcess() = default;
  void send_signal(int signal) const;

  std::shared_ptr<DesktopSupervisor> supervisor_;
  pid_t pid_ = -1;
  std::filesystem::path log_;
};

}  // namespace tools
