#pragma once
// Types for what a model wrote between tags: the text of an element becomes a JSON value as the tool's schema says.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent {

// A tag with what stands inside it.
struct Element {
  std::string name;
  std::string text;  // all text between the tags, without that of the children
  std::vector<Element> children;
};

// A place in a tool's JSON schema, or nothing where the schema says nothing. Does not own the schema.
class SchemaView {
 public:
  SchemaView() = default;
  explicit SchemaView(const nlohmann::json& root) : SchemaView(&root, &root) {}

  bool is_known() const;                             // it says what the value must be
  bool is_text() const;                              // only strings are allowed: everything inside is verbatim
  bool allows(std::string_view type) const;          // by `type`; false where there is no `type`
  std::vector<std::string> types() const;            // in the schema's order
  SchemaView property(std::string_view name) const;  // also through anyOf, oneOf and allOf
  SchemaView items() const;
  std::vector<SchemaView> options() const;       // of anyOf, oneOf or allOf
  const nlohmann::json* allowed_values() const;  // of enum or const

 private:
  SchemaView(const nlohmann::json* root, const nlohmann::json* node);
  const nlohmann::json* member(const char* name) const;

  const nlohmann::json* root_ = nullptr;
  const nlohmann::json* node_ = nullptr;  // `$ref` followed
};

// Text that doesn't fit its schema stays text: whoever runs the tool says what is wrong with it.
nlohmann::ordered_json typed_value(const Element& element, const SchemaView& schema);
// The children as an object.
nlohmann::ordered_json typed_object(const Element& element, const SchemaView& schema);

std::string_view trimmed(std::string_view text);
// Reading, printing and copying JSON recurse: deeper than this it is an attack.
bool is_nested_too_deep(std::string_view json);

}  // namespace agent
