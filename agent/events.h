#pragma once
// What happens in a session, as values for whoever watches: the command line, the window. Sent from the agent thread.

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "agent/model.h"
#include "agent/permission.h"
#include "agent/plan.h"
#include "agent/provenance.h"

namespace agent {

// How a session ended.
enum class Ending {
  Done,     // the model says so, every step of the plan is closed
  GaveUp,   // the model says that it can't be done, with the reason
  Stuck,    // going round in circles, or a limit was reached
  Refused,  // the user denied what it needs
  Stopped,  // by the user
  Failed,   // something broke: the message says what
};
std::string_view name_of(Ending ending);

// A sentence of the final answer and the results that it cites.
struct Claim {
  std::string sentence;
  std::vector<int> cited;  // numbers of results
  std::string problem;     // why they don't prove it; empty: they do
};

struct Outcome {
  Ending ending = Ending::Failed;
  std::string text;                // the model's last words, or the reason
  int n_actions = 0;               // that changed or should have changed something
  int n_unverified = 0;            // of them: without evidence that they did
  std::vector<Claim> claims = {};  // of a session that is done

  bool has_unverified_claims() const;
};

struct StepStarted {
  int step = 0;
};
struct ReplyEvent {
  Reply reply;
};
struct CallStarted {
  tools::ToolCall call;
  tools::Effect effect = tools::Effect::Observe;
  std::vector<Origin> origins = {};  // parts of its command that were read somewhere
};
struct CallFinished {
  tools::ToolCall call;
  tools::ToolResult result;
  double seconds = 0;
};
struct CallDenied {
  tools::ToolCall call;
  std::string reason;
};
struct PlanChanged {
  Plan plan;
};
struct HintGiven {
  std::string text;
};
struct SessionFinished {
  Outcome outcome;
};

using AgentEvent = std::variant<StepStarted, ReplyPiece, ReplyEvent, CallStarted, CallFinished, CallDenied, PlanChanged,
                                HintGiven, SessionFinished>;
using EventSink = std::function<void(const AgentEvent&)>;

// The user's answer to a question of consent.
struct Approval {
  enum class Memory { Once, Session, Always };
  bool is_allowed = false;
  std::string reason;            // read by the model when denied
  Memory memory = Memory::Once;  // how long the answer is for, see ApprovalRequest::rule
  // Instead of the call, where the user agreed to a part of its edits only; `note` tells the model which.
  std::optional<tools::ToolCall> instead = {};
  std::string note = {};
};
struct ApprovalRequest {
  tools::ToolCall call;
  tools::Effect effect = tools::Effect::Observe;
  std::string reason;
  std::string target = {};                  // what it would hit: a window by its title; empty: the arguments say all
  std::vector<Origin> origins = {};         // parts of its command that were read somewhere
  Rule rule = {};                           // what a lasting answer is for; no name: only this once can be answered
  std::vector<tools::FileEdit> edits = {};  // what it would do to files
};
// Asked from the agent thread; must return soon after stop is requested.
using Approver = std::function<Approval(const ApprovalRequest&, std::stop_token)>;
// A question of the model to the user; empty when nobody is there to answer.
using Asker = std::function<std::optional<std::string>(const std::string& question, std::stop_token)>;

}  // namespace agent
