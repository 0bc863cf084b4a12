#include "agent/agent.h"

#include <chrono>

#include "agent/call_translator.h"

namespace agent {
namespace {

constexpr int kMostMalformed = 4, kMostDenied = 3;  // so many in a row end the session

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool works_the_desktop(tools::Effect effect) {
  return effect == tools::Effect::InputPrivate || effect == tools::Effect::InputUser;
}

}  // namespace

Agent::Agent(AgentParts parts, Transcript transcript)
    : parts_(std::move(parts)),
      dialogue_({std::move(transcript), parts_.journal, parts_.tools, parts_.model.info(), parts_.has_desktop}),
      consent_({parts_.tools, parts_.policy, parts_.approver, parts_.remember}),
      progress_({dialogue_, parts_.journal, parts_.model.info(), [this](const AgentEvent& event) { emit(event); }}) {}

Outcome Agent::run(const std::string& task, const std::stop_token& stop) {
  return work(task, stop);
}

Outcome Agent::resume(const std::string& words, Plan plan, const std::stop_token& stop) {
  progress_.plan() = std::move(plan);
  // A model of short calls has only its newest instruction in mind.
  const PlanStep* current = parts_.model.info().speaks_short_calls ? progress_.plan().current() : nullptr;
  return work(current != nullptr ? current->text : words, stop);
}

Outcome Agent::work(const std::string& first_words, const std::stop_token& stop) {
  std::optional<Outcome> end;
  started_seconds_ = now_seconds();
  try {
    dialogue_.close_open_calls("This was interrupted; whether it took effect is not known. Look first.");
    dialogue_.start(first_words, stop);
    while (!end) end = step(stop);
    dialogue_.close_open_calls("Not carried out: the session ended.");
    parts_.journal.finished(*end);
  } catch (const std::exception& error) {
    end = progress_.outcome(Ending::Failed, error.what());
    parts_.journal.failed(*end);
  }
  emit(SessionFinished{*end});
  return *end;
}

std::optional<Outcome> Agent::step(const std::stop_token& stop) {
  if (stop.stop_requested()) return progress_.outcome(Ending::Stopped, "stopped by the user");
  if (auto end = limit_reached()) return end;
  emit(StepStarted{++n_steps_});
  Reply reply = ask_model(stop);
  n_tokens_ += reply.usage.reply_tokens;
  if (reply.end == Reply::End::Stopped) reply.message.calls.clear();  // said in part only: never run
  parts_.journal.usage(reply.usage);
  dialogue_.add_reply(reply.message);
  emit(ReplyEvent{reply});
  if (reply.end == Reply::End::Stopped) return progress_.outcome(Ending::Stopped, "stopped by the user");
  if (reply.end != Reply::End::Turn) return unreadable(reply);
  n_malformed_ = 0;
  if (reply.message.calls.empty()) return progress_.end_of_turn(reply.message, stop);
  for (const ModelCall& call : reply.message.calls) {
    if (stop.stop_requested()) return progress_.outcome(Ending::Stopped, "stopped by the user");
    if (auto end = carry_out(call, stop)) return end;
  }
  return std::nullopt;
}

Reply Agent::ask_model(const std::stop_token& stop) {
  while (true) {
    try {
      CleanPieces pieces(parts_.secrecy, [&](const ReplyPiece& piece) { emit(piece); });
      Reply reply = parts_.model.reply(
          compaction_.view(dialogue_.transcript()), specs(), [&](const ReplyPiece& piece) { pieces.push(piece); },
          stop);
      pieces.finish();
      reply.message = parts_.secrecy.clean(std::move(reply.message));
      return reply;
    } catch (const ContextFull&) {
      if (!compaction_.tighten(dialogue_.transcript(), progress_.plan())) throw;
      emit(HintGiven{"The conversation has grown too long for the model: its older part is summed up."});
    }
  }
}

std::optional<Outcome> Agent::carry_out(const ModelCall& model_call, const std::stop_token& stop) {
  if (model_call.name == "plan") return progress_.adopt_plan(model_call, stop);
  if (model_call.name == "give_up") {
    dialogue_.answer(model_call, "Noted.", true);
    return progress_.outcome(Ending::GaveUp, text_argument(model_call, "reason"));
  }
  if (model_call.name == "note" || model_call.name == "ask") {
    dialogue_.answer_question(model_call, parts_.asker, stop);
    return std::nullopt;
  }
  const auto translated = translate(model_call, parts_.model.info(), dialogue_.shown().get());
  if (const auto* problem = std::get_if<std::string>(&translated)) {
    dialogue_.answer(model_call, *problem, false);
    progress_.note_unfit(model_call, *problem);
    return std::nullopt;
  }
  const auto& call = std::get<tools::ToolCall>(translated);
  if (const std::optional<std::string> problem = parts_.tools.problem_with(call)) {
    dialogue_.answer(model_call, *problem, false);
    return heed_guard(call, {});
  }
  if (parts_.second_look && dialogue_.shown() != nullptr) {
    if (const auto closer = parts_.second_look(call, *dialogue_.shown(), stop)) {
      dialogue_.answer_result(model_call, *closer, progress_.plan(), false, stop);
      return std::nullopt;
    }
  }
  return act(model_call, call, stop);
}

std::optional<Outcome> Agent::act(const ModelCall& model_call, const tools::ToolCall& wanted,
                                  const std::stop_token& stop) {
  const tools::Effect effect = parts_.tools.effect(wanted);
  const std::vector<Origin> origins = origins_of(command_in(wanted, effect), dialogue_.transcript());
  const Consent::Answer answer = consent_.ask(wanted, effect, origins, stop);
  if (!answer.is_allowed) return denied(model_call, wanted, answer);
  const tools::ToolCall& call = answer.instead ? *answer.instead : wanted;
  n_denied_ = 0;
  parts_.journal.intent({call, effect, answer.reason, dialogue_.shown(), origins, answer.allowed_by});
  emit(CallStarted{call, effect, origins});
  const double start = now_seconds();
  tools::ToolResult result = parts_.secrecy.clean(parts_.tools.run(call, stop));
  if (!answer.note.empty()) result.text += answer.note;
  const double seconds = now_seconds() - start;
  parts_.journal.outcome(call, result, seconds);
  emit(CallFinished{call, result, seconds});
  progress_.note_result(dialogue_.next_number(), call, effect, result);
  dialogue_.answer_result(model_call, result, progress_.plan(),
                          works_the_desktop(effect) || result.evidence.has_value(), stop);
  return heed_guard(call, result);
}

std::optional<Outcome> Agent::denied(const ModelCall& model_call, const tools::ToolCall& call,
                                     const Consent::Answer& answer) {
  emit(CallDenied{call, answer.reason});
  dialogue_.answer(model_call, (answer.is_stale ? "Not done: " : "Not allowed: ") + answer.reason, false);
  if (!answer.is_stale) progress_.note_denial(answer.reason);
  if (!answer.is_stale && ++n_denied_ >= kMostDenied) return progress_.outcome(Ending::Refused, answer.reason);
  return std::nullopt;
}

std::optional<Outcome> Agent::unreadable(const Reply& reply) {
  dialogue_.close_open_calls("Not carried out, because the reply was not whole.");
  if (++n_malformed_ >= kMostMalformed) {
    return progress_.outcome(Ending::Stuck, "its replies cannot be read: " + reply.problem);
  }
  hint(reply.end == Reply::End::Length ? "Your reply was cut off: it was too long. Say less." : reply.problem);
  return std::nullopt;
}

std::optional<Outcome> Agent::heed_guard(const tools::ToolCall& call, const tools::ToolResult& result) {
  LoopGuard::Step seen = {
      call.name + call.arguments.dump(), dialogue_.shown() ? dialogue_.shown()->content_hash() : 0, result.ok, {}};
  if (result.evidence) seen.verdict = result.evidence->verdict;
  const LoopGuard::Finding finding = guard_.observe(seen);
  if (finding.level == LoopGuard::Level::Stuck) return progress_.outcome(Ending::Stuck, finding.message);
  if (finding.level != LoopGuard::Level::Fine) hint(finding.message);
  return std::nullopt;
}

std::optional<Outcome> Agent::limit_reached() const {
  const Limits& limits = parts_.limits;
  if (n_steps_ >= limits.max_steps) return progress_.outcome(Ending::Stuck, "the limit of steps is reached");
  if (n_tokens_ >= limits.max_tokens) return progress_.outcome(Ending::Stuck, "the limit of tokens is reached");
  const double seconds = now_seconds() - started_seconds_;
  if (seconds >= limits.max_seconds) return progress_.outcome(Ending::Stuck, "the time is over");
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

void Agent::emit(const AgentEvent& event) const {
  if (parts_.events) parts_.events(event);
}

}  // namespace agent
