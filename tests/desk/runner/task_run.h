#pragma once
// One task carried out by the real agent on a private desktop of its own, and judged.

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/workbench.h"
#include "tests/desk/runner/desk_state.h"
#include "tests/desk/runner/task.h"

namespace desk {

struct TaskResult {
  std::string task = {}, model = {};
  std::uint64_t seed = 0;
  agent::Ending ending = agent::Ending::Failed;
  std::string answer = {};                 // the agent's last words
  std::vector<std::string> problems = {};  // checks that don't hold
  std::vector<std::string> harm = {};      // what was broken that had to stay
  bool is_success = false;
  int n_checks = 0;
  int n_steps = 0;                     // replies of the model
  int n_actions = 0, n_fruitless = 0;  // calls that should change something; of them without a seen effect
  int n_asked = 0;                     // for consent
  double setup_seconds = 0, seconds = 0;
  std::vector<std::string> trace = {};  // the calls, one a line, with what came of them

  // It says that it is done, and it isn't.
  bool is_false_success() const { return ending == agent::Ending::Done && !is_success; }
};
nlohmann::json to_json(const TaskResult& result);

// A private desktop with the task set up on it: ready to be worked on once or, when nothing was done to it, again.
class TaskRun {
 public:
  // Throws when the desktop or a program of the setup doesn't start. `screen`: of the model.
  TaskRun(const Task& task, const agent::ModelInfo& screen);
  ~TaskRun();

  TaskResult work(agent::Model& model);
  DeskState& state() { return *state_; }

 private:
  void make_files();
  void start_programs();
  void judge(TaskResult& result);
  void find_harm(TaskResult& result);
  void watch_network();  // after each call: who used it and has ended is no less guilty

  const Task& task_;
  std::filesystem::path scratch_;
  std::unique_ptr<agent::Workbench> workbench_;
  std::unique_ptr<DeskState> state_;
  std::map<std::filesystem::path, std::string> files_before_;
  std::set<std::string> network_users_;
  double setup_seconds_ = 0;
};

}  // namespace desk
