#pragma once
// The loop's journal, kept in the record.

#include <map>
#include <string>

#include "agent/journal.h"
#include "agent/recorder.h"

namespace agent {

// For one session that `recorder`, which outlives this, has begun or resumed.
class SessionJournal : public Journal {
 public:
  SessionJournal(Recorder& recorder, SessionId session) : recorder_(recorder), session_(session) {}

  void message(const Message& message) override { recorder_.append_message(session_, message); }
  void usage(const Usage& usage) override { recorder_.model_call(session_, usage); }
  void plan(const Plan& plan) override { recorder_.plan_version(session_, plan.to_json()); }
  void intent(const Intent& intent) override { actions_[intent.call.id] = recorder_.intent(session_, intent); }
  void outcome(const tools::ToolCall& call, const tools::ToolResult& result, double seconds) override {
    recorder_.outcome(actions_.at(call.id), result, seconds);
    recorder_.files_touched(session_, result);
  }
  void finished(const Outcome& outcome) override { recorder_.finish_session(session_, outcome); }

 private:
  Recorder& recorder_;
  SessionId session_;
  std::map<std::string, ActionId> actions_;  // by call
};

}  // namespace agent
