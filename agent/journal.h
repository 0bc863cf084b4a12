#pragma once
// What the loop asks of whoever keeps the record.

#include "agent/events.h"
#include "agent/transcript.h"

namespace agent {

// Writes down what happens. Each call returns when it is safe on disk; throws Error when that is impossible, and then
// nothing is done.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual void message(const Message& message) = 0;
  virtual void usage(const Usage& usage) = 0;
  virtual void plan(const Plan& plan) = 0;
  virtual void intent(const tools::ToolCall& call, tools::Effect effect) = 0;  // before the act
  virtual void outcome(const tools::ToolCall& call, const tools::ToolResult& result, double seconds) = 0;
  virtual void finished(const Outcome& outcome) = 0;
};

}  // namespace agent
