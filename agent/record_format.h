#pragma once
// The bodies of events as JSON. Pictures appear as numbers, the rows that the frame store knows them by. The names here
// are what an export shows, and what replay reads.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "agent/frame_store.h"
#include "agent/model.h"
#include "agent/redaction.h"
#include "agent/transcript.h"
#include "tools/tool.h"

namespace agent {

enum class SessionStatus {
  Running,
  Interrupted,  // its process is gone: it can be resumed
  Done,         // from here on: how it ended, see Ending
  GaveUp,
  Stuck,
  Refused,
  Stopped,
  Failed,
};

std::string name_of(SessionStatus status);
std::string name_of(tools::Verdict verdict);
tools::Verdict verdict_named(const std::string& name);  // of another version: unverifiable
SessionStatus status_named(const std::string& name);    // throws Error for a name of another version

using StorePicture = std::function<FrameRow(const capture::Frame&)>;
using LoadPicture = std::function<Picture(FrameRow)>;  // null: it is damaged

// What goes into every body: secrets are cut out of all that others wrote, pictures are stored.
struct BodyContext {
  const Redaction& redaction;
  StorePicture store;
};

nlohmann::ordered_json message_body(const Message& message, const BodyContext& context);
// A picture that is damaged is missing from the message, and its text says so.
Message message_from(const nlohmann::ordered_json& body, const LoadPicture& load);

nlohmann::ordered_json call_body(const tools::ToolCall& call, const BodyContext& context);
nlohmann::ordered_json result_body(const tools::ToolResult& result, const BodyContext& context);
// What a result took hold of, of its body; a damaged picture is null.
std::vector<tools::Anchor> anchors_from(const nlohmann::ordered_json& result_body, const LoadPicture& load);
nlohmann::ordered_json usage_body(const Usage& usage);

}  // namespace agent
