#include "agent/short_goal.h"

#include <array>
#include <string_view>

#include "tools/applications.h"

namespace agent {

std::string as_short_goal(const std::string& step, const std::vector<std::filesystem::path>& folders) {
  std::string goal = step;
  if (!goal.empty() && goal[0] >= 'a' && goal[0] <= 'z') goal[0] = static_cast<char>(goal[0] - 'a' + 'A');
  constexpr std::string_view kOpen = "Open ";
  if (goal.starts_with(kOpen) && tools::find_application(goal.substr(kOpen.size()), folders)) {
    return "Start " + goal.substr(kOpen.size());
  }
  return goal;
}

bool may_hold_already(const std::string& goal) {
  static constexpr std::array kActs = {"Click", "Press",  "Hit",  "Double", "Right",  "Type",   "Enter ", "Put ",
                                       "Drag",  "Scroll", "Open", "Start",  "Launch", "Choose", "Use ",   "Go to"};
  for (const std::string_view act : kActs) {
    if (as_short_goal(goal, {}).starts_with(act)) return false;
  }
  return true;
}

bool wants_answer(const std::string& goal) {
  return goal.find('?') != std::string::npos || as_short_goal(goal, {}).starts_with("Read ");
}

}  // namespace agent
