#pragma once
// The task as a tree of steps, written and revised by the model. A plain value.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace agent {

struct PlanStep {
  enum class State { Pending, Active, Done, Failed, Dropped };
  std::string text;
  State state = State::Pending;
  int depth = 0;         // 0: a step of the task itself, 1: of the step before it with depth 0, …
  std::string evidence;  // what shows that it is done, or why it failed or was dropped
};

std::string_view name_of(PlanStep::State state);

class Plan {
 public:
  const std::vector<PlanStep>& steps() const { return steps_; }

  // The plan tool's arguments as the new plan: {"steps": ["…", {"text", "state"?, "depth"?, "evidence"?}]}.
  // What is wrong with them, for the model; the plan is then as before.
  [[nodiscard]] std::optional<std::string> replace(const nlohmann::json& arguments);

  // The step being worked on: the active one, else the first pending one (which becomes active). Null when none is
  // open.
  PlanStep* current();
  bool has_open_steps() const;

  // One line a step, for the model.
  std::string describe() const;
  nlohmann::json to_json() const;

 private:
  std::vector<PlanStep> steps_;
};

// How the model calls it.
tools::ToolSpec plan_tool_spec();

}  // namespace agent
