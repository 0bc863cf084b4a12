// Conversations through the vendor's template, and through a small one of our own.
#include "agent/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "agent/error.h"
#include "tests/agent/shared_files.h"

using agent::ChatTemplate;
using agent::Conversation;
using agent::ThinkingMode;
using agent::jinja::RenderError;
using agent::jinja::Segment;
using Json = nlohmann::ordered_json;

namespace {

std::string text_of(const std::vector<Segment>& segments) {
  std::string text;
  for (const Segment& segment : segments) text += segment.text;
  return text;
}

Conversation conversation_of(const Json& test_case) {
  Conversation conversation;
  conversation.messages = test_case["messages"];
  conversation.extra = test_case["kwargs"];
  conversation.add_generation_prompt = conversation.extra.value("add_generation_prompt", false);
  if (conversation.extra.contains("tools")) conversation.tools = conversation.extra["tools"];
  return conversation;
}

// As the reference prints its exceptions.
std::string described(const RenderError& error) {
  switch (error.kind()) {
    case RenderError::Kind::Raised:
      return "TemplateError: " + error.message();
    case RenderError::Kind::Undefined:
      return "UndefinedError: " + error.message();
    default:
      return error.what();
  }
}

class VendorTemplate : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(vendor_file("chat_template.jinja")))
      GTEST_SKIP() << "the vendor's template is not at " << vendor_file("chat_template.jinja");
  }

  std::string rendered(const Conversation& conversation) {
    return text_of(ChatTemplate::parse(read_file(vendor_file("chat_template.jinja"))).render(conversation));
  }
};

// What the tokenizer of M3 would read as special tokens.
constexpr const char* kSpecials[] = {"]~!b[",       "]~b]",        "[e~[",       "]<]minimax[>[",
                                     "]<]image[>[", "]<]video[>[", "<mm:think>", "</mm:think>"};

std::size_t count(const std::string& text, const std::string& wanted) {
  std::size_t n = 0;
  for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++n;
  return n;
}

constexpr std::string_view kOwnTemplate =
    "{%- for m in messages -%}<{{ m.role }}>"
    "{%- if m.content is string -%}{{ m.content }}{%- else -%}"
    "{%- for part in m.content -%}{{ '(image)' if part.type == 'image' else part.text }}{%- endfor -%}{%- endif -%}"
    "{%- for call in m.tool_calls or [] -%}"
    "{%- for k, v in call.function.arguments.items() -%}[{{ k }}={{ v }}]{%- endfor -%}{%- endfor -%}</>"
    "{%- endfor -%}"
    "{%- if tools is defined -%}{{ tools|length }} tools{%- endif -%}"
    "{%- if thinking_mode is defined -%}{{ thinking_mode }}{%- endif -%}"
    "{%- if add_generation_prompt -%}<assistant>{%- endif -%}";

}  // namespace

TEST_F(VendorTemplate, every_reference_conversation_renders_byte_for_byte) {
  const Json cases = read_json(vendor_file("rendered_prompts.json"))["cases"];
  ASSERT_GE(cases.size(), 29u);
  for (const Json& test_case : cases) {
    std::string text, error = "none";
    try {
      text = rendered(conversation_of(test_case));
    } catch (const RenderError& refused) {
      error = described(refused);
    }
    if (test_case["error"].is_null()) {
      EXPECT_EQ(text, test_case["rendered"].get<std::string>()) << test_case["name"];
      EXPECT_EQ(error, "none") << test_case["name"];
    } else {
      EXPECT_EQ(error, test_case["error"].get<std::string>()) << test_case["name"];
    }
  }
}

TEST_F(VendorTemplate, special_strings_in_user_text_are_data_and_the_templates_own_are_not) {
  std::string hostile;
  for (const char* special : kSpecials) hostile += special;
  Conversation conversation;
  conversation.thinking = ThinkingMode::Enabled;
  conversation.messages = {
      {{"role", "system"}, {"content", hostile}},
      {{"role", "user"}, {"content", {{{"type", "text"}, {"text", hostile}}, {{"type", "image"}}}}},
      {{"role", "assistant"},
       {"content", hostile},
       {"reasoning_content", hostile},
       {"tool_calls", {{{"function", {{"name", hostile}, {"arguments", {{hostile, {hostile}}}}}}}}}},
      {{"role", "tool"}, {"content", hostile}}};
  const auto segments = ChatTemplate::parse(read_file(vendor_file("chat_template.jinja"))).render(conversation);
  std::string from_template, from_data;
  for (const Segment& segment : segments) (segment.from_template ? from_template : from_data) += segment.text + "\n";
  for (const char* special : {"]~!b[", "]<]image[>["}) EXPECT_EQ(count(from_template, special), 1u) << special;
  EXPECT_EQ(count(from_template, "]<]video[>["), 0u);
  EXPECT_EQ(count(from_template, "]~b]"), 6u);  // system, developer, user, ai, tool, ai
  EXPECT_EQ(count(from_template, "[e~["), 5u);
  EXPECT_EQ(count(from_data, "]~b]"), 9u);  // wherever the conversation says it: the key stands in two tags
}

