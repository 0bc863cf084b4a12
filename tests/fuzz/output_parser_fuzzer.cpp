// Any output of a model: no crash, the same events for every cut, calls that can be printed.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/output_parser.h"

using agent::OutputEvent;

namespace {

const std::vector<agent::ToolSchema> kTools = {{"f", nlohmann::json::parse(R"({"type": "object", "properties": {
    "s": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": "number"}, "b": {"type": "boolean"},
    "l": {"type": "array", "items": {"type": "string"}}, "o": {"type": "object", "properties": {"s": {"type": "string"}}},
    "u": {"anyOf": [{"type": "integer"}, {"type": "null"}, {"type": "array", "items": {"type": "object"}}]}}})")}};

// Events as text, neighbouring pieces joined; pieces of the input have the sizes that the seed gives.
std::string described(std::string_view text, agent::ThinkingMode mode, unsigned seed) {
  agent::OutputParser parser(mode, kTools);
  std::string out;
  char last = 0;
  const auto take = [&](const std::vector<OutputEvent>& events) {
    for (const OutputEvent& event : events) {
      const char kind = static_cast<char>('0' + event.index());
      const bool joins = event.index() < 2 && kind == last;
      if (!joins) out += kind;
      last = kind;
      if (const auto* thought = std::get_if<agent::Thought>(&event)) out += thought->text;
      if (const auto* content = std::get_if<agent::Text>(&event)) out += content->text;
      if (const auto* call = std::get_if<agent::ParsedCall>(&event)) out += call->name + call->arguments.dump();
      if (const auto* bad = std::get_if<agent::Malformed>(&event)) {
        out += bad->message + bad->raw;
        if (bad->salvaged) out += bad->salvaged->arguments.dump();
      }
    }
  };
  while (!text.empty()) {
    seed = seed * 1103515245 + 12345;
    const std::size_t n_bytes = seed == 0 ? text.size() : 1 + (seed >> 16) % 16;
    take(parser.push(text.substr(0, n_bytes)));
    text.remove_prefix(std::min(n_bytes, text.size()));
  }
  take(parser.finish());
  return out;
}

// `@` stands for the prefix of tags, which mutation would hardly find.
std::string with_prefixes(std::string_view input) {
  std::string text;
  for (const char c : input) {
    if (c == '@')
      text += agent::dialect::kTagPrefix;
    else
      text += c;
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto mode = static_cast<agent::ThinkingMode>(data[0] % 3);
  const std::string text = with_prefixes({reinterpret_cast<const char*>(data) + 2, size - 2});
  if (described(text, mode, data[1]) != described(text, mode, data[1] + 1000u)) std::abort();
  return 0;
}
