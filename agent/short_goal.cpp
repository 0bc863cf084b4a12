#include "agent/short_goal.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tools/applications.h"

namespace agent {
namespace {

constexpr std::string_view kPlan = "Plan: ";

}  // namespace

std::string as_short_goal(const std::string& step, const std::vector<std::filesystem::path>& folders) {
  std::string goal = step;
  if (!goal.empty() && goal[0] >= 'a' && goal[0] <= 'z') goal[0] = static_cast<char>(goal[0] - 'a' + 'A');
  constexpr std::string_view kOpen = "Open ";
  if (goal.starts_with(kOpen) && tools::find_application(goal.substr(kOpen.size()), folders)) {
    return "Start " + goal.substr(kOpen.size());
  }
  return goal;
}

std::string plan_goal(const std::string& task) {
  return std::string(kPlan) + task;
}

std::string task_of_plan_goal(const std::string& goal) {
  return goal.starts_with(kPlan) ? goal.substr(kPlan.size()) : goal;
}

bool may_hold_already(const std::string& goal) {
  static constexpr std::array kStates = {"Turn on ", "Turn off ", "Check ",     "Uncheck ",    "Tick ", "Untick ",
                                         "Enable ",  "Disable ",  "Switch on ", "Switch off ", "Wait "};
  const std::string sentence = as_short_goal(goal, {});
  return wants_answer(goal) || std::any_of(kStates.begin(), kStates.end(),
                                           [&](const std::string_view state) { return sentence.starts_with(state); });
}

bool wants_answer(const std::string& goal) {
  return goal.find('?') != std::string::npos || as_short_goal(goal, {}).starts_with("Read ");
}

}  // namespace agent
