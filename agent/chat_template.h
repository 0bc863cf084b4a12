#pragma once
// A checkpoint's chat template: turns a conversation into the prompt's text.

#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "agent/dialect.h"
#include "agent/jinja/jinja.h"
#include "inference/tokenizer.h"

namespace agent {

struct Conversation {
  // [{role, content, reasoning_content, tool_calls, …}], content a string or parts of type text, image, video.
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  nlohmann::ordered_json tools;  // [{type: "function", function: {name, description, parameters}}], null for none
  std::optional<ThinkingMode> thinking;
  bool add_generation_prompt = true;
  nlohmann::ordered_json extra = nlohmann::ordered_json::object();  // further variables of the template
  std::time_t now = 0;                                              // for templates that print the date
};

// Immutable: any thread may render it.
class ChatTemplate {
 public:
  static ChatTemplate parse(std::string_view source);  // throws jinja::SyntaxError
  // chat_template.jinja of a checkpoint folder, or else `chat_template` of its tokenizer_config.json. Throws Error.
  static ChatTemplate load(const std::filesystem::path& checkpoint_dir);

  // The same conversation gives the same bytes. Throws jinja::RenderError where the template refuses it.
  std::vector<jinja::Segment> render(const Conversation& conversation) const;

 private:
  explicit ChatTemplate(jinja::Template parsed) : template_(std::move(parsed)) {}
  jinja::Template template_;
};

// For the tokenizer, which looks for special tokens only in what the template wrote. The views point into `rendered`.
std::vector<inference::PromptSegment> prompt_segments(std::span<const jinja::Segment> rendered);

// Messages of the OpenAI form as templates want them: parts of type image_url and video_url become image and video
// (a template ignores types that it doesn't know), arguments in a JSON string become a mapping.
// Throws Error when such a string is not a JSON object.
nlohmann::ordered_json template_messages(nlohmann::ordered_json openai_messages);

}  // namespace agent
