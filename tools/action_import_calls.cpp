// The dialects whose actions are written as calls: UI-TARS and OSWorld's pyautogui.

#include <map>

#include "tools/action_import_parts.h"
#include "tools/utf8.h"

namespace tools::import_parts {
namespace {

using nlohmann::json;
using Op = Action::Op;
using Button = Action::Button;

constexpr int kMaxNesting = 4;

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

class CallParser {
 public:
  explicit CallParser(std::string_view& text) : text_(text) {}

  Call call() {
    Call result;
    result.name = name();
    if (result.name.empty()) fail("an action must be written as name(…)");
    expect('(');
    while (!take(')')) {
      argument(result);
      if (take(')')) break;
      expect(',');
    }
    return result;
  }

 private:
  void skip_space() {
    const std::size_t start = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(start == std::string_view::npos ? text_.size() : start);
  }
  bool take(char wanted) {
    skip_space();
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail(std::string("expected ") + wanted + " before: " + std::string(text_.substr(0, 40)));
  }
  std::string name() {
    skip_space();
    std::size_t end = 0;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string result(text_.substr(0, end));
    text_.remove_prefix(end);
    return result;
  }
  void argument(Call& call) {
    skip_space();
    const std::string_view before = text_;
    const std::string key = name();
    if (!key.empty() && (key[0] < '0' || key[0] > '9') && take('=')) {
      if (call.named.contains(key)) fail("the argument " + key + " is given twice");
      call.named[key] = value(0);
      return;
    }
    text_ = before;
    if (!call.named.empty()) fail("a positional argument follows a named one");
    call.positional.push_back(value(0));
  }
  json value(int depth) {
    if (depth > kMaxNesting) fail("lists are nested too deeply");
    skip_space();
    if (text_.empty()) fail("a value is missing");
    if (text_.front() == '\'' || text_.front() == '"') return quoted();
    for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
      if (!take(open)) continue;
      json list = json::array();
      while (!take(close)) {
        list.push_back(value(depth + 1));
        if (take(close)) break;
        expect(',');
      }
      return list;
    }
    std::size_t end = text_.front() == '-' ? 1 : 0;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string word(text_.substr(0, end));
    text_.remove_prefix(end);
    if (word == "None") return nullptr;
    if (word == "True") return true;
    if (word == "False") return false;
    return number(word, word);
  }
  json quoted() {
    const char quote = text_.front();
    text_.remove_prefix(1);
    std::string result;
    while (!text_.empty() && text_.front() != quote) {
      if (text_.front() != '\\' || text_.size() < 2) {
        result += text_.front();
        text_.remove_prefix(1);
        continue;
      }
      const char escaped = text_[1];
      text_.remove_prefix(2);
      if (escaped == 'u' || escaped == 'x' || escaped == 'U')
        result += hexadecimal(escaped == 'x' ? 2 : escaped == 'u' ? 4 : 8);
      else if (escaped == 'n' || escaped == 't' || escaped == 'r')
        result += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : '\r';
      else if (escaped == '\\' || escaped == '\'' || escaped == '"')
        result += escaped;
      else
        (result += '\\') += escaped;  // as Python keeps an escape that it doesn't know
    }
    if (text_.empty()) fail("a string isn't closed");
    text_.remove_prefix(1);
    return result;
  }
  std::string hexadecimal(std::size_t n_digits) {
    const std::string digits(text_.substr(0, n_digits));
    if (digits.size() != n_digits || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      fail("an escape lacks its digits");
    text_.remove_prefix(n_digits);
    const std::string utf8 = encode_utf8(static_cast<char32_t>(std::stoul(digits, nullptr, 16)));
    if (!decode_utf8(utf8)) fail("an escape is no character");
    return utf8;
  }

  std::string_view& text_;
};

// A parameter by position or by name; null when absent.
json argument(const Call& call, std::size_t position, const char* name) {
  if (position < call.positional.size()) return call.positional[position];
  return call.named.value(name, json());
}

// ---- UI-TARS

std::optional<Target> ui_tars_target(const Call& call, const char* box, const char* point_name, Target::Space space) {
  for (const char* name : {box, point_name})
    if (call.named.contains(name)) return point(call.named[name], space);
  return std::nullopt;
}

std::vector<std::string> names_apart(const std::string& text) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : text + " ") {
    if (c != ' ' && c != '+') {
      name += c;
    } else if (!name.empty()) {
      names.push_back(std::move(name));
      name.clear();
    }
  }
  return names;
}

// Line ends may be real, "\r\n", or the two characters backslash and n that a model wrote twice escaped.
std::string ui_tars_text(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.starts_with("\\n")) {
      result += '\n';
      ++at;
    } else if (!rest.starts_with("\r\n")) {
      result += text[at];
    }
  }
  return result;
}

