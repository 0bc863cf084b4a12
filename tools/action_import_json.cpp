// The dialects whose actions are JSON: Anthropic, OpenAI, Qwen, OSWorld's computer_13.

#include <map>

#include "tools/action_import_parts.h"

namespace tools::import_parts {
namespace {

using nlohmann::json;
using Op = Action::Op;
using Button = Action::Button;
constexpr auto kPx = Target::Space::Px;

struct ClickKind {
  Button button;
  int count;
};
const std::map<std::string, ClickKind>& clicks() {
  static const std::map<std::string, ClickKind> table{{"left_click", {Button::Left, 1}},
                                                      {"right_click", {Button::Right, 1}},
                                                      {"middle_click", {Button::Middle, 1}},
                                                      {"double_click", {Button::Left, 2}},
                                                      {"triple_click", {Button::Left, 3}}};
  return table;
}

double number_of(const json& object, const char* name) {
  if (!object.contains(name)) fail(std::string(name) + " is missing");
  return number(object[name], name);
}

ScrollAmount towards(const std::string& direction, double amount) {
  if (direction == "up") return {.dx = 0, .dy = -amount};
  if (direction == "down") return {.dx = 0, .dy = amount};
  if (direction == "left") return {.dx = -amount, .dy = 0};
  if (direction == "right") return {.dx = amount, .dy = 0};
  fail("there is no scroll direction \"" + direction + "\"");
}

std::vector<Action> anthropic_keys(const json& input) {
  // xdotool's syntax: chords, several of them apart by spaces.
  std::vector<Action> actions;
  const std::string text = string(input, "text");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) actions.push_back({.op = Op::KeyChord, .keys = chord(text.substr(at, end - at))});
    at = end + 1;
  }
  if (actions.empty()) actions.push_back({.op = Op::KeyChord, .keys = chord(text)});
  if (!input.contains("repeat")) return actions;
  if (actions.size() > 1) fail("repeat goes with one chord");
  actions[0].count = whole_number(input.at("repeat"), "repeat");
  return actions;
}

Action anthropic_pointer(const std::string& name, const json& input) {
  Action action;
  if (input.contains("coordinate") && !input["coordinate"].is_null()) action.target = point(input["coordinate"], kPx);
  if (input.contains("text") && !input["text"].is_null()) {
    std::vector<std::string> names = chord(string(input, "text"));
    action.modifiers = modifiers(names);
  }
  if (const auto click = clicks().find(name); click != clicks().end()) {
    action.op = Op::Click;
    action.button = click->second.button;
    action.count = click->second.count;
  } else if (name == "mouse_move") {
    action.op = Op::Move;
  } else if (name == "left_mouse_down" || name == "left_mouse_up") {
    action.op = name == "left_mouse_down" ? Op::ButtonDown : Op::ButtonUp;
  } else if (name == "scroll") {
    action.op = Op::Scroll;
    action.scroll = towards(string(input, "scroll_direction"), number_of(input, "scroll_amount"));
  } else if (name == "left_click_drag") {
    if (!action.target) fail("coordinate is missing");
    action.op = Op::Drag;
    if (input.contains("start_coordinate")) action.path.push_back(point(input["start_coordinate"], kPx));
    action.path.push_back(*action.target);
    action.target.reset();
  } else {
    fail("there is no action \"" + name + "\"");
  }
  return action;
}

capture::Rect region_of(const json& value) {
  if (!value.is_array() || value.size() != 4) fail("region must be [x0, y0, x1, y1]");
  const int x = whole_number(value[0], "x0"), y = whole_number(value[1], "y0");
  return {x, y, whole_number(value[2], "x1") - x, whole_number(value[3], "y1") - y};
}

Target openai_point(const json& object) {
  return point(object, kPx);
}

