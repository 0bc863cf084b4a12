#include "agent/plan.h"

#include <algorithm>
#include <array>

namespace agent {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<PlanStep::State, std::string_view>, 5> kNames = {
    {{PlanStep::State::Pending, "pending"},
     {PlanStep::State::Active, "active"},
     {PlanStep::State::Done, "done"},
     {PlanStep::State::Failed, "failed"},
     {PlanStep::State::Dropped, "dropped"}}};
constexpr std::size_t kMostSteps = 200;
constexpr int kMostDepth = 8;

std::optional<PlanStep> read_step(const json& entry) {
  PlanStep step;
  if (entry.is_string()) {
    step.text = entry.get<std::string>();
    return step.text.empty() ? std::nullopt : std::optional(step);
  }
  if (!entry.is_object() || !entry.contains("text") || !entry["text"].is_string()) return std::nullopt;
  step.text = entry["text"].get<std::string>();
  if (entry.contains("depth") && entry["depth"].is_number_integer()) {
    step.depth = std::clamp(entry["depth"].get<int>(), 0, kMostDepth);
  }
  if (entry.contains("evidence") && entry["evidence"].is_string()) step.evidence = entry["evidence"].get<std::string>();
  const std::string state = entry.contains("state") && entry["state"].is_string() ? entry["state"] : "pending";
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& name) { return name.second == state; });
  if (found == kNames.end() || step.text.empty()) return std::nullopt;
  step.state = found->first;
  return step;
}

bool is_open(const PlanStep& step) {
  return step.state == PlanStep::State::Pending || step.state == PlanStep::State::Active;
}

}  // namespace

std::string_view name_of(PlanStep::State state) {
  return std::find_if(kNames.begin(), kNames.end(), [&](const auto& name) { return name.first == state; })->second;
}

std::optional<std::string> Plan::replace(const json& arguments) {
  if (!arguments.contains("steps") || !arguments["steps"].is_array() || arguments["steps"].empty()) {
    return "a plan needs `steps`, a list with at least one step";
  }
  if (arguments["steps"].size() > kMostSteps) return "a plan has at most " + std::to_string(kMostSteps) + " steps";
  std::vector<PlanStep> steps;
  for (const json& entry : arguments["steps"]) {
    const std::optional<PlanStep> step = read_step(entry);
    if (!step) {
      return "step " + std::to_string(steps.size() + 1) +
             " needs a text, and a state of pending, active, done, failed or dropped";
    }
    if (!is_open(*step) && step->evidence.empty()) {
      return "step " + std::to_string(steps.size() + 1) + " is " + std::string(name_of(step->state)) +
             ": say in `evidence` what shows it, or why";
    }
    steps.push_back(*step);
  }
  steps_ = std::move(steps);
  return std::nullopt;
}

PlanStep* Plan::current() {
  auto found = std::find_if(steps_.begin(), steps_.end(),
                            [](const PlanStep& step) { return step.state == PlanStep::State::Active; });
  if (found == steps_.end()) found = std::find_if(steps_.begin(), steps_.end(), is_open);
  if (found == steps_.end()) return nullptr;
  found->state = PlanStep::State::Active;
  return &*found;
}

bool Plan::has_open_steps() const {
  return std::any_of(steps_.begin(), steps_.end(), is_open);
}

std::string Plan::describe() const {
  std::string lines;
  for (const PlanStep& step : steps_) {
    lines += std::string(static_cast<std::size_t>(step.depth) * 2, ' ') + "- [" + std::string(name_of(step.state)) +
             "] " + step.text + (step.evidence.empty() ? "" : " (" + step.evidence + ")") + "\n";
  }
  return lines;
}

json Plan::to_json() const {
  json list = json::array();
  for (const PlanStep& step : steps_) {
    list.push_back(
        {{"text", step.text}, {"state", name_of(step.state)}, {"depth", step.depth}, {"evidence", step.evidence}});
  }
  return list;
}

tools::ToolSpec plan_tool_spec() {
  json states = json::array();
  for (const auto& [state, name] : kNames) states.push_back(name);
  const json text = {{"type", "string"}};
  return {"plan",
          "Writes the plan anew: all steps, those already done too. Mark one step active; mark a step done only with "
          "evidence of what shows it, failed or dropped with the reason.",
          {{"type", "object"},
           {"properties",
            {{"steps",
              {{"type", "array"},
               {"items",
                {{"type", "object"},
                 {"properties",
                  {{"text", text},
                   {"state", {{"type", "string"}, {"enum", states}}},
                   {"depth", {{"type", "integer"}, {"minimum", 0}, {"maximum", kMostDepth}}},
                   {"evidence", text}}},
                 {"required", {"text", "state"}}}}}}}},
           {"required", {"steps"}},
           {"additionalProperties", false}}};
}

}  // namespace agent
