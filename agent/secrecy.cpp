#include "agent/secrecy.h"

#include <algorithm>

namespace agent {

void Secrecy::add(const std::string& name, const std::string& value) {
  redaction_.add(name, value);
  std::erase(names_, name);
  names_.push_back(name);
}

tools::ToolResult Secrecy::clean(tools::ToolResult result) const {
  if (is_empty()) return result;
  const std::size_t n_header_bytes =
      result.details.is_object() ? std::min(result.details.value("header_bytes", std::size_t{0}), result.text.size())
                                 : 0;
  const std::string header = clean(result.text.substr(0, n_header_bytes));
  result.text = header + clean(result.text.substr(n_header_bytes));
  if (result.details.is_object() && result.details.contains("header_bytes")) {
    result.details["header_bytes"] = header.size();
  }
  result.details = nlohmann::json(redaction_.json(nlohmann::ordered_json(result.details)));
  if (!result.evidence) return result;
  for (std::string& title : result.evidence->windows_opened) title = clean(title);
  for (std::string& title : result.evidence->windows_closed) title = clean(title);
  if (result.evidence->field_text) result.evidence->field_text->excerpt = clean(result.evidence->field_text->excerpt);
  if (result.evidence->focused_window) result.evidence->focused_window = clean(*result.evidence->focused_window);
  return result;
}

AssistantMessage Secrecy::clean(AssistantMessage message) const {
  if (is_empty()) return message;
  message.thought = clean(message.thought);
  message.text = clean(message.text);
  for (ModelCall& call : message.calls) call.arguments = redaction_.json(call.arguments);
  return message;
}

void CleanPieces::push(const ReplyPiece& piece) {
  if (!sink_) return;
  if (secrecy_.is_empty()) return sink_(piece);
  if (piece.kind != held_.kind) finish();
  held_.kind = piece.kind;
  held_.text = secrecy_.clean(held_.text + piece.text);
  const std::size_t n_open = secrecy_.open_end(held_.text);
  const std::string said = held_.text.substr(0, held_.text.size() - n_open);
  held_.text.erase(0, held_.text.size() - n_open);
  if (!said.empty()) sink_({held_.kind, said});
}

void CleanPieces::finish() {
  if (sink_ && !held_.text.empty()) sink_(held_);
  held_.text.clear();
}

}  // namespace agent
