#pragma once
// The loop: look, ask the model, ask for consent, write down the intent, act, look again. Runs on the agent
// thread, which owns everything here.

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "agent/compaction.h"
#include "agent/consent.h"
#include "agent/dialogue.h"
#include "agent/events.h"
#include "agent/journal.h"
#include "agent/loop_guard.h"
#include "agent/model.h"
#include "agent/permission.h"
#include "agent/secrecy.h"
#include "agent/task_progress.h"
#include "agent/transcript.h"
#include "tools/tool_registry.h"

namespace agent {

struct Limits {
  int max_steps = 100;               // replies of the model
  std::int64_t max_tokens = 500000;  // of all replies together
  double max_seconds = 3600;
};

// A closer look at what a call is aimed at, when that is too small to be hit from the picture that the model was shown;
// nothing when it isn't.
using SecondLook = std::function<std::optional<tools::ToolResult>(const tools::ToolCall&, const capture::Frame& shown,
                                                                  const std::stop_token&)>;

struct AgentParts {
  Model& model;
  tools::ToolRegistry& tools;
  Journal& journal;
  Policy policy;
  Approver approver;
  Asker asker;
  EventSink events;
  Limits limits;
  bool has_desktop = false;  // a screenshot tool that shows it
  SecondLook second_look = nullptr;
  std::function<void(const Rule&)> remember = nullptr;  // keeps the user's lasting answers
  Secrecy secrecy = {};                                 // values that must not be shown, said or recorded
};

class Agent {
 public:
  // `transcript`: empty, or one to go on with.
  Agent(AgentParts parts, Transcript transcript);

  // Works until the task has an end. Never throws: what breaks becomes an outcome.
  Outcome run(const std::string& task, const std::stop_token& stop);
  // Goes on with the transcript that it was made with; `words` tell the model what has happened since.
  Outcome resume(const std::string& words, Plan plan, const std::stop_token& stop);

  const Transcript& transcript() const { return dialogue_.transcript(); }
  const Plan& plan() const { return progress_.plan(); }

 private:
  Outcome work(const std::string& first_words, const std::stop_token& stop);
  // One reply and what follows from it; the end, when it is one. So for all of these.
  std::optional<Outcome> step(const std::stop_token& stop);
  std::optional<Outcome> carry_out(const ModelCall& call, const std::stop_token& stop);
  std::optional<Outcome> act(const ModelCall& model_call, const tools::ToolCall& wanted, const std::stop_token& stop);
  std::optional<Outcome> unreadable(const Reply& reply);
  std::optional<Outcome> limit_reached() const;
  std::optional<Outcome> heed_guard(const tools::ToolCall& call, const tools::ToolResult& result);

  Reply ask_model(const std::stop_token& stop);
  std::optional<Outcome> denied(const ModelCall& model_call, const tools::ToolCall& call,
                                const Consent::Answer& answer);
  void hint(const std::string& text);
  std::vector<tools::ToolSpec> specs() const;
  void emit(const AgentEvent& event) const;

  AgentParts parts_;
  Dialogue dialogue_;
  Consent consent_;
  TaskProgress progress_;
  Compaction compaction_;
  LoopGuard guard_;
  int n_steps_ = 0;
  int n_malformed_ = 0;  // replies in a row
  int n_denied_ = 0;     // calls in a row
  std::int64_t n_tokens_ = 0;
  double started_seconds_ = 0;
};

}  // namespace agent
