#pragma once
// The program itself, run by a test: its JSON events as they come, its end, and what it leaves behind.

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace desk_test {

class DeskhandProcess {
 public:
  // `environment` entries are NAME=VALUE and come on top of the test's own.
  explicit DeskhandProcess(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});
  ~DeskhandProcess();
  DeskhandProcess(const DeskhandProcess&) = delete;
  DeskhandProcess& operator=(const DeskhandProcess&) = delete;

  // The next event of that kind; nothing when the output ends or a minute passes.
  std::optional<nlohmann::json> wait_for(const std::string& event);
  // Reads to the end; the exit status.
  int finish();

  const std::vector<nlohmann::json>& events() const { return events_; }
  const std::string& output() const { return output_; }  // all that it wrote, events too
  // The results of a tool, in order.
  std::vector<nlohmann::json> results_of(const std::string& tool) const;
  // Programs that it started, and those that these started, which still run; waits a while for them to go.
  std::vector<pid_t> left_behind() const;

 private:
  bool read_more(int limit_ms);

  pid_t pid_ = -1;
  int fd_ = -1;
  std::string mark_;  // in the environment of all that it starts
  std::string output_, line_;
  std::vector<nlohmann::json> events_;
  std::size_t n_seen_ = 0;  // events that wait_for has passed
};

}  // namespace desk_test
