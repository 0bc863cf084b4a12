#pragma once
// One step's wording as small models were trained on it: a sentence, and applications are started, not opened.

#include <filesystem>
#include <string>
#include <vector>

namespace agent {

// "click 7" becomes "Click 7", "open Calculator" becomes "Start Calculator" when there is such an application in
// `folders` (see tools/applications.h): to a small model, "Open Calculator" names a menu.
std::string as_short_goal(const std::string& step, const std::vector<std::filesystem::path>& folders);

// The goal that asks for a plan of a task, and the task that it is of.
std::string plan_goal(const std::string& task);
std::string task_of_plan_goal(const std::string& goal);

// Whether what the goal asks for may be so without an act: a state of a switch ("Turn on Wrap"), a wait, an answer.
bool may_hold_already(const std::string& goal);

// Whether words alone can be the end of it: a question, or something to read.
bool wants_answer(const std::string& goal);

}  // namespace agent