Action openai_action(const json& object) {
  const std::string type = string(object, "type");
  Action action;
  if (object.contains("keys") && type != "keypress" && !object["keys"].is_null())
    action.modifiers = modifiers(strings(object["keys"], "keys"));
  if (type == "click" || type == "double_click" || type == "move" || type == "scroll")
    action.target = openai_point(object);
  if (type == "click") {
    action.op = Op::Click;
    action.button = button(object.contains("button") ? string(object, "button") : "left");
  } else if (type == "double_click") {
    action.op = Op::Click;
    action.count = 2;
  } else if (type == "move") {
    action.op = Op::Move;
  } else if (type == "scroll") {
    action.op = Op::Scroll;
    action.scroll = {
        .dx = number_of(object, "scroll_x"), .dy = number_of(object, "scroll_y"), .unit = ScrollAmount::Unit::Px};
  } else if (type == "drag") {
    action.op = Op::Drag;
    if (!object.contains("path") || !object["path"].is_array() || object["path"].size() < 2)
      fail("a drag needs a path of two points or more");
    for (const json& item : object["path"]) action.path.push_back(point(item, kPx));
  } else if (type == "keypress") {
    action.op = Op::KeyChord;
    if (!object.contains("keys")) fail("keys is missing");
    action.keys = keys(strings(object["keys"], "keys"));
  } else if (type == "type") {
    action.op = Op::Type;
    action.text = string(object, "text");
  } else if (type == "wait") {
    action.op = Op::Wait;
    action.duration_ms = 1000;  // the call names no time; the samples wait one to two seconds
  } else if (type == "screenshot") {
    action.op = Op::Screenshot;
  } else {
    fail("there is no action \"" + type + "\"");
  }
  return action;
}

// The arguments object of a call, wherever the recording keeps it.
json qwen_arguments(const std::string& raw) {
  std::string text = raw;
  constexpr std::string_view kOpen = "<tool_call>", kClose = "</tool_call>";
  if (const std::size_t open = raw.find(kOpen); open != std::string::npos) {
    const std::size_t close = raw.find(kClose, open);
    if (close == std::string::npos) fail("the tool call isn't closed");
    if (raw.find(kOpen, close) != std::string::npos) fail("more than one tool call");
    text = raw.substr(open + kOpen.size(), close - open - kOpen.size());
  }
  json call = parse_json(text);
  if (!call.is_object()) fail("the call must be an object");
  if (call.contains("name") && call["name"] != "computer_use") fail("the call is not for computer_use");
  json arguments = call.contains("arguments") ? call["arguments"] : call;
  if (arguments.is_string()) arguments = parse_json(arguments.get<std::string>());
  if (!arguments.is_object()) fail("arguments must be an object");
  return arguments;
}

Action qwen_end(const std::string& name, const json& arguments) {
  Action action{.op = Op::Finish, .status = Action::Status::Success};
  if (name == "answer") {
    action.text = string(arguments, "text");
    return action;
  }
  const std::string status = string(arguments, "status");
  if (status != "success" && status != "failure") fail("status must be success or failure");
  if (status == "failure") action.status = Action::Status::Failure;
  return action;
}

}  // namespace

std::vector<Action> read_anthropic(const std::string& raw) {
  json record = parse_json(raw);
  if (!record.is_object()) fail("the record must be an object");
  const json input = record.contains("input") ? record["input"] : record;
  if (!input.is_object()) fail("input must be an object");
  // The toolset names the action in the call, the single tool in its input.
  const bool toolset = !input.contains("action");
  const std::string name = toolset ? string(record, "name") : string(input, "action");
  if (name == "key") return anthropic_keys(input);
  if (name == "type") return {{.op = Op::Type, .text = string(input, "text")}};
  if (name == "hold_key")
    return {{.op = Op::Hold,
             .keys = chord(string(input, "text")),
             .duration_ms = milliseconds(number_of(input, "duration"))}};
  if (name == "wait") return {{.op = Op::Wait, .duration_ms = milliseconds(number_of(input, "duration"))}};
  if (name == "screenshot") return {{.op = Op::Screenshot}};
  if (name == "cursor_position") return {{.op = Op::CursorPosition}};
  if (name == "zoom") return {{.op = Op::Zoom, .region = region_of(input.value("region", json()))}};
  return {anthropic_pointer(name, input)};
}

std::vector<Action> read_openai(const std::string& raw) {
  const json record = parse_json(raw);
  if (!record.is_object()) fail("the record must be an object");
  std::vector<Action> actions;
  if (record.contains("actions")) {
    if (!record["actions"].is_array()) fail("actions must be a list");
    for (const json& item : record["actions"]) actions.push_back(openai_action(item));
  } else {
    actions.push_back(openai_action(record.contains("action") ? record["action"] : record));
  }
  return actions;
}

