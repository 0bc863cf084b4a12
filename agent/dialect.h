#pragma once
// M3's text format, both ways: `chat_template` writes conversations in it, `output_parser` reads what the model says.

#include <string_view>

namespace agent {

// What the request asks of the model. The parser believes this and never the prompt, whose instructions quote the tags.
enum class ThinkingMode {
  Enabled,   // the prompt ends inside an open <mm:think>
  Disabled,  // the prompt ends after </mm:think>
  Adaptive,  // the model decides by its first token
};

std::string_view name_of(ThinkingMode mode);  // as the template's `thinking_mode`

namespace dialect {
// Prefix of every tag that is markup. A tag without it is text.
constexpr std::string_view kTagPrefix = "]<]minimax[>[";
constexpr std::string_view kThinkBegin = "<mm:think>";
constexpr std::string_view kThinkEnd = "</mm:think>";
}  // namespace dialect

}  // namespace agent
