#pragma once
// The part of JSON Schema that our tools use for their arguments, checked with messages that a model can act on.
//
// Understood: type (a name or a list of names), properties, required, additionalProperties: false, enum, minimum,
// maximum, minLength, items, minItems, maxItems. description and default are for the reader. Anything else is a bug.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tools {

// What is wrong with `value`, one short sentence each; empty when it fits. `name` says what the value is ("click").
std::vector<std::string> schema_violations(const nlohmann::json& schema, const nlohmann::json& value,
                                           const std::string& name);

// The keywords in the schema, at any depth, that are not understood.
std::vector<std::string> unknown_schema_keywords(const nlohmann::json& schema);

}  // namespace tools
