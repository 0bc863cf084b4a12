#pragma once
// Jinja's filters, tests, global functions and the methods of strings and dictionaries that chat templates use.

#include <optional>
#include <string>
#include <string_view>

#include "agent/jinja/value.h"

namespace agent::jinja {

bool is_filter(std::string_view name);
bool is_test(std::string_view name);

// `name` must be a filter's or a test's.
Value apply_filter(Interpreter& interpreter, const std::string& name, const Value& input, const Arguments& arguments);
bool apply_test(const std::string& name, const Value& input, const Arguments& arguments);

// value.name: a method bound to its value; nothing when the type has no such method.
std::optional<Value> find_method(const Value& value, const std::string& name);
// raise_exception, strftime_now, range, namespace, dict; nothing when there is no such function.
std::optional<Value> find_global(const std::string& name);

// The text of an argument that must be a string.
const Text& require_text(const Value& value, std::string_view what);
std::int64_t require_integer(const Value& value, std::string_view what);

// Python's operations on strings. Upper and lower case know ASCII letters only; no chat template needs more.
enum class Sides { Left, Right, Both };
Text strip(const Text& text, const Text* characters, Sides sides);  // white space when `characters` is null
Text replace(const Text& text, const Text& from, const Text& to, std::int64_t max_count);
enum class Case {
  Lower,
  Upper,
  Capitalized,
  Title,  // str.title: a letter after anything that is none rises, "It'S"
  Words,  // the filter: only after white space, a hyphen or an opening bracket, "It's"
};
Text change_case(const Text& text, Case to);
Text joined(const std::vector<Value>& items, const Text& separator);

}  // namespace agent::jinja
