#include "agent/error.h"
#include "agent/replay.h"

namespace agent {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Which calls do something, or give the programs the time that they were given then.
bool is_worth_repeating(const json& call, const std::string& effect) {
  if (call.at("name") == "wait") return true;
  return effect != name_of(tools::Effect::Observe) && effect != name_of(tools::Effect::Read) &&
         effect != name_of(tools::Effect::ReadElsewhere);
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

void replace_in(json& value, const std::string& from, const std::string& to) {
  if (value.is_string()) replace_all(value.get_ref<std::string&>(), from, to);
  if (!value.is_structured()) return;
  for (auto& item : value) replace_in(item, from, to);
}

// What windows and widgets were called.
void rename(std::vector<tools::Anchor>& anchors, const std::string& from, const std::string& to) {
  for (tools::Anchor& anchor : anchors) {
    if (anchor.window) replace_all(anchor.window->title, from, to);
    if (!anchor.widget) continue;
    replace_all(anchor.widget->label, from, to);
    for (std::string& ancestor : anchor.widget->ancestors) replace_all(ancestor, from, to);
  }
}

}  // namespace

std::string* entered_text(ReplayStep& step) {
  json& arguments = step.call.arguments;
  const auto text = [&](const char* key) -> std::string* {
    const auto found = arguments.find(key);
    return found != arguments.end() && found->is_string() ? found->get_ptr<std::string*>() : nullptr;
  };
  if (step.call.name == "keyboard" && arguments.value("action", "") == "type") return text("text");
  if (step.call.name == "ui_tree") return text("text_to_put");
  if (step.call.name == "clipboard") return text("text");
  return nullptr;
}

std::vector<ReplayStep> load_steps(Recorder& recorder, SessionId session, const SessionPart& part) {
  const LoadPicture load = [&](FrameRow row) -> Picture {
    try {
      return recorder.load_picture(row).picture;
    } catch (const Error&) {  // damaged: the step then has one proof less
      return nullptr;
    }
  };
  std::map<EventId, ordered_json> intents;
  std::vector<ReplayStep> steps;
  int n_parameters = 0;
  for (const Event& event : events_in(recorder, session, part)) {
    if (event.kind == EventKind::Intent) intents[event.id] = event.body;
    if (event.kind != EventKind::Outcome) continue;
    const ordered_json& intent = intents.at(event.action_id);
    const ordered_json& result = event.body.at("result");
    if (!result.at("ok").get<bool>() || !is_worth_repeating(json(intent.at("call")), intent.at("effect"))) continue;
    ReplayStep step;
    step.call = {"", intent.at("call").at("name"), json(intent.at("call").at("arguments"))};
    step.effect = intent.at("effect");
    if (intent.contains("screen")) step.screen = load(intent.at("screen").get<FrameRow>());
    step.anchors = anchors_from(result, load);
    if (result.contains("evidence")) step.verdict = verdict_named(result.at("evidence").at("verdict"));
    if (result.contains("details")) step.details = json(result.at("details"));
    if (entered_text(step) != nullptr) step.parameter = "text" + std::to_string(++n_parameters);
    steps.push_back(std::move(step));
  }
  return steps;
}

void set_parameters(std::vector<ReplayStep>& steps, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    std::string known;
    bool is_known = false;
    for (ReplayStep& step : steps) {
      if (step.parameter.empty()) continue;
      known += (known.empty() ? "" : ", ") + step.parameter;
      if (step.parameter != name) continue;
      is_known = true;
      std::string& text = *entered_text(step);
      constexpr std::size_t kShortestName_bytes = 3;  // shorter ones stand in other words by chance
      const std::string before = std::exchange(text, value);
      if (before.size() < kShortestName_bytes) continue;
      for (ReplayStep& other : steps) rename(other.anchors, before, value);
    }
    if (!is_known) {
      throw Error("the session has no parameter \"" + name + "\"; " +
                  (known.empty() ? "it enters no text" : "there are " + known));
    }
  }
}

void move_workspace(std::vector<ReplayStep>& steps, const std::string& from, const std::string& to) {
  if (from.empty() || from == to) return;
  for (ReplayStep& step : steps) {
    replace_in(step.call.arguments, from, to);
    rename(step.anchors, from, to);
  }
}

}  // namespace agent
