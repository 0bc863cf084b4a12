#include "tools/keyboard.h"

#include <algorithm>

#include "tools/anchor_reader.h"
#include "tools/desktop_action.h"
#include "tools/key_names.h"
#include "tools/utf8.h"

namespace tools {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxText_bytes = 100'000;
constexpr Pause kPressed{15};

// Chords that take the desktop away from everybody, whoever has the focus.
bool leaves_the_desktop(const std::vector<std::string>& keys) {
  const auto has = [&](const char* key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
  const bool switches_console = std::any_of(keys.begin(), keys.end(), [](const std::string& key) {
    return (key.size() > 1 && key[0] == 'F' && key[1] >= '1' && key[1] <= '9') || key == "BackSpace" || key == "Delete";
  });
  return (has("ctrl") && has("alt") && switches_console) || has("Sys_Req");
}

std::string joined(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : "+") + key;
  return text;
}

}  // namespace

std::optional<std::string> ClipboardRoute::insert(const std::string& utf8, std::stop_token stop) {
  Clipboard& clipboard = desktop_.clipboard();
  const ClipboardRead before = clipboard.read_all(Selection::Clipboard, stop);
  if (!before.problem.empty()) return "what is on the clipboard could not be kept: " + before.problem;
  if (!clipboard.write(Selection::Clipboard, {{"text/plain", utf8}})) return "another program took the clipboard";
  const auto control = *keysym_from_name("ctrl"), v = *keysym_from_name("v");
  const InputOutcome outcome = desktop_.perform(
      {KeyChange{control, true}, KeyChange{v, true}, kPressed, KeyChange{v, false}, KeyChange{control, false}}, stop);
  // The program asks for the text after it has read the keys.
  desktop_.screen_watch().settle({.quiet_ms = 300, .cap_ms = 3000, .first_change_ms = 1000}, stop);
  clipboard.write(Selection::Clipboard, before.content);
  if (outcome.ending == InputOutcome::Ending::Done) return std::nullopt;
  return outcome.message;
}

KeyboardTool::KeyboardTool(Desktop& desktop, std::map<std::string, std::unique_ptr<TextRoute>> routes,
                           std::unique_ptr<FieldReader> reader)
    : desktop_(desktop), routes_(std::move(routes)), reader_(std::move(reader)) {}

ToolSpec KeyboardTool::spec() const {
  json route_names = json::array({"keys"});
  for (const auto& [name, route] : routes_) route_names.push_back(name);
  return {
      "keyboard",
      "Works the keyboard of the window that has the focus. type: any text, exactly, line ends press Return. key: a "
      "chord such as \"ctrl+s\", \"Return\" or \"alt+F4\". press and release: hold keys over several calls. hold: "
      "keys for a time.",
      {{"type", "object"},
       {"properties",
        {{"action", {{"type", "string"}, {"enum", {"type", "key", "press", "release", "hold"}}}},
         {"text", {{"type", "string"}, {"minLength", 1}, {"description", "type: the text"}}},
         {"keys", {{"type", "string"}, {"minLength", 1}, {"description", "key names joined by +"}}},
         {"repeat", {{"type", "integer"}, {"minimum", 1}, {"maximum", 100}, {"description", "key: times"}}},
         {"duration_ms", {{"type", "integer"}, {"minimum", 1}, {"maximum", 60000}, {"description", "hold: time"}}},
         {"route",
          {{"type", "string"},
           {"enum", route_names},
           {"description", "type: how the text gets in; keys unless that fails"}}}}},
       {"required", {"action"}},
       {"additionalProperties", false}}};
}

