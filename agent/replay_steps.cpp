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

using Renames = std::map<std::string, std::string>;  // the new text by the old one

// All in one pass, so that no new text is taken for an old one. Where several begin, the longest counts: of the old
// texts that begin at one place each is the beginning of the next.
void replace_all(std::string& text, const Renames& renames) {
  std::string replaced;
  for (std::size_t at = 0; at < text.size();) {
    const Renames::value_type* longest = nullptr;
    for (const Renames::value_type& rename : renames) {
      if (text.compare(at, rename.first.size(), rename.first) == 0) longest = &rename;
    }
    if (longest == nullptr) {
      replaced += text[at++];
      continue;
    }
    replaced += longest->second;
    at += longest->first.size();
  }
  text = std::move(replaced);
}

void replace_in(json& value, const Renames& renames) {
  if (value.is_string()) replace_all(value.get_ref<std::string&>(), renames);
  if (!value.is_structured()) return;
  for (auto& item : value) replace_in(item, renames);
}

// What windows and widgets were called.
void rename(std::vector<tools::Anchor>& anchors, const Renames& renames) {
  for (tools::Anchor& anchor : anchors) {
    if (anchor.window) replace_all(anchor.window->title, renames);
    if (!anchor.widget) continue;
    replace_all(anchor.widget->label, renames);
    for (std::string& ancestor : anchor.widget->ancestors) replace_all(ancestor, renames);
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
  constexpr std::size_t kShortestName_bytes = 3;  // shorter ones stand in other words by chance
  Renames renames;
  for (const auto& [name, value] : values) {
    std::string known;
    bool is_known = false;
    for (ReplayStep& step : steps) {
      if (step.parameter.empty()) continue;
      known += (known.empty() ? "" : ", ") + step.parameter;
      if (step.parameter != name) continue;
      is_known = true;
      const std::string before = std::exchange(*entered_text(step), value);
      if (before.size() >= kShortestName_bytes && before != value) renames.try_emplace(before, value);
    }
    if (!is_known) {
      throw Error("the session has no parameter \"" + name + "\"; " +
                  (known.empty() ? "it enters no text" : "there are " + known));
    }
  }
  for (ReplayStep& step : steps) rename(step.anchors, renames);
}

void move_workspace(std::vector<ReplayStep>& steps, const std::string& from, const std::string& to) {
  if (from.empty() || from == to) return;
  for (ReplayStep& step : steps) {
    replace_in(step.call.arguments, {{from, to}});
    rename(step.anchors, {{from, to}});
  }
}

}  // namespace agent
