#pragma once
// What the loop asks of whoever keeps the record.

#include <exception>

#include "agent/events.h"
#include "agent/transcript.h"

namespace agent {

// What is about to be done, and why it may be.
struct Intent {
  tools::ToolCall call;
  tools::Effect effect = tools::Effect::Observe;
  std::string decision = {};          // "allowed by the rule for shell", "the user agreed, asked because …"
  Picture screen = {};                // as it was just before; null where there is no desktop
  std::vector<Origin> origins = {};   // parts of its command that were read somewhere
  std::vector<Rule> allowed_by = {};  // empty: the user was asked
};

// Writes down what happens. Each call returns when it is safe on disk; throws Error when that is impossible, and then
// nothing is done.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual void message(const Message& message) = 0;
  virtual void usage(const Usage& usage) = 0;
  virtual void plan(const Plan& plan) = 0;
  virtual void intent(const Intent& intent) = 0;  // before the act
  virtual void outcome(const tools::ToolCall& call, const tools::ToolResult& result, double seconds) = 0;
  virtual void finished(const Outcome& outcome) = 0;

  // The end after an error, written down if the record can still be written.
  void failed(const Outcome& outcome) noexcept {
    try {
      finished(outcome);
    } catch (const std::exception&) {
      return;  // the error before it is what is told
    }
  }
};

}  // namespace agent
