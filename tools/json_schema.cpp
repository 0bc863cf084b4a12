#include "tools/json_schema.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tools {
namespace {

using nlohmann::json;
using Problems = std::vector<std::string>;

constexpr size_t kShownValueChars = 60;

std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > kShownValueChars) {
    size_t end = kShownValueChars;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
    text = text.substr(0, end) + "…";
  }
  return text;
}

std::string listed(const json& values) {
  std::string text;
  for (const json& value : values) text += (text.empty() ? "" : ", ") + shown(value);
  return text;
}

bool has_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (type != "integer") return false;
  // JSON has one kind of number: 3.0 is an integer too, unless it is too large to be exact.
  constexpr double kMostExact = 9007199254740992;  // 2^53
  if (!value.is_number_float()) return value.is_number_integer();
  return std::abs(value.get<double>()) <= kMostExact && value.get<double>() == std::floor(value.get<double>());
}

bool fits_type(const json& schema, const json& value) {
  const auto type = schema.find("type");
  if (type == schema.end()) return true;
  if (type->is_string()) return has_type(value, *type);
  return std::any_of(type->begin(), type->end(), [&](const json& name) { return has_type(value, name); });
}

void check_number(const json& schema, const json& value, const std::string& name, Problems& problems) {
  if (!value.is_number()) return;
  if (schema.contains("minimum") && value.get<double>() < schema["minimum"].get<double>())
    problems.push_back(name + " is " + shown(value) + ", the least allowed is " + shown(schema["minimum"]));
  if (schema.contains("maximum") && value.get<double>() > schema["maximum"].get<double>())
    problems.push_back(name + " is " + shown(value) + ", the most allowed is " + shown(schema["maximum"]));
}

void check_array(const json& schema, const json& value, const std::string& name, Problems& problems) {
  if (!value.is_array()) return;
  const size_t n_items = value.size();
  if (schema.contains("minItems") && n_items < schema["minItems"].get<size_t>())
    problems.push_back(name + " has " + std::to_string(n_items) + " items, at least " + shown(schema["minItems"]) +
                       " are needed");
  if (schema.contains("maxItems") && n_items > schema["maxItems"].get<size_t>())
    problems.push_back(name + " has " + std::to_string(n_items) + " items, at most " + shown(schema["maxItems"]) +
                       " are allowed");
  if (!schema.contains("items")) return;
  for (size_t i = 0; i < n_items; ++i) {
    const Problems inner = schema_violations(schema["items"], value[i], name + "[" + std::to_string(i) + "]");
    problems.insert(problems.end(), inner.begin(), inner.end());
  }
}

void check_object(const json& schema, const json& value, const std::string& name, Problems& problems) {
  if (!value.is_object()) return;
  const json properties = schema.value("properties", json::object());
  const json required_names = schema.value("required", json::array());
  for (const json& required : required_names)
    if (!value.contains(required.get<std::string>()))
      problems.push_back(name + " lacks the required \"" + required.get<std::string>() + "\"");
  json known = json::array();
  for (const auto& property : properties.items()) known.push_back(property.key());
  for (const auto& member : value.items()) {
    if (properties.contains(member.key())) {
      const Problems inner = schema_violations(properties[member.key()], member.value(), name + "." + member.key());
      problems.insert(problems.end(), inner.begin(), inner.end());
    } else if (schema.value("additionalProperties", true) == false) {
      problems.push_back(name + " has no " + shown(member.key()) +
                         (known.empty() ? "; it takes no arguments" : "; known are " + listed(known)));
    }
  }
}

}  // namespace

Problems schema_violations(const json& schema, const json& value, const std::string& name) {
  if (!fits_type(schema, value)) {
    const json& type = schema["type"];
    return {name + " is " + shown(value) + ", expected type " +
            (type.is_string() ? type.get<std::string>() : "one of " + listed(type))};
  }
  Problems problems;
  if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    problems.push_back(name + " is " + shown(value) + ", allowed are " + listed(schema["enum"]));
  if (schema.contains("minLength") && value.is_string() &&
      value.get_ref<const std::string&>().size() < schema["minLength"].get<size_t>())
    problems.push_back(name + " is too short");
  check_number(schema, value, name, problems);
  check_array(schema, value, name, problems);
  check_object(schema, value, name, problems);
  return problems;
}

std::vector<std::string> unknown_schema_keywords(const json& schema) {
  static const std::set<std::string> kKnown = {
      "type",  "properties", "required", "additionalProperties", "enum",   "minimum", "maximum", "minLength",
      "items", "minItems",   "maxItems", "description",          "default"};
  std::vector<std::string> unknown;
  for (const auto& keyword : schema.items())
    if (!kKnown.contains(keyword.key())) unknown.push_back(keyword.key());
  const auto look_into = [&](const json& inner) {
    const std::vector<std::string> more = unknown_schema_keywords(inner);
    unknown.insert(unknown.end(), more.begin(), more.end());
  };
  if (schema.contains("items")) look_into(schema["items"]);
  const json properties = schema.value("properties", json::object());
  for (const auto& property : properties.items()) look_into(property.value());
  return unknown;
}

}  // namespace tools
