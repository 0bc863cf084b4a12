#pragma once
// Seeded parameters of a task: values by name, put in wherever a string of the record says {name}.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace desk {

// Chooses a value for each parameter in order. {"integer": [low, high]}, {"choice": […]} (an object among the choices
// gives {name.key}), {"words": n}, {"lines": n} (of three words each), and of parameters before it {"sum": [a, b]},
// {"difference": [a, b]}, {"product": [a, b]}. Throws std::runtime_error for anything else.
std::map<std::string, std::string> choose_parameters(const nlohmann::ordered_json& parameters, std::uint64_t seed);

// The record with every {name} of these replaced, and strings "{=name}" by the value itself (a number, a list); other
// braces stay.
nlohmann::ordered_json with_parameters(const nlohmann::ordered_json& record,
                                       const std::map<std::string, std::string>& values);

}  // namespace desk
