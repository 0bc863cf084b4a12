#include "tools/tool_registry.h"

#include <algorithm>

#include "capture/error.h"
#include "tools/json_schema.h"

namespace tools {
namespace {

constexpr size_t kMaxToldProblems = 5;

bool is_tool_name(const std::string& name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

}  // namespace

void ToolRegistry::add(std::unique_ptr<Tool> tool) {
  ToolSpec spec = tool->spec();
  CAPTURE_CHECK(is_tool_name(spec.name), "tool name \"" + spec.name + "\" is not made of [a-z_]");
  CAPTURE_CHECK(spec.parameters.is_object() && spec.parameters.value("type", "") == "object",
                "the parameters of " + spec.name + " must be an object schema");
  const std::vector<std::string> unknown = unknown_schema_keywords(spec.parameters);
  CAPTURE_CHECK(unknown.empty(), "the schema of " + spec.name + " uses " + joined(unknown, ", "));
  const std::string name = spec.name;
  const bool is_new = tools_.emplace(name, Entry{std::move(tool), std::move(spec)}).second;
  CAPTURE_CHECK(is_new, "two tools are named " + name);
}

std::vector<ToolSpec> ToolRegistry::specs() const {
  std::vector<ToolSpec> specs;
  for (const auto& [name, entry] : tools_) specs.push_back(entry.spec);
  return specs;
}

std::optional<std::string> ToolRegistry::problem_with(const ToolCall& call) const {
  const auto found = tools_.find(call.name);
  if (found == tools_.end()) {
    std::vector<std::string> names;
    for (const auto& [name, entry] : tools_) names.push_back(name);
    return "There is no tool named \"" + call.name + "\". The tools are: " + joined(names, ", ") + ".";
  }
  std::vector<std::string> problems = schema_violations(found->second.spec.parameters, call.arguments, call.name);
  if (problems.empty()) return std::nullopt;
  const size_t n_problems = problems.size();
  problems.resize(std::min(n_problems, kMaxToldProblems));
  std::string text = "The arguments of " + call.name + " don't fit: " + joined(problems, "; ");
  if (n_problems > kMaxToldProblems) text += "; and " + std::to_string(n_problems - kMaxToldProblems) + " more";
  return text + ". Nothing was done; call it again with corrected arguments.";
}

Effect ToolRegistry::effect(const ToolCall& call) const {
  const auto found = tools_.find(call.name);
  CAPTURE_CHECK(found != tools_.end(), "no tool named " + call.name);
  return found->second.tool->effect(call);
}

std::optional<CallTarget> ToolRegistry::target(const ToolCall& call) const {
  const auto found = tools_.find(call.name);
  CAPTURE_CHECK(found != tools_.end(), "no tool named " + call.name);
  return found->second.tool->target(call);
}

std::vector<FileEdit> ToolRegistry::preview(const ToolCall& call) const {
  const auto found = tools_.find(call.name);
  CAPTURE_CHECK(found != tools_.end(), "no tool named " + call.name);
  return found->second.tool->preview(call);
}

ToolResult ToolRegistry::run(const ToolCall& call, std::stop_token stop) {
  if (std::optional<std::string> problem = problem_with(call)) {
    ToolResult result;
    result.text = std::move(*problem);
    return result;
  }
  return tools_.at(call.name).tool->run(call, std::move(stop));
}

}  // namespace tools
