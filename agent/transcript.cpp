#include "agent/transcript.h"

#include <algorithm>

namespace agent {
namespace {

using nlohmann::ordered_json;

// Text alone stays a string; with pictures it becomes parts, the pictures first.
ordered_json content_of(const std::string& text, const std::vector<Picture>& pictures,
                        std::vector<Picture>& all_pictures) {
  if (pictures.empty()) return text;
  ordered_json parts = ordered_json::array();
  for (const Picture& picture : pictures) {
    parts.push_back({{"type", "image"}});
    all_pictures.push_back(picture);
  }
  if (!text.empty()) parts.push_back({{"type", "text"}, {"text", text}});
  return parts;
}

ordered_json rendered(const UserMessage& message, std::vector<Picture>& pictures) {
  return {{"role", "user"}, {"content", content_of(message.text, message.pictures, pictures)}};
}

ordered_json rendered(const AssistantMessage& message, std::vector<Picture>& /*pictures*/) {
  ordered_json json = {{"role", "assistant"}, {"content", message.text}};
  if (!message.thought.empty()) json["reasoning_content"] = message.thought;
  for (const ModelCall& call : message.calls) {
    json["tool_calls"].push_back(
        {{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  return json;
}

ordered_json rendered(const ToolMessage& message, std::vector<Picture>& pictures) {
  return {{"role", "tool"},
          {"tool_call_id", message.call_id},
          {"content", content_of(message.text, message.pictures, pictures)}};
}

}  // namespace

std::vector<ModelCall> Transcript::open_calls() const {
  const auto last = std::find_if(messages_.rbegin(), messages_.rend(), [](const Message& message) {
    return std::holds_alternative<AssistantMessage>(message);
  });
  if (last == messages_.rend()) return {};
  std::vector<ModelCall> open = std::get<AssistantMessage>(*last).calls;
  for (auto it = last.base(); it != messages_.end(); ++it) {
    const auto* answer = std::get_if<ToolMessage>(&*it);
    if (answer == nullptr) continue;
    std::erase_if(open, [&](const ModelCall& call) { return call.id == answer->call_id; });
  }
  return open;
}

RenderedTranscript render(const Transcript& transcript) {
  RenderedTranscript result = {ordered_json::array(), {}};
  if (!transcript.instructions().empty()) {
    result.messages.push_back({{"role", "system"}, {"content", transcript.instructions()}});
  }
  for (const Message& message : transcript.messages()) {
    result.messages.push_back(std::visit([&](const auto& kind) { return rendered(kind, result.pictures); }, message));
  }
  return result;
}

ordered_json render_tools(const std::vector<tools::ToolSpec>& specs) {
  ordered_json list = ordered_json::array();
  for (const tools::ToolSpec& spec : specs) {
    list.push_back(
        {{"type", "function"},
         {"function", {{"name", spec.name}, {"description", spec.description}, {"parameters", spec.parameters}}}});
  }
  return list;
}

}  // namespace agent
