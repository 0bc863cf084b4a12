#include "agent/reply_events.h"

namespace agent {

std::vector<ToolSchema> schemas_of(const std::vector<tools::ToolSpec>& specs) {
  std::vector<ToolSchema> schemas;
  for (const tools::ToolSpec& spec : specs) schemas.push_back({spec.name, spec.parameters});
  return schemas;
}

void take_events(const std::vector<OutputEvent>& events, Reply& reply, const PieceSink& sink) {
  for (const OutputEvent& event : events) {
    if (const auto* thought = std::get_if<Thought>(&event)) {
      reply.message.thought += thought->text;
      if (sink) sink({ReplyPiece::Kind::Thought, thought->text});
    } else if (const auto* text = std::get_if<Text>(&event)) {
      reply.message.text += text->text;
      if (sink) sink({ReplyPiece::Kind::Text, text->text});
    } else if (const auto* call = std::get_if<ParsedCall>(&event)) {
      reply.message.calls.push_back({"", call->name, call->arguments});
    } else if (reply.problem.empty()) {
      reply.problem = std::get<Malformed>(event).message;
    }
  }
}

}  // namespace agent
