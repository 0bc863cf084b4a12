#pragma once
// Keeps the session's secrets out of all that is shown, said to the model and recorded: wherever a value turns up in
// text, {{name}} takes its place.

#include <string>

#include "agent/model.h"
#include "agent/redaction.h"
#include "tools/tool.h"

namespace agent {

class Secrecy {
 public:
  void add(const std::string& name, const std::string& value);
  bool is_empty() const { return names_.empty(); }
  const std::vector<std::string>& names() const { return names_; }

  std::string clean(std::string text) const { return redaction_.text(std::move(text)); }
  tools::ToolResult clean(tools::ToolResult result) const;
  AssistantMessage clean(AssistantMessage message) const;
  // Bytes at the end of the text that may be the beginning of a value.
  std::size_t open_end(std::string_view text) const { return redaction_.open_end(text); }

 private:
  Redaction redaction_;
  std::vector<std::string> names_;
};

// A stream of pieces without secrets: what may become one is held back until it is known. One per reply.
class CleanPieces {
 public:
  CleanPieces(const Secrecy& secrecy, PieceSink sink) : secrecy_(secrecy), sink_(std::move(sink)) {}
  void push(const ReplyPiece& piece);
  void finish();  // says what was held back

 private:
  const Secrecy& secrecy_;
  PieceSink sink_;
  ReplyPiece held_;  // pieces of one kind, not yet said
};

}  // namespace agent
