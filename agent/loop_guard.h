#pragma once
// Notices when the work goes round in circles: the same action again and again, a screen that doesn't change, one
// failure after the other. First a hint for the model, then a call for a new plan, then the end as stuck.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "tools/tool.h"

namespace agent {

class LoopGuard {
 public:
  struct Step {
    std::string action;             // the call with its arguments
    std::uint64_t screen_hash = 0;  // after it; 0: no screen
    bool ok = false;
    std::optional<tools::Verdict> verdict;
  };
  enum class Level { Fine, Hint, Replan, Stuck };
  struct Finding {
    Level level = Level::Fine;
    std::string message;  // for the model
  };

  Finding observe(const Step& step);

 private:
  Finding escalate(const std::string& what);

  std::deque<Step> recent_;
  int n_fruitless_ = 0;  // steps in a row that changed nothing or failed
  int n_findings_ = 0;   // since the last fruitful step
};

}  // namespace agent
