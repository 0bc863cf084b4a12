#include "agent/agent.h"

#include <chrono>

#include "agent/call_translator.h"

namespace agent {
namespace {

// So many of these in a row end the session.
constexpr int kMostMalformed = 4;
constexpr int kMostDenied = 3;
constexpr int kMostEarlyEnds = 3;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool changes_things(tools::Effect effect) {
  return effect != tools::Effect::Observe && effect != tools::Effect::Read && effect != tools::Effect::ReadElsewhere;
}

bool works_the_desktop(tools::Effect effect) {
  return effect == tools::Effect::InputPrivate || effect == tools::Effect::InputUser;
}

}  // namespace

Agent::Agent(AgentParts parts, Transcript transcript)
    : parts_(std::move(parts)),
      dialogue_({std::move(transcript), parts_.journal, parts_.tools, parts_.model.info(), parts_.has_desktop}) {}

Outcome Agent::run(const std::string& task, const std::stop_token& stop) {
  std::optional<Outcome> end;
  started_seconds_ = now_seconds();
  try {
    dialogue_.close_open_calls("This was interrupted; whether it took effect is not known. Look first.");
    dialogue_.start(task, stop);
    while (!end) end = step(stop);
    dialogue_.close_open_calls("Not carried out: the session ended.");
    parts_.journal.finished(*end);
  } catch (const std::exception& error) {
    end = outcome(Ending::Failed, error.what());
  }
  emit(SessionFinished{*end});
  return *end;
}

std::optional<Outcome> Agent::step(const std::stop_token& stop) {
  if (stop.stop_requested()) return outcome(Ending::Stopped, "stopped by the user");
  if (auto end = limit_reached()) return end;
  emit(StepStarted{++n_steps_});
  Reply reply = parts_.model.reply(
      dialogue_.transcript(), specs(), [&](const ReplyPiece& piece) { emit(piece); }, stop);
  n_tokens_ += reply.usage.reply_tokens;
  if (reply.end == Reply::End::Stopped) reply.message.calls.clear();  // said in part only: never run
  parts_.journal.usage(reply.usage);
  dialogue_.add_reply(reply.message);
  emit(ReplyEvent{reply});
  if (reply.end == Reply::End::Stopped) return outcome(Ending::Stopped, "stopped by the user");
  if (reply.end != Reply::End::Turn) return unreadable(reply);
  n_malformed_ = 0;
  if (reply.message.calls.empty()) return end_of_turn(reply.message, stop);
  for (const ModelCall& call : reply.message.calls) {
    if (stop.stop_requested()) return outcome(Ending::Stopped, "stopped by the user");
    if (auto end = carry_out(call, stop)) return end;
  }
  return std::nullopt;
}

std::optional<Outcome> Agent::carry_out(const ModelCall& model_call, const std::stop_token& stop) {
  if (model_call.name == "plan") return adopt_plan(model_call, stop);
  if (model_call.name == "give_up") {
    dialogue_.answer(model_call, "Noted.", true);
    return outcome(Ending::GaveUp, text_argument(model_call, "reason"));
  }
  if (model_call.name == "ask") {
    const std::optional<std::string> said = parts_.asker(text_argument(model_call, "question"), stop);
    dialogue_.answer(model_call, said.value_or("Nobody is there to answer. Go on without, or give up."),
                     said.has_value());
    return std::nullopt;
  }
  const auto translated = translate(model_call, parts_.model.info(), dialogue_.shown());
  if (const auto* problem = std::get_if<std::string>(&translated)) {
    dialogue_.answer(model_call, *problem, false);
    return std::nullopt;
  }
  const auto& call = std::get<tools::ToolCall>(translated);
  if (const std::optional<std::string> problem = parts_.tools.problem_with(call)) {
    dialogue_.answer(model_call, *problem, false);
    return heed_guard(call, {});
  }
  return act(model_call, call, stop);
}

std::optional<Outcome> Agent::act(const ModelCall& model_call, const tools::ToolCall& call,
                                  const std::stop_token& stop) {
  const tools::Effect effect = parts_.tools.effect(call);
  if (const std::string reason = refusal(call, effect, stop); !reason.empty()) {
    emit(CallDenied{call, reason});
    dialogue_.answer(model_call, "Not allowed: " + reason, false);
    if (++n_denied_ >= kMostDenied) return outcome(Ending::Refused, reason);
    return std::nullopt;
  }
  n_denied_ = 0;
  parts_.journal.intent(call, effect);  // on disk before the act
  emit(CallStarted{call, effect});
  const double start = now_seconds();
  const tools::ToolResult result = parts_.tools.run(call, stop);
  const double seconds = now_seconds() - start;
  parts_.journal.outcome(call, result, seconds);
  emit(CallFinished{call, result, seconds});

  dialogue_.answer_result(model_call, result, plan_, works_the_desktop(effect) || result.evidence.has_value(), stop);
  if (changes_things(effect)) {
    const bool is_confirmed = result.ok && (!result.evidence || result.evidence->verdict == tools::Verdict::Confirmed);
    ++(is_confirmed ? n_step_confirmed_ : n_unverified_);
    ++n_actions_;
    ++n_step_actions_;
  }
  return heed_guard(call, result);
}

// Why the call may not run, empty when it may. Consent is for this very call.
std::string Agent::refusal(const tools::ToolCall& call, tools::Effect effect, const std::stop_token& stop) {
  const Permission permission = permission_for(call, effect, parts_.policy);
  if (permission.decision == Decision::Allow) return "";
  if (permission.decision == Decision::Deny) return permission.reason;
  const Approval approval = parts_.approver({call, effect, permission.reason}, stop);
  if (approval.is_allowed) return "";
  return approval.reason.empty() ? "the user said no" : approval.reason;
}

// The model has ended its turn without a call.
std::optional<Outcome> Agent::end_of_turn(const AssistantMessage& message, const std::stop_token& stop) {
  PlanStep* current = plan_.current();
  if (current == nullptr && parts_.model.info().speaks_short_calls && n_step_actions_ > 0 && n_step_confirmed_ == 0) {
    return outcome(Ending::GaveUp, "nothing that it did showed an effect");
  }
  if (current == nullptr) return outcome(Ending::Done, message.text);
  if (parts_.model.info().speaks_short_calls) return end_of_instruction(*current, message.text, stop);
  if (++n_early_ends_ >= kMostEarlyEnds) return outcome(Ending::Stuck, "it ends, but its plan has open steps");
  hint("Steps of the plan are open. Do them, or mark them failed or dropped with the reason:\n" + plan_.describe());
  return std::nullopt;
}

// A model of short calls works through the plan one instruction at a time. It is not believed where nothing was seen.
std::optional<Outcome> Agent::end_of_instruction(PlanStep& current, const std::string& said,
                                                 const std::stop_token& stop) {
  const bool is_already_so = n_step_actions_ == 0 && said == "Done.";
  const bool is_done = n_step_confirmed_ > 0 || is_already_so;
  current.state = is_done ? PlanStep::State::Done : PlanStep::State::Failed;
  current.evidence = is_done ? said : "no effect was seen";
  n_step_actions_ = n_step_confirmed_ = 0;
  const std::string text = current.text;
  const PlanStep* next = is_done ? plan_.current() : nullptr;
  parts_.journal.plan(plan_);
  emit(PlanChanged{plan_});
  if (!is_done) return outcome(Ending::GaveUp, "\"" + text + "\" showed no effect");
  if (next == nullptr) return outcome(Ending::Done, said);
  dialogue_.instruct(next->text, stop);
  return std::nullopt;
}

std::optional<Outcome> Agent::adopt_plan(const ModelCall& call, const std::stop_token& stop) {
  if (const std::optional<std::string> problem = plan_.replace(nlohmann::json(call.arguments))) {
    dialogue_.answer(call, *problem, false);
    return std::nullopt;
  }
  const PlanStep* first = plan_.current();
  n_early_ends_ = 0;
  parts_.journal.plan(plan_);
  emit(PlanChanged{plan_});
  dialogue_.answer(call, "ok", true);
  if (parts_.model.info().speaks_short_calls && first != nullptr) dialogue_.instruct(first->text, stop);
  return std::nullopt;
}

std::optional<Outcome> Agent::unreadable(const Reply& reply) {
  dialogue_.close_open_calls("Not carried out, because the reply was not whole.");
  if (++n_malformed_ >= kMostMalformed) return outcome(Ending::Stuck, "its replies cannot be read: " + reply.problem);
  hint(reply.end == Reply::End::Length ? "Your reply was cut off: it was too long. Say less." : reply.problem);
  return std::nullopt;
}

std::optional<Outcome> Agent::heed_guard(const tools::ToolCall& call, const tools::ToolResult& result) {
  LoopGuard::Step seen = {
      call.name + call.arguments.dump(), dialogue_.shown() ? dialogue_.shown()->content_hash() : 0, result.ok, {}};
  if (result.evidence) seen.verdict = result.evidence->verdict;
  const LoopGuard::Finding finding = guard_.observe(seen);
  if (finding.level == LoopGuard::Level::Stuck) return outcome(Ending::Stuck, finding.message);
  if (finding.level != LoopGuard::Level::Fine) hint(finding.message);
  return std::nullopt;
}

std::optional<Outcome> Agent::limit_reached() const {
  const Limits& limits = parts_.limits;
  if (n_steps_ >= limits.max_steps) return outcome(Ending::Stuck, "the limit of steps is reached");
  if (n_tokens_ >= limits.max_tokens) return outcome(Ending::Stuck, "the limit of tokens is reached");
  if (now_seconds() - started_seconds_ >= limits.max_seconds) return outcome(Ending::Stuck, "the time is over");
  return std::nullopt;
}

void Agent::hint(const std::string& text) {
  emit(HintGiven{text});
  dialogue_.hint(text);
}

std::vector<tools::ToolSpec> Agent::specs() const {
  std::vector<tools::ToolSpec> all = parts_.tools.specs();
  for (tools::ToolSpec& spec : dialogue_tool_specs()) all.push_back(std::move(spec));
  return all;
}

Outcome Agent::outcome(Ending ending, std::string text) const {
  return {ending, std::move(text), n_actions_, n_unverified_};
}

void Agent::emit(const AgentEvent& event) const {
  if (parts_.events) parts_.events(event);
}

}  // namespace agent
