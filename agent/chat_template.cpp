#include "agent/chat_template.h"

#include <string>

#include "agent/error.h"
#include "agent/whole_file.h"

namespace agent {
namespace {

using Json = nlohmann::ordered_json;

// `chat_template` is one template, or a list of named ones of which "default" is for chats.
std::string template_in_config(const std::filesystem::path& path) {
  const Json config = Json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  if (config.is_object() && config.contains("chat_template")) {
    const Json& value = config["chat_template"];
    if (value.is_string()) return value.get<std::string>();
    for (const Json& item : value)
      if (item.is_object() && item.value("name", Json()) == "default" && item.value("template", Json()).is_string())
        return item["template"].get<std::string>();
  }
  throw Error("no chat template in " + path.string() + ": the folder needs a chat_template.jinja");
}

void convert_parts(Json& content) {
  for (Json& part : content) {
    if (!part.is_object() || !part.contains("type")) continue;
    if (part["type"] == "image_url" || part["type"] == "input_image") part["type"] = "image";
    if (part["type"] == "video_url") part["type"] = "video";
    if (part["type"] == "input_text") part["type"] = "text";
  }
}

void parse_arguments(Json& function) {
  if (!function.is_object() || !function.contains("arguments") || !function["arguments"].is_string()) return;
  const std::string& text = function["arguments"].get_ref<const std::string&>();
  Json arguments = text.empty() ? Json::object() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!arguments.is_object())
    throw Error("the arguments of a call to " + function.value("name", Json()).dump() +
                " are not a JSON object: " + text.substr(0, 200));
  function["arguments"] = std::move(arguments);
}

}  // namespace

std::string_view name_of(ThinkingMode mode) {
  switch (mode) {
    case ThinkingMode::Enabled:
      return "enabled";
    case ThinkingMode::Disabled:
      return "disabled";
    case ThinkingMode::Adaptive:
      break;
  }
  return "adaptive";
}

ChatTemplate ChatTemplate::parse(std::string_view source) {
  return ChatTemplate(jinja::Template::parse(source));
}

ChatTemplate ChatTemplate::load(const std::filesystem::path& checkpoint_dir) {
  const auto own_file = checkpoint_dir / "chat_template.jinja", config = checkpoint_dir / "tokenizer_config.json";
  const bool has_own_file = std::filesystem::exists(own_file);
  try {
    return parse(has_own_file ? read_file(own_file) : template_in_config(config));
  } catch (const jinja::SyntaxError& error) {
    throw Error((has_own_file ? own_file : config).string() + ": " + error.what());
  }
}

std::vector<jinja::Segment> ChatTemplate::render(const Conversation& conversation) const {
  Json context = conversation.extra;
  context["messages"] = conversation.messages;
  // Left undefined, not null, when absent: templates ask `is defined`.
  if (!conversation.tools.is_null()) context["tools"] = conversation.tools;
  if (conversation.thinking) context["thinking_mode"] = name_of(*conversation.thinking);
  context["add_generation_prompt"] = conversation.add_generation_prompt;
  return template_.render(context, {.now = conversation.now});
}

std::vector<inference::PromptSegment> prompt_segments(std::span<const jinja::Segment> rendered) {
  using Origin = inference::PromptSegment::Origin;
  std::vector<inference::PromptSegment> segments;
  for (const jinja::Segment& segment : rendered)
    segments.push_back({segment.text, segment.from_template ? Origin::Markup : Origin::User});
  return segments;
}

nlohmann::ordered_json template_messages(nlohmann::ordered_json openai_messages) {
  for (Json& message : openai_messages) {
    if (!message.is_object()) continue;
    if (message.contains("content") && message["content"].is_array()) convert_parts(message["content"]);
    if (!message.contains("tool_calls") || !message["tool_calls"].is_array()) continue;
    for (Json& call : message["tool_calls"])
      parse_arguments(call.is_object() && call.contains("function") ? call["function"] : call);
  }
  return openai_messages;
}

}  // namespace agent