struct PointerCall {
  Op op;
  Button button;
  int count;
};
const std::map<std::string, PointerCall>& ui_tars_pointer_calls() {
  static const std::map<std::string, PointerCall> table{{"click", {Op::Click, Button::Left, 1}},
                                                        {"left_single", {Op::Click, Button::Left, 1}},
                                                        {"left_click", {Op::Click, Button::Left, 1}},
                                                        {"left_double", {Op::Click, Button::Left, 2}},
                                                        {"double_click", {Op::Click, Button::Left, 2}},
                                                        {"right_single", {Op::Click, Button::Right, 1}},
                                                        {"right_click", {Op::Click, Button::Right, 1}},
                                                        {"middle_click", {Op::Click, Button::Middle, 1}},
                                                        {"hover", {Op::Move, Button::Left, 1}},
                                                        {"mouse_move", {Op::Move, Button::Left, 1}},
                                                        {"mouse_down", {Op::ButtonDown, Button::Left, 1}},
                                                        {"mouse_up", {Op::ButtonUp, Button::Left, 1}}};
  return table;
}

Action ui_tars_drag(const Call& call, Target::Space space) {
  const auto start = ui_tars_target(call, "start_box", "start_point", space);
  const auto end = ui_tars_target(call, "end_box", "end_point", space);
  if (!start || !end) fail("a drag needs its start and its end");
  return {.op = Op::Drag, .path = {*start, *end}};
}

Action ui_tars_scroll(const Call& call, Target::Space space) {
  constexpr double kNotches = 5;  // the operators turn the wheel by five
  const std::string direction = string(call.named, "direction");
  Action action{
      .op = Op::Scroll, .target = ui_tars_target(call, "start_box", "point", space), .scroll = ScrollAmount{}};
  if (direction == "up" || direction == "down")
    action.scroll->dy = direction == "up" ? -kNotches : kNotches;
  else if (direction == "left" || direction == "right")
    action.scroll->dx = direction == "left" ? -kNotches : kNotches;
  else
    fail("there is no scroll direction \"" + direction + "\"");
  return action;
}

Action ui_tars_action(const Call& call, Target::Space space) {
  if (!call.positional.empty()) fail("UI-TARS names every argument");
  if (const auto known = ui_tars_pointer_calls().find(call.name); known != ui_tars_pointer_calls().end()) {
    Action action{.op = known->second.op,
                  .target = ui_tars_target(call, "start_box", "point", space),
                  .button = known->second.button,
                  .count = known->second.count};
    return action;
  }
  if (call.name == "drag" || call.name == "select" || call.name == "left_click_drag") return ui_tars_drag(call, space);
  if (call.name == "scroll") return ui_tars_scroll(call, space);
  if (call.name == "type") return {.op = Op::Type, .text = ui_tars_text(string(call.named, "content"))};
  if (call.name == "hotkey") return {.op = Op::KeyChord, .keys = keys(names_apart(string(call.named, "key")))};
  if (call.name == "press" || call.name == "keydown")
    return {.op = Op::KeyDown, .keys = keys(names_apart(string(call.named, "key")))};
  if (call.name == "release" || call.name == "keyup")
    return {.op = Op::KeyUp, .keys = keys(names_apart(string(call.named, "key")))};
  if (call.name == "wait") return {.op = Op::Wait, .duration_ms = 5000};
  if (call.name == "finished")
    return {.op = Op::Finish,
            .text = call.named.contains("content") ? string(call.named, "content") : "",
            .status = Action::Status::Success};
  if (call.name == "call_user") return {.op = Op::AskUser, .text = "The agent asks for help."};
  fail("there is no action \"" + call.name + "\"");
}

// ---- pyautogui

std::optional<Target> pyautogui_target(const Call& call) {
  json x = argument(call, 0, "x"), y = argument(call, 1, "y");
  if (x.is_array()) return point(x, Target::Space::Px);
  if (x.is_null() && y.is_null()) return std::nullopt;
  if (x.is_null() || y.is_null()) fail("a point needs both x and y");
  return Target{.space = Target::Space::Px, .x = number(x, "x"), .y = number(y, "y")};
}

std::optional<int> pyautogui_duration(const Call& call, std::size_t position) {
  const json duration = argument(call, position, "duration");
  if (duration.is_null()) return std::nullopt;
  return milliseconds(number(duration, "duration"));
}

Action pyautogui_click(const Call& call, const std::string& name) {
  Action action{.op = Op::Click, .target = pyautogui_target(call)};
  if (name == "doubleClick") action.count = 2;
  if (name == "tripleClick") action.count = 3;
  if (name == "rightClick") action.button = Button::Right;
  if (name == "middleClick") action.button = Button::Middle;
  if (name != "click") return action;
  if (const json count = argument(call, 2, "clicks"); !count.is_null()) action.count = whole_number(count, "clicks");
  if (const json which = argument(call, 4, "button"); which.is_string()) action.button = button(which);
  return action;
}

