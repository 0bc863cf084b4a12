#pragma once
// One step's wording as small models were trained on it: a sentence, and applications are started, not opened.

#include <filesystem>
#include <string>
#include <vector>

namespace agent {

// "click 7" becomes "Click 7", "open Calculator" becomes "Start Calculator" when there is such an application in
// `folders` (see tools/applications.h): to a small model, "Open Calculator" names a menu.
std::string as_short_goal(const std::string& step, const std::vector<std::filesystem::path>& folders);

// Whether what the goal asks for may be so before anything is done: a state ("Turn on Wrap") or an answer, no act.
bool may_hold_already(const std::string& goal);

// Whether words alone can be the end of it: a question, or something to read.
bool wants_answer(const std::string& goal);

}  // namespace agent