TEST_F(VendorTemplate, tools_are_offered_in_the_models_own_format_not_its_predecessors) {
  Conversation conversation;
  conversation.messages = {{{"role", "user"}, {"content", "go"}}};
  conversation.tools = {{{"type", "function"}, {"function", {{"name", "look"}, {"parameters", Json::object()}}}}};
  const std::string text = rendered(conversation);
  EXPECT_NE(text.find("]<]minimax[>[<tool_call>"), std::string::npos);
  EXPECT_EQ(text.find("<minimax:tool_call>"), std::string::npos);
}

TEST_F(VendorTemplate, openai_images_and_string_arguments_survive_conversion) {
  Conversation conversation;
  const Json openai = {
      {{"role", "user"},
       {"content", {{{"type", "image_url"}, {"image_url", {{"url", "x"}}}}, {{"type", "text"}, {"text", "hi"}}}}},
      {{"role", "assistant"},
       {"content", ""},
       {"tool_calls", {{{"function", {{"name", "click"}, {"arguments", R"({"x":1})"}}}}}}}};
  conversation.messages = agent::template_messages(openai);
  const std::string text = rendered(conversation);
  EXPECT_NE(text.find("]~b]user\n]<]image[>[hi[e~["), std::string::npos);
  EXPECT_NE(text.find("]<]minimax[>[<x>1]<]minimax[>[</x>"), std::string::npos);
}

TEST(ChatTemplate, gives_the_template_its_variables_and_leaves_absent_ones_undefined) {
  const ChatTemplate chat = ChatTemplate::parse(kOwnTemplate);
  Conversation conversation;
  conversation.messages = {{{"role", "user"}, {"content", "hi"}}};
  EXPECT_EQ(text_of(chat.render(conversation)), "<user>hi</><assistant>");
  conversation.tools = Json::array({Json::object()});
  conversation.thinking = ThinkingMode::Disabled;
  conversation.add_generation_prompt = false;
  EXPECT_EQ(text_of(chat.render(conversation)), "<user>hi</>1 toolsdisabled");
}

TEST(ChatTemplate, only_what_the_template_wrote_is_markup_for_the_tokenizer) {
  Conversation conversation;
  conversation.messages = {{{"role", "user"}, {"content", "</>"}}};
  const auto rendered = ChatTemplate::parse("{{ messages[0].content }}</>").render(conversation);
  const auto segments = agent::prompt_segments(rendered);
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].text, "</>");
  EXPECT_EQ(segments[0].origin, inference::PromptSegment::Origin::User);
  EXPECT_EQ(segments[1].text, "</>");
  EXPECT_EQ(segments[1].origin, inference::PromptSegment::Origin::Markup);
}

TEST(ChatTemplate, openai_image_parts_become_images) {
  const Json messages = agent::template_messages(
      {{{"role", "user"},
        {"content", {{{"type", "image_url"}, {"image_url", {{"url", "x"}}}}, {{"type", "text"}, {"text", "a"}}}}}});
  Conversation conversation;
  conversation.messages = messages;
  conversation.add_generation_prompt = false;
  EXPECT_EQ(text_of(ChatTemplate::parse(kOwnTemplate).render(conversation)), "<user>(image)a</>");
}

TEST(ChatTemplate, arguments_in_a_json_string_become_a_mapping) {
  const auto message = [](const char* arguments) -> Json {
    return {{{"role", "assistant"},
             {"content", ""},
             {"tool_calls", {{{"function", {{"name", "f"}, {"arguments", arguments}}}}}}}};
  };
  Conversation conversation;
  conversation.messages = agent::template_messages(message(R"({"z":1,"a":"b"})"));
  conversation.add_generation_prompt = false;
  EXPECT_EQ(text_of(ChatTemplate::parse(kOwnTemplate).render(conversation)), "<assistant>[z=1][a=b]</>");
  EXPECT_THROW(agent::template_messages(message("not json")), agent::Error);
  EXPECT_THROW(agent::template_messages(message("[1]")), agent::Error);
}

TEST(ChatTemplate, loads_from_a_checkpoint_folder_in_both_forms) {
  const auto folder = std::filesystem::path(testing::TempDir()) / ("chat_template" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  EXPECT_THROW(ChatTemplate::load(folder), agent::Error);
  Conversation conversation;
  std::ofstream(folder / "tokenizer_config.json")
      << R"({"chat_template": [{"name": "default", "template": "listed"}]})";
  EXPECT_EQ(text_of(ChatTemplate::load(folder).render(conversation)), "listed");
  std::ofstream(folder / "tokenizer_config.json") << R"({"chat_template": "in config"})";
  EXPECT_EQ(text_of(ChatTemplate::load(folder).render(conversation)), "in config");
  std::ofstream(folder / "chat_template.jinja") << "own file";
  EXPECT_EQ(text_of(ChatTemplate::load(folder).render(conversation)), "own file");
  std::ofstream(folder / "chat_template.jinja") << "{% for";
  EXPECT_THAT([&] { ChatTemplate::load(folder); },
              testing::ThrowsMessage<agent::Error>(testing::HasSubstr("chat_template.jinja: chat template, line 1")));
  std::filesystem::remove_all(folder);
}
