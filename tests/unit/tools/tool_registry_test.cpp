#include "tools/tool_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/json_schema.h"

namespace tools {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Answers with the arguments that it was given.
class Echo : public Tool {
 public:
  Echo(std::string name, json parameters) : name_(std::move(name)), parameters_(std::move(parameters)) {}
  ToolSpec spec() const override { return {name_, "Says what it hears.", parameters_}; }
  Effect effect(const ToolCall& call) const override {
    return call.arguments.contains("loud") ? Effect::InputUser : Effect::Observe;
  }
  ToolResult run(const ToolCall& call, std::stop_token) override {
    ToolResult result;
    result.ok = true;
    result.text = call.arguments.dump();
    return result;
  }

 private:
  std::string name_;
  json parameters_;
};

const json kSchema = json::parse(R"({"type": "object", "additionalProperties": false, "required": ["text"],
  "properties": {
    "text": {"type": "string", "minLength": 1, "description": "what to say"},
    "times": {"type": "integer", "minimum": 1, "maximum": 5},
    "loud": {"type": "boolean"},
    "voice": {"type": "string", "enum": ["alto", "bass"]},
    "at": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": ["number", "null"]}}}})");

ToolRegistry registry() {
  ToolRegistry tools;
  tools.add(std::make_unique<Echo>("say", kSchema));
  tools.add(std::make_unique<Echo>("hum", json{{"type", "object"}, {"additionalProperties", false}}));
  return tools;
}

std::string problem(const json& arguments, const std::string& name = "say") {
  return registry().problem_with({"1", name, arguments}).value_or("none");
}

TEST(ToolRegistry, specs_come_in_order_of_name) {
  const std::vector<ToolSpec> specs = registry().specs();
  ASSERT_EQ(specs.size(), 2U);
  EXPECT_EQ(specs[0].name, "hum");
  EXPECT_EQ(specs[1].name, "say");
}

TEST(ToolRegistry, a_fitting_call_runs) {
  ToolRegistry tools = registry();
  const ToolCall call{"1", "say", {{"text", "ä"}, {"times", 5}, {"voice", "bass"}, {"at", {1.5, nullptr}}}};
  const ToolResult result = tools.run(call, {});
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(json::parse(result.text), call.arguments);
  EXPECT_EQ(tools.effect(call), Effect::Observe);
  EXPECT_EQ(tools.effect({"2", "say", {{"text", "a"}, {"loud", true}}}), Effect::InputUser);
}

TEST(ToolRegistry, an_unknown_tool_is_answered_with_the_names) {
  EXPECT_THAT(problem({}, "sing"), HasSubstr("no tool named \"sing\". The tools are: hum, say."));
}

TEST(ToolRegistry, each_misfit_is_named_with_its_place) {
  EXPECT_THAT(problem(json::object()), HasSubstr("say lacks the required \"text\""));
  EXPECT_THAT(problem(json::array()), HasSubstr("say is [], expected type object"));
  EXPECT_THAT(problem({{"text", 3}}), HasSubstr("say.text is 3, expected type string"));
  EXPECT_THAT(problem({{"text", ""}}), HasSubstr("say.text is too short"));
  EXPECT_THAT(problem({{"text", "a"}, {"times", 0}}), HasSubstr("say.times is 0, the least allowed is 1"));
  EXPECT_THAT(problem({{"text", "a"}, {"times", 6}}), HasSubstr("say.times is 6, the most allowed is 5"));
  EXPECT_THAT(problem({{"text", "a"}, {"times", 1.5}}), HasSubstr("expected type integer"));
  EXPECT_THAT(problem({{"text", "a"}, {"times", "2"}}), HasSubstr("say.times is \"2\", expected type integer"));
  EXPECT_THAT(problem({{"text", "a"}, {"voice", "tenor"}}), HasSubstr("allowed are \"alto\", \"bass\""));
  EXPECT_THAT(problem({{"text", "a"}, {"at", {1}}}), HasSubstr("say.at has 1 items, at least 2 are needed"));
  EXPECT_THAT(problem({{"text", "a"}, {"at", {1, "x"}}}), HasSubstr("say.at[1] is \"x\", expected type one of"));
  EXPECT_THAT(problem({{"text", "a"}, {"volume", 1}}), HasSubstr("say has no \"volume\"; known are \"at\", \"loud\""));
  EXPECT_THAT(problem({{"x", 1}}, "hum"), HasSubstr("it takes no arguments"));
}

TEST(ToolRegistry, whole_floats_count_as_integers) {
  EXPECT_EQ(problem({{"text", "a"}, {"times", 2.0}}), "none");
}

TEST(ToolRegistry, all_problems_come_in_one_message) {
  const std::string text = problem({{"times", 9}, {"voice", 1}, {"loud", "yes"}});
  for (const char* part : {"lacks", "times", "voice", "loud"}) EXPECT_THAT(text, HasSubstr(part));
}

TEST(ToolRegistry, a_misfit_does_not_run) {
  const ToolResult result = registry().run({"1", "say", {{"text", 3}}}, {});
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.text, HasSubstr("Nothing was done"));
}

TEST(ToolRegistryDeathTest, a_schema_that_is_not_understood_is_a_bug) {
  const json schema = {{"type", "object"}, {"properties", {{"x", {{"type", "string"}, {"pattern", "a+"}}}}}};
  EXPECT_DEATH(ToolRegistry().add(std::make_unique<Echo>("say", schema)), "uses pattern");
  EXPECT_DEATH(
      {
        ToolRegistry tools = registry();
        tools.add(std::make_unique<Echo>("say", kSchema));
      },
      "two tools are named say");
}

}  // namespace
}  // namespace tools
