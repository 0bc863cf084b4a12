#pragma once
// What the importers of the dialects share. Problems are thrown as ImportProblem inside and leave as ActionError.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/action_import.h"

namespace tools::import_parts {

struct ImportProblem {
  std::string message;
};
[[noreturn]] void fail(const std::string& message);

// A whole JSON text, or a problem.
nlohmann::json parse_json(const std::string& text);

// Numbers arrive as numbers or as strings of numbers.
double number(const nlohmann::json& value, const std::string& name);
int whole_number(const nlohmann::json& value, const std::string& name);  // without its fraction; within a million
std::string string(const nlohmann::json& object, const char* name);

// [x, y], [x1, y1, x2, y2] (a box), "330, 182", "[500, 500]", {"x": 1, "y": 2}.
Target point(const nlohmann::json& value, Target::Space space);
// All numbers in a text such as "(12,3.5)" or "<point>1 2</point>": two make a point, four a box.
Target point_in_text(std::string_view text, Target::Space space);

std::vector<std::string> keys(const std::vector<std::string>& names);
// "ctrl+shift" as modifiers; every key must be one.
std::vector<std::string> modifiers(const std::vector<std::string>& names);
std::vector<std::string> chord(const std::string& text);
std::vector<std::string> strings(const nlohmann::json& value, const std::string& name);
Action::Button button(const std::string& name);
int milliseconds(double seconds);

// `name(argument, key=value)` in the literals of Python: numbers, strings, lists and tuples of them. No other syntax.
struct Call {
  std::string name;
  std::vector<nlohmann::json> positional;
  nlohmann::json named = nlohmann::json::object();
};
// One call at the start of `text`; `text` then begins behind it.
Call parse_call(std::string_view& text);

std::vector<Action> read_anthropic(const std::string& raw);
std::vector<Action> read_openai(const std::string& raw);
std::vector<Action> read_ui_tars(const std::string& raw, Target::Space space);
std::vector<Action> read_qwen(const std::string& raw, Target::Space space);
std::vector<Action> read_pyautogui(const std::string& raw);
std::vector<Action> read_computer13(const std::string& raw);

}  // namespace tools::import_parts
