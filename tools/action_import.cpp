#include "tools/action_import.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tools/action_import_parts.h"
#include "tools/key_names.h"

namespace tools {
namespace {

using namespace import_parts;

std::vector<Action> read_dialect(Dialect dialect, const std::string& raw) {
  switch (dialect) {
    case Dialect::Anthropic:
      return read_anthropic(raw);
    case Dialect::OpenAi:
      return read_openai(raw);
    case Dialect::UiTars1:
    case Dialect::UiTarsSeed:
      return read_ui_tars(raw, Target::Space::Norm1000);
    case Dialect::UiTars15:
      return read_ui_tars(raw, Target::Space::Px);
    case Dialect::Qwen25:
      return read_qwen(raw, Target::Space::Px);
    case Dialect::Qwen3:
      return read_qwen(raw, Target::Space::Norm1000);
    case Dialect::OsWorldPyAutoGui:
      return read_pyautogui(raw);
    case Dialect::OsWorldComputer13:
      return read_computer13(raw);
  }
  return {};
}

ActionSource source_of(Dialect dialect, const std::string& raw) {
  switch (dialect) {
    case Dialect::Anthropic:
      return {"anthropic", "", raw};
    case Dialect::OpenAi:
      return {"openai", "", raw};
    case Dialect::UiTars1:
      return {"ui-tars", "1", raw};
    case Dialect::UiTars15:
      return {"ui-tars", "1.5", raw};
    case Dialect::UiTarsSeed:
      return {"ui-tars", "seed", raw};
    case Dialect::Qwen25:
      return {"qwen", "2.5", raw};
    case Dialect::Qwen3:
      return {"qwen", "3", raw};
    case Dialect::OsWorldPyAutoGui:
      return {"osworld", "pyautogui", raw};
    case Dialect::OsWorldComputer13:
      return {"osworld", "computer_13", raw};
  }
  return {};
}

}  // namespace

ActionImporter::ActionImporter(Dialect dialect, CaptureRef capture) : dialect_(dialect), capture_(std::move(capture)) {}

ActionImporter::Result ActionImporter::read(const std::string& raw) {
  std::vector<Action> actions;
  std::optional<Target> pointer = pointer_;
  try {
    actions = read_dialect(dialect_, raw);
    for (Action& action : actions) {
      action.source = source_of(dialect_, raw);
      action.capture = capture_;
      // A drag with only its end starts at the pointer.
      if (action.op == Action::Op::Drag && action.path.size() == 1) {
        if (!pointer) fail("the drag starts at the pointer, and no earlier action says where that is");
        action.path.insert(action.path.begin(), *pointer);
      }
      if (action.target) pointer = action.target;
      if (!action.path.empty()) pointer = action.path.back();
      const auto checked = parse_action(to_json(action));
      if (const auto* error = std::get_if<ActionError>(&checked)) fail(error->message);
    }
  } catch (const ImportProblem& problem) {
    return ActionError{problem.message};
  }
  if (actions.empty()) return ActionError{"the answer holds no action"};
  pointer_ = pointer;
  return actions;
}

namespace import_parts {

void fail(const std::string& message) {
  throw ImportProblem{message};
}

nlohmann::json parse_json(const std::string& text) {
  bool too_deep = false;
  nlohmann::json value = nlohmann::json::parse(
      text,
      [&too_deep](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
        too_deep |= depth > 16;
        return !too_deep;
      },
      /*allow_exceptions=*/false);
  if (too_deep || value.is_discarded()) fail("not JSON, or nested too deeply");
  return value;
}

double number(const nlohmann::json& value, const std::string& name) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) fail(name + " is no number");
  // Not by the locale, in which a comma may be the point.
  std::string text = value.get<std::string>();
  text.erase(0, std::min(text.find_first_not_of(" \t\n+"), text.size()));
  double result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(result)) fail(name + " is no number");
  return result;
}

int whole_number(const nlohmann::json& value, const std::string& name) {
  const double found = number(value, name);
  if (!(std::abs(found) <= 1e6)) fail(name + " is beyond a million");
  return static_cast<int>(found);
}

std::string string(const nlohmann::json& object, const char* name) {
  if (!object.contains(name) || !object.at(name).is_string()) fail(std::string(name) + " must be a string");
  return object.at(name).get<std::string>();
}

Target point_in_text(std::string_view text, Target::Space space) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = text.find_first_of("0123456789-.", at);
    if (start == std::string_view::npos) break;
    std::size_t end = text.find_first_not_of("0123456789-.", start);
    if (end == std::string_view::npos) end = text.size();
    numbers.push_back(number(std::string(text.substr(start, end - start)), "the point"));
    at = end;
  }
  if (numbers.size() == 2) return {.space = space, .x = numbers[0], .y = numbers[1]};
  if (numbers.size() != 4) fail("a point needs two numbers, a box four: " + std::string(text.substr(0, 80)));
  return {.space = space,
          .x = numbers[0],
          .y = numbers[1],
          .width = numbers[2] - numbers[0],
          .height = numbers[3] - numbers[1]};
}

Target point(const nlohmann::json& value, Target::Space space) {
  if (value.is_string()) return point_in_text(value.get<std::string>(), space);
  if (value.is_object() && value.contains("x") && value.contains("y"))
    return {.space = space, .x = number(value["x"], "x"), .y = number(value["y"], "y")};
  if (!value.is_array() || (value.size() != 2 && value.size() != 4)) fail("a point must be [x, y]");
  Target target{.space = space, .x = number(value[0], "x"), .y = number(value[1], "y")};
  if (value.size() == 4) {
    target.width = number(value[2], "x2") - target.x;
    target.height = number(value[3], "y2") - target.y;
  }
  return target;
}

std::vector<std::string> keys(const std::vector<std::string>& names) {
  const auto canonical = canonical_keys(names);
  if (const auto* error = std::get_if<KeyNameError>(&canonical)) fail(error->message);
  return std::get<std::vector<std::string>>(canonical);
}

std::vector<std::string> modifiers(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::vector<std::string> result = keys(names);
  for (const std::string& key : result)
    if (!is_modifier(*keysym_from_name(key))) fail("\"" + key + "\" is no modifier");
  return result;
}

std::vector<std::string> chord(const std::string& text) {
  const auto parsed = parse_chord(text);
  if (const auto* error = std::get_if<KeyNameError>(&parsed)) fail(error->message);
  return std::get<std::vector<std::string>>(parsed);
}

// One item may come bare instead of as a list of one.
std::vector<std::string> strings(const nlohmann::json& value, const std::string& name) {
  if (value.is_string()) return {value.get<std::string>()};
  if (!value.is_array()) fail(name + " must be a list of names");
  std::vector<std::string> result;
  for (const nlohmann::json& item : value) {
    if (!item.is_string()) fail(name + " must be a list of names");
    result.push_back(item.get<std::string>());
  }
  return result;
}

Action::Button button(const std::string& name) {
  if (name == "left" || name == "primary") return Action::Button::Left;
  if (name == "right" || name == "secondary") return Action::Button::Right;
  if (name == "middle" || name == "wheel") return Action::Button::Middle;
  if (name == "back") return Action::Button::Back;
  if (name == "forward") return Action::Button::Forward;
  fail("there is no button \"" + name + "\"");
}

int milliseconds(double seconds) {
  if (!(seconds >= 0 && seconds <= 300)) fail("a duration must be 0 to 300 s");
  return static_cast<int>(std::lround(seconds * 1000));
}

}  // namespace import_parts
}  // namespace tools