std::vector<Action> read_qwen(const std::string& raw, Target::Space space) {
  const json arguments = qwen_arguments(raw);
  const std::string name = string(arguments, "action");
  Action action;
  if (arguments.contains("coordinate")) action.target = point(arguments["coordinate"], space);
  if (const auto click = clicks().find(name); click != clicks().end()) {
    action.op = Op::Click;
    action.button = click->second.button;
    action.count = click->second.count;
  } else if (name == "mouse_move") {
    action.op = Op::Move;
  } else if (name == "left_click_drag") {
    if (!action.target) fail("coordinate is missing");
    action.op = Op::Drag;
    action.path = {*action.target};
    action.target.reset();
  } else if (name == "scroll") {
    // Up is positive here.
    action.op = Op::Scroll;
    action.scroll = {.dx = 0, .dy = -number_of(arguments, "pixels"), .unit = ScrollAmount::Unit::Px};
  } else if (name == "hscroll") {
    // Nothing says which side is positive; right, as everywhere else.
    action.op = Op::Scroll;
    action.scroll = {.dx = number_of(arguments, "pixels"), .dy = 0, .unit = ScrollAmount::Unit::Px};
  } else if (name == "key") {
    if (!arguments.contains("keys")) fail("keys is missing");
    action = {.op = Op::KeyChord, .keys = keys(strings(arguments["keys"], "keys"))};
  } else if (name == "type") {
    action = {.op = Op::Type, .text = string(arguments, "text")};
  } else if (name == "wait") {
    action = {.op = Op::Wait, .duration_ms = milliseconds(number_of(arguments, "time"))};
  } else if (name == "answer" || name == "terminate") {
    action = qwen_end(name, arguments);
  } else {
    fail("there is no action \"" + name + "\"");
  }
  return {action};
}

namespace {

Action computer13_pointer(const std::string& type, const json& parameters) {
  Action action;
  if (parameters.contains("x") || parameters.contains("y")) action.target = point(parameters, kPx);
  if (parameters.contains("button")) action.button = button(string(parameters, "button"));
  if (type == "MOVE_TO") {
    action.op = Op::Move;
  } else if (type == "CLICK") {
    action.op = Op::Click;
    if (parameters.contains("num_clicks")) action.count = whole_number(parameters.at("num_clicks"), "num_clicks");
  } else if (type == "RIGHT_CLICK") {
    action.op = Op::Click;
    action.button = Button::Right;
  } else if (type == "DOUBLE_CLICK") {
    action.op = Op::Click;
    action.count = 2;
  } else if (type == "MOUSE_DOWN" || type == "MOUSE_UP") {
    action.op = type == "MOUSE_DOWN" ? Op::ButtonDown : Op::ButtonUp;
  } else if (type == "DRAG_TO") {
    if (!action.target) fail("DRAG_TO needs x and y");
    action.op = Op::Drag;
    action.path = {*action.target};
    action.target.reset();
  } else if (type == "SCROLL") {
    // pyautogui's sign: up is positive.
    action.op = Op::Scroll;
    action.scroll = {.dx = parameters.contains("dx") ? number_of(parameters, "dx") : 0,
                     .dy = parameters.contains("dy") ? -number_of(parameters, "dy") : 0};
  } else {
    fail("there is no action \"" + type + "\"");
  }
  return action;
}

}  // namespace

std::vector<Action> read_computer13(const std::string& raw) {
  if (raw == "WAIT") return {{.op = Op::Wait, .duration_ms = 1000}};
  if (raw == "DONE") return {{.op = Op::Finish, .status = Action::Status::Success}};
  if (raw == "FAIL") return {{.op = Op::Finish, .status = Action::Status::Failure}};
  const json record = parse_json(raw);
  if (record.is_string()) return read_computer13(record.get<std::string>());
  if (!record.is_object()) fail("the record must be an object");
  const std::string type = string(record, "action_type");
  const json parameters = record.value("parameters", json::object());
  if (!parameters.is_object()) fail("parameters must be an object");
  if (type == "WAIT" || type == "DONE" || type == "FAIL") return read_computer13(type);
  if (type == "TYPING") return {{.op = Op::Type, .text = string(parameters, "text")}};
  if (type == "PRESS") return {{.op = Op::KeyChord, .keys = keys({string(parameters, "key")})}};
  if (type == "KEY_DOWN") return {{.op = Op::KeyDown, .keys = keys({string(parameters, "key")})}};
  if (type == "KEY_UP") return {{.op = Op::KeyUp, .keys = keys({string(parameters, "key")})}};
  if (type == "HOTKEY") return {{.op = Op::KeyChord, .keys = keys(strings(parameters.value("keys", json()), "keys"))}};
  return {computer13_pointer(type, parameters)};
}

}  // namespace tools::import_parts
