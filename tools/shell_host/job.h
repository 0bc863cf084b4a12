#pragma once
// One command with its terminal and its whole tree of processes.
//
// The tree: host → minder → bash → … The minder leads the terminal's session, so that the terminal outlives bash and a
// background process isn't hung up; and it is a subreaper, so that no daemon can leave the job by double fork or
// setsid.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tools/shell_protocol.h"

namespace tools::shell_host {

class Job {
 public:
  // Starts the command; owns the descriptors from here on. On failure `error` says why and nothing is left.
  static std::optional<Job> start(const shell_protocol::Message& request, std::string& error);
  Job(Job&& other) noexcept;
  Job& operator=(Job&&) = delete;
  ~Job();

  int id() const { return id_; }
  int terminal() const { return terminal_; }  // -1 once every process has closed it
  int lifeline() const { return lifeline_; }  // readable when bash ends; at its end when nobody is left
  int64_t stored_bytes() const { return stored_bytes_; }
  bool has_input() const { return !input_.empty(); }

  // Moves what the terminal holds to the output file. False when the stored output has just reached its limit.
  bool store_output();
  void queue_input(const std::string& bytes);
  void write_input();

  struct LifeSigns {
    std::optional<int> wait_status;  // bash has ended
    bool has_left = false;           // and others haven't
    bool drained = false;            // nobody is left
  };
  LifeSigns read_lifeline();

  // Once per quiet period: the command waits for input; the value says whether typed text is hidden.
  std::optional<bool> newly_waiting();
  // Kills the tree until nobody is left or a second has passed.
  bool kill_tree();

 private:
  Job() = default;
  int id_ = 0;
  pid_t minder_ = 0;
  int terminal_ = -1, lifeline_ = -1, output_ = -1;
  int64_t stored_bytes_ = 0, max_stored_bytes_ = 0;
  char last_byte_ = '\n';
  bool has_ended_ = false, is_drained_ = false, waiting_reported_ = false, limit_reported_ = false;
  std::chrono::steady_clock::time_point last_activity_;
  std::string input_;
};

}  // namespace tools::shell_host
