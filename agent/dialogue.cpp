#include "agent/dialogue.h"

#include <algorithm>

#include "agent/call_translator.h"
#include "agent/screen_boxes.h"
#include "agent/short_goal.h"
#include "tools/applications.h"

namespace agent {
namespace {

// Several steps in one sentence: worth a plan.
bool is_compound(const std::string& task) {
  for (const char* joint : {", then ", " then ", "; ", " and ", "\n"}) {
    if (task.find(joint) != std::string::npos) return true;
  }
  return false;
}

// The word that models of short calls were trained on.
std::string verdict_word(tools::Verdict verdict) {
  switch (verdict) {
    case tools::Verdict::Confirmed:
    case tools::Verdict::Partial:
      return "confirmed";
    case tools::Verdict::NoOp:
      return "no-op";
    case tools::Verdict::Unverifiable:
      return "unverifiable";
    case tools::Verdict::Refused:
      return "refused";
  }
  return "unverifiable";
}

tools::ToolSpec talk_spec(const char* name, const char* description, const char* argument) {
  return {name,
          description,
          {{"type", "object"},
           {"properties", {{argument, {{"type", "string"}}}}},
           {"required", {argument}},
           {"additionalProperties", false}}};
}

}  // namespace

Dialogue::Dialogue(Parts parts) : parts_(std::move(parts)) {
  for (const Message& message : parts_.transcript.messages()) {
    if (const auto* reply = std::get_if<AssistantMessage>(&message)) n_calls_ += static_cast<int>(reply->calls.size());
    if (std::holds_alternative<ToolMessage>(message)) ++n_answers_;
  }
}

void Dialogue::start(const std::string& task, const std::stop_token& stop) {
  const bool wants_plan = parts_.model.speaks_short_calls && is_compound(task);
  instruct(wants_plan ? plan_goal(task) : task, stop);
}

void Dialogue::instruct(const std::string& text, const std::stop_token& stop) {
  const bool is_short = parts_.model.speaks_short_calls;
  say(UserMessage{is_short ? as_short_goal(text, tools::application_folders()) : text, look(stop), false});
}

void Dialogue::hint(const std::string& text) {
  say(UserMessage{text, {}, true});
}

void Dialogue::add_reply(AssistantMessage& message) {
  for (ModelCall& call : message.calls) call.id = "call_" + std::to_string(++n_calls_);
  if (shown_) message.boxes = on_desktop(read_boxes(message.text).boxes, parts_.model, *shown_);
  say(message);
}

void Dialogue::answer(const ModelCall& call, const std::string& text, bool ok) {
  say(ToolMessage{call.id, text, {}, ok});
}

void Dialogue::answer_question(const ModelCall& call, const Asker& asker, const std::stop_token& stop) {
  if (call.name == "note") return answer(call, "Noted.", true);
  const std::optional<std::string> said = asker(text_argument(call, "question"), stop);
  answer(call, said.value_or("Nobody is there to answer. Go on without, or give up."), said.has_value());
}

void Dialogue::answer_result(const ModelCall& call, const tools::ToolResult& result, Plan& plan, bool look_again,
                             const std::stop_token& stop) {
  std::string text = result.text;
  if (parts_.model.speaks_short_calls) {
    text = result.evidence ? verdict_word(result.evidence->verdict) : bare_output(result);
  } else {
    text = "[" + std::to_string(next_number()) + "] " + text;
    if (const PlanStep* current = plan.current()) text += "\nActive step: " + current->text;
  }
  std::vector<Picture> pictures = result.frames;
  if (call.name == "zoom" && parts_.model.speaks_short_calls && !pictures.empty() && shown_) {
    text = point_in_closer_look(call, parts_.model, *shown_, *pictures.back());
  }
  if (!pictures.empty()) shown_ = pictures.back();
  if (pictures.empty() && look_again) pictures = look(stop);
  say(ToolMessage{call.id, text, std::move(pictures), result.ok});
}

void Dialogue::close_open_calls(const std::string& reason) {
  for (const ModelCall& call : parts_.transcript.open_calls()) answer(call, reason, false);
}

void Dialogue::say(Message message) {
  parts_.journal.message(message);
  if (std::holds_alternative<ToolMessage>(message)) ++n_answers_;
  parts_.transcript.append(shelf_.put(std::move(message)));
}

std::vector<Picture> Dialogue::look(const std::stop_token& stop) {
  if (!parts_.has_desktop) return {};
  const tools::ToolResult result = parts_.tools.run({"", "screenshot", nlohmann::json::object()}, stop);
  if (!result.frames.empty()) shown_ = result.frames.back();
  return result.frames;
}

std::vector<tools::ToolSpec> dialogue_tool_specs() {
  return {plan_tool_spec(),
          talk_spec("note", "Writes down a fact that you will need later, for example a number that was read.", "text"),
          talk_spec("ask", "Asks the user, who may not be there.", "question"),
          talk_spec("give_up", "Ends the task as impossible.", "reason")};
}

std::string text_argument(const ModelCall& call, const char* key) {
  const auto found = call.arguments.find(key);
  return found != call.arguments.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string bare_output(const tools::ToolResult& result) {
  const std::size_t header_bytes =
      result.details.is_object() ? result.details.value("header_bytes", std::size_t{0}) : 0;
  std::string output = result.text.substr(std::min(header_bytes, result.text.size()));
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

}  // namespace agent
