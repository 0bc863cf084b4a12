#pragma once
// A shell session: commands run one after another or side by side, each on its own terminal, in one sandbox that lives
// as long as the session, so a server started by one command can be reached by the next. The working directory and the
// exported variables go from each command to the next; shell functions and unexported variables don't.
//
// Ending a command ends its whole tree of processes, daemons included; ending the session, or the program however it
// dies, ends all of them. Belongs to one thread; nothing here blocks longer than asked.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tools/output_excerpt.h"
#include "tools/sandbox.h"
#include "tools/shell_environment.h"

namespace tools {

enum class Confinement {
  Sandbox,  // bubblewrap; where it can't start, nothing runs
  None,     // the user's own rights
};

struct ShellOptions {
  std::filesystem::path workspace;              // absolute; the first working directory
  std::vector<std::filesystem::path> writable;  // more folders that commands may change
  std::vector<std::filesystem::path> hidden;    // folders and files that commands must not see
  std::filesystem::path output_folder;          // outputs are stored here whole; made when missing
  Confinement confinement = Confinement::Sandbox;
  Network network = Network::Denied;
  Environment environment;                   // set over the program's own
  std::vector<std::string> allowed_secrets;  // names of variables that pass although they look like secrets
  ExcerptBudget budget;
  int64_t max_stored_bytes = int64_t{1} << 30;  // per command; one that writes more is ended
  std::filesystem::path host_program;           // empty: deskhand-shell-host beside this program
  std::filesystem::path sandbox_program;        // empty: the system's bubblewrap
};

enum class JobState {
  Running,
  WaitingForInput,
  Exited,       // its first process ended by itself
  TimedOut,     // ended by us at the time limit
  Stopped,      // ended by us on request
  OutputLimit,  // ended by us because it wrote too much
  Failed,       // never ran; `text` says why
};

// What is new about a command since the last report.
struct JobReport {
  int job = 0;
  JobState state = JobState::Failed;
  std::optional<int> exit_code, signal;   // when Exited: one of the two
  bool is_input_hidden = false;           // when WaitingForInput: it asks for a password
  bool has_processes_left = false;        // background processes that outlive the command
  std::string text;                       // new output, cleaned, within the budget
  uint64_t cut_bytes = 0;                 // how much of it was left out
  uint64_t output_bytes = 0;              // stored so far
  std::filesystem::path output_path;      // the whole output, as it was written
  std::chrono::milliseconds duration{0};  // since the start
  std::string directory;                  // the session's working directory now
};

struct JobSummary {
  int job = 0;
  std::string command;
  JobState state = JobState::Running;
  bool has_processes_left = false;
};

// New cleaned output as it comes, before any cut; for the view.
using OutputCallback = std::function<void(int job, std::string_view text)>;

class Shell {
 public:
  explicit Shell(ShellOptions options, OutputCallback on_output = {});
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  // Runs a command until it ends, waits for input, or reaches its time limit, at which its tree is ended.
  JobReport run(const std::string& command, std::chrono::milliseconds limit, std::stop_token stop);
  // Starts a command and returns at once: Running or Failed.
  JobReport start(const std::string& command);
  // Waits until the job ends or waits for input, at most `limit`; the job goes on after that. A stop request ends it.
  JobReport wait(int job, std::chrono::milliseconds limit, std::stop_token stop);
  // Sends bytes to the job's terminal. False when the job is over.
  bool send_input(int job, std::string_view bytes);
  // Ends the job's tree.
  JobReport end(int job);
  // Jobs that run or have left processes behind, oldest first.
  std::vector<JobSummary> jobs();
  bool knows(int job) const;

  const std::string& directory() const { return directory_; }

 private:
  struct Job;
  class Host;

  Job& launch(const std::string& command);
  std::optional<std::string> ensure_host();
  Job* find(int job) const;
  bool ask_to_start(Job& job);
  void pump(std::chrono::milliseconds limit);
  void follow(Job& job, std::chrono::milliseconds limit, const std::stop_token& stop);
  void read_output(Job& job);
  JobReport unknown(int id) const;
  void adopt_state(Job& job);
  void end_tree(Job& job, JobState reason);
  void lose_host();
  JobReport report(Job& job);

  ShellOptions options_;
  OutputCallback on_output_;
  std::string directory_;
  Environment environment_;
  std::unique_ptr<Host> host_;
  std::list<Job> jobs_;
  int next_job_ = 1;
};

}  // namespace tools
