#pragma once
// The conversation of one session: the single truth about what was asked, said, done and seen. Everything else (the
// prompt, the view, the record) is derived from it. A plain value; owned by the agent thread.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "capture/frame.h"
#include "tools/tool.h"

namespace agent {

using Picture = std::shared_ptr<const capture::Frame>;

// From the user, or from the loop in the user's place (a hint, a limit that was reached).
struct UserMessage {
  std::string text;
  std::vector<Picture> pictures;
  bool is_hint = false;  // written by the loop
};

// A call as the model wrote it: its own words, its own order, points in its own space.
struct ModelCall {
  std::string id;  // unique in a session
  std::string name;
  nlohmann::ordered_json arguments;  // an object
};

// Something on the desktop that the model speaks of, see screen_boxes.h.
struct ScreenBox {
  capture::Rect area_pt;
  std::string label;
};

// One reply of the model.
struct AssistantMessage {
  std::string thought;
  std::string text;
  std::vector<ModelCall> calls;
  std::vector<ScreenBox> boxes = {};  // that stand in its text; for the record, the model has its own words
};

// What came of one call.
struct ToolMessage {
  std::string call_id;
  std::string text;
  std::vector<Picture> pictures;
  bool ok = false;
};

using Message = std::variant<UserMessage, AssistantMessage, ToolMessage>;

// Valid at any moment between two appends: a call without its ToolMessage was interrupted and is answered before the
// next reply.
class Transcript {
 public:
  explicit Transcript(std::string instructions = "") : instructions_(std::move(instructions)) {}

  const std::string& instructions() const { return instructions_; }  // for the model, before everything else
  const std::vector<Message>& messages() const { return messages_; }
  void append(Message message) { messages_.push_back(std::move(message)); }

  // Calls of the last reply that have no ToolMessage yet.
  std::vector<ModelCall> open_calls() const;

 private:
  std::string instructions_;
  std::vector<Message> messages_;
};

// The transcript in the form that chat templates and OpenAI-compatible servers share: a list of
// {role, content, reasoning_content?, tool_calls?, tool_call_id?}. Pictures stand as parts {type: "image"} in order;
// `pictures` holds them in that order.
struct RenderedTranscript {
  nlohmann::ordered_json messages;
  std::vector<Picture> pictures;
};
RenderedTranscript render(const Transcript& transcript);

// [{type: "function", function: {name, description, parameters}}]
nlohmann::ordered_json render_tools(const std::vector<tools::ToolSpec>& specs);

}  // namespace agent
