#pragma once
// How far the task is: its plan, what was done and seen, and whether the model's word that it is finished is to be
// taken.

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "agent/dialogue.h"
#include "agent/events.h"
#include "agent/grounding.h"
#include "agent/ledger.h"
#include "agent/plan.h"

namespace agent {

class TaskProgress {
 public:
  struct Parts {
    Dialogue& dialogue;
    Journal& journal;
    const ModelInfo& model;
    std::function<void(const AgentEvent&)> emit;
  };
  explicit TaskProgress(Parts parts);

  Plan& plan() { return plan_; }
  const Plan& plan() const { return plan_; }

  // A call was carried out; its result is about to be told under this number.
  void note_result(int number, const tools::ToolCall& call, tools::Effect effect, const tools::ToolResult& result);
  // A call was not allowed: what the model says next proves nothing.
  void note_denial(const std::string& reason) { denial_ = reason; }
  // A call that means nothing: a closer look at nothing, say, of a model that will answer all the same.
  void note_unfit(const ModelCall& call, const std::string& reason) {
    if (call.name == "zoom") blind_ = reason;
  }
  // The model has written a plan. The end of the session, when it is none of the task's.
  std::optional<Outcome> adopt_plan(const ModelCall& call, const std::stop_token& stop);
  // The model has ended its turn without a call. The end of the session, when it is one.
  std::optional<Outcome> end_of_turn(const AssistantMessage& message, const std::stop_token& stop);
  // An end with what was counted.
  Outcome outcome(Ending ending, std::string text) const;

 private:
  std::string doubt_about(const std::string& asked, const std::string& said) const;  // empty: none
  std::optional<Outcome> end_of_deeds(const std::string& task) const;  // none: they may be what it asks for
  std::optional<Outcome> end_of_instruction(PlanStep& current, const std::string& said, const std::stop_token& stop);
  std::optional<Outcome> end_of_task(const std::string& answer);
  void hint(const std::string& text);
  void plan_changed();

  Parts parts_;
  Plan plan_;
  Ledger ledger_;
  int n_actions_ = 0, n_unverified_ = 0;
  int n_step_actions_ = 0, n_step_shown_ = 0;  // since the plan's step began; of them: with an effect that was seen
  std::string acted_on_ = {};                  // the label of what the newest action took hold of; empty: not known
  std::vector<Reading> readings_;              // since then
  std::vector<Deed> deeds_;                    // of the whole task
  std::string task_ = {};                      // that the plan splits; empty: there is no plan
  int n_early_ends_ = 0;                       // "done" with open steps, in a row
  std::string blind_ = {};                     // why the latest closer look of this instruction showed nothing
  std::string denial_ = {};                    // the latest since something was seen to work; empty: none
  bool has_doubted_ = false;                   // the answer was sent back once for what it cites
};

}  // namespace agent
