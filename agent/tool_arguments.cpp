#include "agent/tool_arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tools/ascii.h"

namespace agent {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMaxJsonDepth = 100;
constexpr int kMaxReferences = 16;  // of `$ref` to `$ref`
constexpr int kMaxOptionDepth = 4;  // of anyOf inside anyOf

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return tools::ascii_lower(a) == tools::ascii_lower(b);
}

std::optional<Json> parsed_json(std::string_view text) {
  if (text.empty() || is_nested_too_deep(text)) return std::nullopt;
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

template <typename Number>
std::optional<Number> parsed_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Json> as_integer(std::string_view text) {
  if (const auto integer = parsed_number<std::int64_t>(text)) return *integer;
  const auto number = parsed_number<double>(text);
  // Beyond 2^53 a double no longer tells neighbouring integers apart.
  if (!number || std::trunc(*number) != *number || !(std::abs(*number) <= 9007199254740992.0)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<Json> as_number(std::string_view text) {
  if (const auto integer = parsed_number<std::int64_t>(text)) return *integer;
  const auto number = parsed_number<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return *number;
}

std::optional<Json> as_boolean(std::string_view text) {
  if (equal_ignoring_case(text, "true")) return true;
  if (equal_ignoring_case(text, "false")) return false;
  return std::nullopt;
}

std::optional<Json> as_object(std::string_view text) {
  if (text.empty()) return Json::object();
  auto value = parsed_json(text);
  return value && value->is_object() ? value : std::nullopt;
}

std::optional<Json> fitting(const std::string& text, const SchemaView& schema, int depth);

std::optional<Json> as_array(const std::string& text, const SchemaView& items, int depth) {
  const std::string_view inside = trimmed(text);
  if (inside.empty()) return Json::array();
  if (inside.starts_with('[')) {
    auto value = parsed_json(inside);
    return value && value->is_array() ? value : std::nullopt;
  }
  // A lone value where a list is wanted: the list's only item.
  if (!items.is_known()) return Json::array({text});
  auto item = fitting(text, items, depth + 1);
  if (!item) return std::nullopt;
  return Json::array({std::move(*item)});
}

std::optional<Json> as_type(const std::string& text, const std::string& type, const SchemaView& schema, int depth) {
  const std::string_view inside = trimmed(text);
  if (type == "string") return text;
  if (type == "integer") return as_integer(inside);
  if (type == "number") return as_number(inside);
  if (type == "boolean") return as_boolean(inside);
  if (type == "object") return as_object(inside);
  if (type == "array") return as_array(text, schema.items(), depth);
  return std::nullopt;
}

std::optional<Json> as_allowed_value(const std::string& text, const nlohmann::json& values) {
  for (const nlohmann::json& value : values)
    if (value.is_string() ? value == text : value.dump() == trimmed(text)) return Json(value);
  return std::nullopt;
}

// The text as what the schema wants, if it can be that.
std::optional<Json> fitting(const std::string& text, const SchemaView& schema, int depth) {
  if (depth > kMaxOptionDepth) return std::nullopt;
  if (schema.is_text() && !schema.allows("null")) return text;
  if (equal_ignoring_case(trimmed(text), "null")) return nullptr;
  if (schema.types().empty() && schema.allowed_values())
    if (auto value = as_allowed_value(text, *schema.allowed_values())) return value;
  for (const std::string& type : schema.types())
    if (auto value = as_type(text, type, schema, depth)) return value;
  for (const SchemaView& option : schema.options())
    if (option.is_known())
      if (auto value = fitting(text, option, depth + 1)) return value;
  return std::nullopt;
}

// No schema: JSON if it is that, else text. A number that JSON can't hold exactly stays text.
Json guessed(const std::string& text) {
  const auto value = parsed_json(trimmed(text));
  if (!value) return text;
  const bool is_all_digits = trimmed(text).find_first_not_of("-0123456789") == std::string_view::npos;
  return value->is_number_float() && is_all_digits ? Json(text) : *value;
}

bool is_list(const Element& element, const SchemaView& schema) {
  const bool only_items = std::all_of(element.children.begin(), element.children.end(),
                                      [](const Element& child) { return child.name == "item"; });
  return only_items && trimmed(element.text).empty() && !schema.property("item").is_known();
}

}  // namespace

bool is_nested_too_deep(std::string_view json) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (in_string && json[i] == '\\')
      ++i;
    else if (json[i] == '"')
      in_string = !in_string;
    else if (!in_string && (json[i] == '[' || json[i] == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!in_string && (json[i] == ']' || json[i] == '}'))
      --depth;
  }
  return deepest > kMaxJsonDepth;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

SchemaView::SchemaView(const nlohmann::json* root, const nlohmann::json* node) : root_(root), node_(node) {
  for (int i = 0; i < kMaxReferences && node_ && node_->is_object(); ++i) {
    const auto reference = node_->find("$ref");
    if (reference == node_->end() || !reference->is_string()) return;
    const std::string& path = reference->get_ref<const std::string&>();
    node_ = nullptr;
    if (!path.starts_with("#/")) return;  // another document's
    try {
      const nlohmann::json::json_pointer pointer(path.substr(1));
      if (root_->contains(pointer)) node_ = &root_->at(pointer);
    } catch (const nlohmann::json::exception&) {
      return;  // no pointer: the schema says nothing here
    }
  }
}

const nlohmann::json* SchemaView::member(const char* name) const {
  if (!node_ || !node_->is_object()) return nullptr;
  const auto found = node_->find(name);
  return found == node_->end() ? nullptr : &*found;
}

bool SchemaView::is_known() const {
  return !types().empty() || allowed_values() || !options().empty();
}

std::vector<std::string> SchemaView::types() const {
  std::vector<std::string> types;
  const nlohmann::json* type = member("type");
  if (type && type->is_string()) types.push_back(*type);
  if (type && type->is_array())
    for (const nlohmann::json& item : *type)
      if (item.is_string()) types.push_back(item);
  if (types.empty() && member("properties")) types.push_back("object");
  if (types.empty() && member("items")) types.push_back("array");
  return types;
}

bool SchemaView::allows(std::string_view type) const {
  const auto names = types();
  return std::find(names.begin(), names.end(), type) != names.end();
}

bool SchemaView::is_text() const {
  const auto names = types();
  if (!names.empty())
    return std::find(names.begin(), names.end(), "string") != names.end() &&
           std::all_of(names.begin(), names.end(), [](const auto& name) { return name == "string" || name == "null"; });
  const nlohmann::json* values = allowed_values();
  return values && !values->empty() &&
         std::all_of(values->begin(), values->end(), [](const auto& value) { return value.is_string(); });
}

const nlohmann::json* SchemaView::allowed_values() const {
  const nlohmann::json* values = member("enum");
  return values && values->is_array() ? values : nullptr;
}

std::vector<SchemaView> SchemaView::options() const {
  std::vector<SchemaView> options;
  for (const char* name : {"anyOf", "oneOf", "allOf"})
    if (const nlohmann::json* list = member(name); list && list->is_array())
      for (const nlohmann::json& option : *list) options.push_back(SchemaView(root_, &option));
  return options;
}

SchemaView SchemaView::property(std::string_view name) const {
  if (const nlohmann::json* properties = member("properties"); properties && properties->is_object()) {
    const auto found = properties->find(std::string(name));
    if (found != properties->end()) return SchemaView(root_, &*found);
  }
  // One level of choices: deeper ones don't occur in tools, and a schema may refer to itself.
  for (const SchemaView& option : options()) {
    const nlohmann::json* properties = option.member("properties");
    if (properties && properties->is_object() && properties->contains(std::string(name)))
      return SchemaView(root_, &(*properties)[std::string(name)]);
  }
  const nlohmann::json* others = member("additionalProperties");
  return others && others->is_object() ? SchemaView(root_, others) : SchemaView();
}

SchemaView SchemaView::items() const {
  if (const nlohmann::json* items = member("items"); items && items->is_object()) return SchemaView(root_, items);
  for (const SchemaView& option : options())
    if (const nlohmann::json* items = option.member("items"); items && items->is_object())
      return SchemaView(root_, items);
  return {};
}

Json typed_value(const Element& element, const SchemaView& schema) {
  if (element.children.empty()) {
    if (!schema.is_known()) return guessed(element.text);
    return fitting(element.text, schema, 0).value_or(Json(element.text));
  }
  if (!is_list(element, schema)) return typed_object(element, schema);
  Json list = Json::array();
  for (const Element& child : element.children) list.push_back(typed_value(child, schema.items()));
  return list;
}

Json typed_object(const Element& element, const SchemaView& schema) {
  Json object = Json::object();
  for (std::size_t i = 0; i < element.children.size(); ++i) {
    const std::string& name = element.children[i].name;
    if (object.contains(name)) continue;
    const auto has_name = [&](const Element& child) { return child.name == name; };
    const SchemaView property = schema.property(name);
    if (std::count_if(element.children.begin() + i, element.children.end(), has_name) == 1) {
      object[name] = typed_value(element.children[i], property);
      continue;
    }
    // Siblings of one name are a list.
    const bool takes_list = property.allows("array") || property.items().is_known();
    Json& list = object[name] = Json::array();
    for (const Element& child : element.children)
      if (has_name(child)) list.push_back(typed_value(child, takes_list ? property.items() : property));
  }
  const std::string_view text = trimmed(element.text);
  if (!text.empty()) object["$text"] = text;
  return object;
}

}  // namespace agent