ToolResult KeyboardTool::type(const json& arguments, Aim aim, std::stop_token stop) {
  if (!arguments.contains("text")) return not_done("type needs `text`");
  const std::string text = arguments["text"];
  if (text.size() > kMaxText_bytes) return not_done("the text is longer than 100,000 bytes; type it in parts");
  const std::optional<std::u32string> characters = typeable(text);
  if (!characters) return not_done("the text holds a control character that no key gives");
  const std::string what = "typed " + std::to_string(characters->size()) + " characters";
  const std::string name = arguments.value("route", "keys");
  const bool is_secret = desktop_.mentions_secret(text);
  if (name != "keys" && is_secret) return not_done("a secret can be typed by keys only");
  aim.trace = Aim::Trace::ReadBack;
  if (reader_ && !is_secret) {  // what holds a secret is nobody's to read
    reader_->expect(text, stop);
    aim.read_back = [&] { return reader_->check(stop); };
  }
  ToolResult result =
      name == "keys" ? act(desktop_, {TypeText{text}}, aim, what, stop) : type_by(name, text, aim, what, stop);
  if (result.ok && !result.evidence->field_text) result.text += " What the field holds can't be read back.";
  return result;
}

ToolResult KeyboardTool::type_by(const std::string& route, const std::string& text, const Aim& aim,
                                 const std::string& what, std::stop_token stop) {
  EvidenceWatch watch(desktop_);
  if (const std::optional<std::string> problem = routes_.at(route)->insert(text, stop))
    return not_done("the " + route + " route failed: " + *problem);
  ToolResult result{.ok = true, .text = ""};
  result.evidence = watch.finish(aim, stop);
  result.text = what + " by " + route + "; " + describe(*result.evidence) + ".";
  return result;
}

ToolResult KeyboardTool::press(const json& arguments, Aim aim, std::stop_token stop) {
  const std::string action = arguments["action"];
  if (!arguments.contains("keys")) return not_done(action + " needs `keys`");
  const auto parsed = parse_chord(arguments["keys"].get<std::string>());
  if (const auto* error = std::get_if<KeyNameError>(&parsed)) return not_done(error->message);
  const auto& keys = std::get<std::vector<std::string>>(parsed);
  if (leaves_the_desktop(keys)) return refused(joined(keys) + " switches the console or ends the session");
  if (action == "hold" && !arguments.contains("duration_ms")) return not_done("hold needs `duration_ms`");

  std::vector<InputStep> down, up, steps;
  for (const std::string& key : keys) {
    down.emplace_back(KeyChange{*keysym_from_name(key), true});
    up.insert(up.begin(), KeyChange{*keysym_from_name(key), false});
  }
  if (action == "press") {
    steps = down;
  } else if (action == "release") {
    steps = up;
  } else {
    for (int press_idx = 0; press_idx < arguments.value("repeat", 1); ++press_idx) {
      steps.insert(steps.end(), down.begin(), down.end());
      steps.emplace_back(action == "hold" ? Pause{arguments["duration_ms"].get<int>()} : kPressed);
      steps.insert(steps.end(), up.begin(), up.end());
      steps.emplace_back(kPressed);
    }
  }
  aim.trace = action == "key" || action == "hold" ? Aim::Trace::Visible : Aim::Trace::Unseen;
  return act(desktop_, steps, aim, action + " " + joined(keys), stop);
}

std::optional<CallTarget> KeyboardTool::target(const ToolCall&) {
  return focused_target(desktop_);
}

ToolResult KeyboardTool::run(const ToolCall& call, std::stop_token stop) {
  if (const std::optional<std::string> reason = protected_focus(desktop_)) return refused(*reason);
  if (const std::optional<std::string> moved = desktop_.focus_problem()) return not_done(*moved);
  Aim aim;
  if (const std::optional<Window> window = desktop_.windows().active()) aim.where = window->frame;
  std::vector<Anchor> anchors = focus_anchor(desktop_, stop);
  ToolResult result =
      call.arguments["action"] == "type" ? type(call.arguments, aim, stop) : press(call.arguments, aim, stop);
  result.anchors = std::move(anchors);
  return result;
}

}  // namespace tools
