#include "agent/task_progress.h"

#include <algorithm>
#include <array>

#include "agent/provenance.h"
#include "agent/screen_boxes.h"
#include "agent/short_goal.h"

namespace agent {
namespace {

constexpr std::string_view kDone = "Done.";  // how a model of short calls ends
constexpr int kMostEarlyEnds = 3;            // in a row; then the session ends

// Typed text shows, but isn't read back: that is confirmed in part.
bool has_shown(const tools::ToolResult& result) {
  return is_confirmed(result) || (result.ok && result.evidence && result.evidence->verdict == tools::Verdict::Partial);
}

// Of the kinds on which their label is written as it is.
bool shows_its_label(const tools::WidgetIdentity& widget) {
  static constexpr std::array kKinds = {"menu",      "menu item",    "check menu item", "radio menu item",
                                        "check box", "radio button", "page tab"};
  return std::find(kKinds.begin(), kKinds.end(), widget.role) != kKinds.end();
}

// What is written on the widget that was acted on; empty: nothing known.
std::string label_under(const tools::ToolResult& result) {
  if (result.anchors.empty() || !result.anchors.back().widget) return "";
  const tools::WidgetIdentity& widget = *result.anchors.back().widget;
  return shows_its_label(widget) ? widget.label : "";
}

// The call's own words, and what it took hold of.
Deed deed_of(const tools::ToolCall& call, const tools::ToolResult& result) {
  static constexpr std::array kNamedKinds = {"button", "push button", "toggle button", "icon",      "list item",
                                             "link",   "image",       "table cell",    "tree item", "combo box"};
  Deed deed{.is_nameless = call.name == "pointer" && label_under(result).empty()};
  for (const char* key : {"text", "keys", "program", "command"}) {
    const auto found = call.arguments.find(key);
    if (found != call.arguments.end() && found->is_string()) deed.said += found->get<std::string>();
  }
  deed.is_typing = call.arguments.contains("text");
  for (const tools::Anchor& anchor : result.anchors) {
    if (anchor.window) deed.around += anchor.window->title + " ";
    if (!anchor.widget) continue;
    const bool is_named = std::find(kNamedKinds.begin(), kNamedKinds.end(), anchor.widget->role) != kNamedKinds.end() ||
                          shows_its_label(*anchor.widget);
    if (is_named) deed.label += (deed.label.empty() ? "" : " ") + anchor.widget->label;
  }
  if (!result.evidence) return deed;
  for (const std::string& title : result.evidence->windows_opened) deed.around += title + " ";
  for (const std::string& title : result.evidence->windows_closed) deed.around += title + " ";
  deed.has_closed = !result.evidence->windows_closed.empty();
  return deed;
}

// What the model was asked last.
std::string last_instruction(const Transcript& transcript) {
  std::string text;
  for (const Message& message : transcript.messages()) {
    if (const auto* user = std::get_if<UserMessage>(&message); user != nullptr && !user->is_hint) text = user->text;
  }
  return text;
}

}  // namespace

TaskProgress::TaskProgress(Parts parts) : parts_(std::move(parts)) {
  int number = 0;
  for (const Message& message : parts_.dialogue.transcript().messages()) {
    if (const auto* result = std::get_if<ToolMessage>(&message)) ledger_.add_earlier(++number, result->ok);
  }
}

void TaskProgress::note_result(int number, const tools::ToolCall& call, tools::Effect effect,
                               const tools::ToolResult& result) {
  ledger_.add(number, effect, result);
  if (!result.frames.empty()) blind_.clear();
  if (parts_.model.speaks_short_calls && !result.evidence && result.frames.empty()) {  // a closer look isn't words
    readings_.push_back({bare_output(result), !result.ok || exit_code_of(result) != 0, command_in(call, effect)});
  }
  if (!changes_things(effect)) return;
  if (!is_confirmed(result)) ++n_unverified_;
  if (has_shown(result)) {
    ++n_step_shown_;
    denial_.clear();
    deeds_.push_back(deed_of(call, result));
  }
  ++n_actions_;
  ++n_step_actions_;
  acted_on_ = label_under(result);
}

std::optional<Outcome> TaskProgress::adopt_plan(const ModelCall& call, const std::stop_token& stop) {
  if (const std::optional<std::string> problem = plan_.replace(nlohmann::json(call.arguments))) {
    parts_.dialogue.answer(call, *problem, false);
    return std::nullopt;
  }
  const PlanStep* first = plan_.current();
  n_early_ends_ = 0;
  plan_changed();
  parts_.dialogue.answer(call, "ok", true);
  if (!parts_.model.speaks_short_calls || first == nullptr) return std::nullopt;
  task_ = task_of_plan_goal(last_instruction(parts_.dialogue.transcript()));
  std::vector<std::string> steps;
  for (const PlanStep& step : plan_.steps()) steps.push_back(step.text);
  if (const std::string problem = problem_with_split(task_, steps); !problem.empty()) {
    return outcome(Ending::Stuck, "it can't split this task: " + problem);
  }
  parts_.dialogue.instruct(first->text, stop);
  return std::nullopt;
}

std::optional<Outcome> TaskProgress::end_of_turn(const AssistantMessage& message, const std::stop_token& stop) {
  PlanStep* current = plan_.current();
  if (current == nullptr && parts_.model.speaks_short_calls) {
    if (n_step_shown_ == 0 && !denial_.empty()) return outcome(Ending::Refused, denial_);
    const std::string doubt = doubt_about(last_instruction(parts_.dialogue.transcript()), message.text);
    if (!doubt.empty()) return outcome(Ending::GaveUp, doubt);
    const bool is_answer = !readings_.empty() && message.text != kDone;
    if (auto end =
            is_answer ? std::nullopt : end_of_deeds(task_of_plan_goal(last_instruction(parts_.dialogue.transcript()))))
      return end;
  }
  if (current == nullptr) return end_of_task(read_boxes(message.text).text);
  if (parts_.model.speaks_short_calls) return end_of_instruction(*current, message.text, stop);
  if (++n_early_ends_ >= kMostEarlyEnds) return outcome(Ending::Stuck, "it ends, but its plan has open steps");
  hint("Steps of the plan are open. Do them, or mark them failed or dropped with the reason:\n" + plan_.describe());
  return std::nullopt;
}

// A model of short calls isn't believed where nothing was seen, nor where it says what it hasn't read.
std::string TaskProgress::doubt_about(const std::string& asked, const std::string& said) const {
  if (!blind_.empty() && wants_answer(asked)) return blind_;
  const bool is_done_word = said == kDone;
  if (n_step_shown_ == 0) {
    if (n_step_actions_ > 0) return "nothing that it did showed an effect";
    if (!(is_done_word ? may_hold_already(asked) : wants_answer(asked))) return "it did nothing";
  }
  if (!wants_answer(asked) && is_denial(said)) return said;
  if (!may_mean(asked, acted_on_)) return "what it acted on is \"" + acted_on_ + "\"";
  const bool is_answer = wants_answer(asked) || (!readings_.empty() && !is_done_word);
  if (is_answer && readings_.empty() && parts_.dialogue.shown() == nullptr) return "it looked nothing up";
  return is_answer ? problem_with_answer(said, asked, readings_) : "";
}

// A model of short calls ends with "Done." whatever it was asked for.
std::optional<Outcome> TaskProgress::end_of_deeds(const std::string& task) const {
  if (wants_answer(task)) return std::nullopt;
  const std::string problem = problem_with_deeds(task, deeds_);
  if (problem.empty()) return std::nullopt;
  return outcome(Ending::Stuck, "it says that it is done, but " + problem);
}

// Such a model works through the plan one instruction at a time.
std::optional<Outcome> TaskProgress::end_of_instruction(PlanStep& current, const std::string& said,
                                                        const std::stop_token& stop) {
  const std::string doubt = doubt_about(current.text, said);
  const bool is_done = doubt.empty();
  const bool is_answer = wants_answer(current.text) || (!readings_.empty() && said != kDone);
  current.state = is_done ? PlanStep::State::Done : PlanStep::State::Failed;
  current.evidence = !is_done ? doubt : said.empty() ? "its effect was seen" : said;
  n_step_actions_ = n_step_shown_ = 0;
  readings_.clear();
  acted_on_.clear();
  blind_.clear();
  const std::string text = current.text;
  const PlanStep* next = is_done ? plan_.current() : nullptr;
  plan_changed();
  if (!is_done) return outcome(Ending::GaveUp, "\"" + text + "\": " + doubt);
  if (next == nullptr) {
    const auto end = is_answer ? std::nullopt : end_of_deeds(task_.empty() ? text : task_);
    return end ? end : outcome(Ending::Done, said);
  }
  parts_.dialogue.instruct(next->text, stop);
  return std::nullopt;
}

// An answer that cites what proves nothing is sent back once; then it stands, and what isn't proven is said.
std::optional<Outcome> TaskProgress::end_of_task(const std::string& answer) {
  Outcome end = outcome(Ending::Done, answer);
  end.claims = ledger_.claims_in(answer);
  for (const PlanStep& step : plan_.steps()) {
    if (step.state != PlanStep::State::Done) continue;
    for (Claim& claim : ledger_.claims_in(step.evidence)) {
      if (!claim.problem.empty()) end.claims.push_back(std::move(claim));
    }
  }
  const bool is_worth_a_doubt = end.has_unverified_claims() && !has_doubted_ && !parts_.model.speaks_short_calls;
  if (end.claims.empty() && n_unverified_ > 0) {
    end.claims.push_back({answer,
                          {},
                          std::to_string(n_unverified_) + " of " + std::to_string(n_actions_) +
                              " actions showed no clear effect, and it cites nothing"});
  } else if (end.claims.empty() && ledger_.is_empty()) {
    end.claims.push_back({answer, {}, "nothing was done or looked up for it"});
  }
  if (!is_worth_a_doubt) return end;
  has_doubted_ = true;
  std::string doubts;
  for (const Claim& claim : end.claims) {
    if (!claim.problem.empty()) doubts += "\n- \"" + claim.sentence + "\": " + claim.problem;
  }
  hint("Your answer is not proven:" + doubts +
       "\nLook whether it is so, then answer again and cite, as [number], results that show it; or say plainly what is "
       "not verified.");
  return std::nullopt;
}

Outcome TaskProgress::outcome(Ending ending, std::string text) const {
  return {ending, std::move(text), n_actions_, n_unverified_};
}

void TaskProgress::hint(const std::string& text) {
  parts_.emit(HintGiven{text});
  parts_.dialogue.hint(text);
}

void TaskProgress::plan_changed() {
  parts_.journal.plan(plan_);
  parts_.emit(PlanChanged{plan_});
}

}  // namespace agent
