#pragma once
// Whether a call may be carried out: the rules, the user where they say "ask", and that what was agreed to is still
// what would be hit.

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "agent/events.h"
#include "agent/permission.h"
#include "agent/transcript.h"
#include "tools/tool_registry.h"

namespace agent {

class Consent {
 public:
  struct Parts {
    const tools::ToolRegistry& tools;
    Policy policy;
    Approver approver;
    std::function<void(const Rule&)> remember;  // keeps an answer for later sessions; may be empty
  };
  explicit Consent(Parts parts) : parts_(std::move(parts)) {}

  struct Answer {
    bool is_allowed = false;
    std::string reason;                           // for the model when it isn't, for the record when it is
    bool is_stale = false;                        // agreed to, but the target has changed since
    std::optional<tools::ToolCall> instead = {};  // of the call, where only a part of it was agreed to
    std::string note = {};                        // for the model, beside the result
    std::vector<Rule> allowed_by = {};            // the rules that allow it; empty: the user was asked
  };
  // For this very call and what it would hit now. `origins`: parts of its command that were read somewhere.
  Answer ask(const tools::ToolCall& call, tools::Effect effect, const std::vector<Origin>& origins,
             const std::stop_token& stop);

 private:
  void keep(const Rule& rule, const Approval& approval);

  Parts parts_;
};

}  // namespace agent