std::vector<Action> pyautogui_keys(const Call& call, const std::string& name) {
  if (name == "hotkey") {
    std::vector<std::string> names;
    for (const json& item : call.positional)
      for (const std::string& key : strings(item, "hotkey")) names.push_back(key);
    return {{.op = Op::KeyChord, .keys = keys(names)}};
  }
  const std::vector<std::string> names = strings(argument(call, 0, name == "press" ? "keys" : "key"), "keys");
  std::vector<Action> actions;
  for (const std::string& key : names) {
    Action action{.op = name == "keyDown" ? Op::KeyDown
                        : name == "keyUp" ? Op::KeyUp
                                          : Op::KeyChord,
                  .keys = keys({key})};
    if (const json presses = argument(call, 1, "presses"); name == "press" && !presses.is_null())
      action.count = whole_number(presses, "presses");
    actions.push_back(std::move(action));
  }
  return actions;
}

std::vector<Action> pyautogui_write(const Call& call) {
  const json message = argument(call, 0, "message");
  if (message.is_string()) return {{.op = Op::Type, .text = message}};
  // A list means keys, one after the other.
  std::vector<Action> actions;
  for (const std::string& key : strings(message, "message"))
    actions.push_back({.op = Op::KeyChord, .keys = keys({key})});
  return actions;
}

Action pyautogui_scroll(const Call& call, bool horizontal) {
  const json clicks = argument(call, 0, "clicks");
  if (clicks.is_null()) fail("scroll needs its clicks");
  const double amount = number(clicks, "clicks");
  Action action{.op = Op::Scroll, .scroll = ScrollAmount{}};
  // Up and right are positive here.
  (horizontal ? action.scroll->dx : action.scroll->dy) = horizontal ? amount : -amount;
  const json x = argument(call, 1, "x"), y = argument(call, 2, "y");
  if (!x.is_null() && !y.is_null())
    action.target = Target{.space = Target::Space::Px, .x = number(x, "x"), .y = number(y, "y")};
  return action;
}

std::vector<Action> pyautogui_actions(const Call& call) {
  if (call.name == "time.sleep" || call.name == "pyautogui.sleep")
    return {{.op = Op::Wait, .duration_ms = milliseconds(number(argument(call, 0, "secs"), "the time"))}};
  constexpr std::string_view kModule = "pyautogui.";
  if (!call.name.starts_with(kModule)) fail(call.name + " is not pyautogui's");
  const std::string name = call.name.substr(kModule.size());
  if (name == "click" || name == "doubleClick" || name == "tripleClick" || name == "rightClick" ||
      name == "middleClick")
    return {pyautogui_click(call, name)};
  if (name == "moveTo")
    return {{.op = Op::Move, .target = pyautogui_target(call), .duration_ms = pyautogui_duration(call, 2)}};
  if (name == "dragTo") {
    const std::optional<Target> end = pyautogui_target(call);
    if (!end) fail("dragTo needs its end");
    return {{.op = Op::Drag, .path = {*end}, .duration_ms = pyautogui_duration(call, 2)}};
  }
  if (name == "mouseDown" || name == "mouseUp")
    return {{.op = name == "mouseDown" ? Op::ButtonDown : Op::ButtonUp, .target = pyautogui_target(call)}};
  if (name == "scroll" || name == "vscroll") return {pyautogui_scroll(call, false)};
  if (name == "hscroll") return {pyautogui_scroll(call, true)};
  if (name == "write" || name == "typewrite") return pyautogui_write(call);
  if (name == "press" || name == "hotkey" || name == "keyDown" || name == "keyUp") return pyautogui_keys(call, name);
  fail("there is no pyautogui." + name);
}

void skip_between_statements(std::string_view& text) {
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t\r\n;");
    text.remove_prefix(start == std::string_view::npos ? text.size() : start);
    if (!text.starts_with("import ") && !text.starts_with('#')) return;
    const std::size_t end = text.find_first_of(text.front() == '#' ? "\n" : "\n;");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  }
}

}  // namespace

Call parse_call(std::string_view& text) {
  return CallParser(text).call();
}

std::vector<Action> read_ui_tars(const std::string& raw, Target::Space space) {
  constexpr std::string_view kMark = "Action:";
  const std::size_t mark = raw.rfind(kMark);
  std::string_view text = raw;
  if (mark != std::string::npos) text.remove_prefix(mark + kMark.size());
  std::vector<Action> actions;
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return actions;
    text.remove_prefix(start);
    actions.push_back(ui_tars_action(parse_call(text), space));
  }
}

std::vector<Action> read_pyautogui(const std::string& raw) {
  std::string_view text = raw;
  std::vector<Action> actions;
  for (skip_between_statements(text); !text.empty(); skip_between_statements(text)) {
    const std::size_t end = std::min(text.find_first_of("\r\n;"), text.size());
    const std::string_view line = text.substr(0, end);
    if (line == "WAIT" || line == "DONE" || line == "FAIL") {
      const std::vector<Action> word = read_computer13(std::string(line));
      actions.push_back(word.front());
      text.remove_prefix(end);
      continue;
    }
    for (Action& action : pyautogui_actions(parse_call(text))) actions.push_back(std::move(action));
  }
  return actions;
}

}  // namespace tools::import_parts
