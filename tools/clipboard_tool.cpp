#include "tools/clipboard_tool.h"

#include "tools/desktop_view.h"
#include "tools/output_excerpt.h"

namespace tools {
namespace {

using nlohmann::json;

constexpr size_t kMaxTold_bytes = 20'000;

// The beginning and the end, with what is missing between them counted.
std::string excerpt(const std::string& text) {
  if (text.size() <= kMaxTold_bytes) return text;
  const std::string_view head = utf8_prefix(text, kMaxTold_bytes / 2), tail = utf8_suffix(text, kMaxTold_bytes / 2);
  const std::string n_left_out = std::to_string(text.size() - head.size() - tail.size());
  return std::string(head) + "\n[" + n_left_out + " bytes left out]\n" + std::string(tail);
}

}  // namespace

ToolSpec ClipboardTool::spec() const {
  return {
      "clipboard",
      "The desktop's clipboard (copy and paste) or its primary selection (marked text, pasted by the middle button).",
      {{"type", "object"},
       {"properties",
        {{"action", {{"type", "string"}, {"enum", {"read", "write", "clear"}}}},
         {"selection", {{"type", "string"}, {"enum", {"clipboard", "primary"}}}},
         {"text", {{"type", "string"}, {"description", "write: what to put on it"}}}}},
       {"required", {"action"}},
       {"additionalProperties", false}}};
}

ToolResult ClipboardTool::run(const ToolCall& call, std::stop_token stop) {
  const std::string action = call.arguments.at("action");
  const Selection selection =
      call.arguments.value("selection", "clipboard") == "primary" ? Selection::Primary : Selection::Clipboard;
  if (action == "read") return read(selection, std::move(stop));
  if (action == "clear") {
    ToolResult result;
    result.ok = clipboard_.write(selection, {});
    result.text = result.ok ? "It is empty." : "Another program took it in the same moment.";
    result.evidence.emplace();
    result.evidence->verdict = result.ok ? Verdict::Confirmed : Verdict::NoOp;
    result.evidence->clipboard_changed = result.ok;
    return result;
  }
  if (!call.arguments.contains("text")) return failed("write needs `text`.");
  return write(selection, call.arguments["text"], std::move(stop));
}

ToolResult ClipboardTool::read(Selection selection, std::stop_token stop) {
  const ClipboardRead read = clipboard_.read_text(selection, std::move(stop));
  const auto text = read.content.find("text/plain");
  if (text == read.content.end()) return failed("No text was read: " + read.problem + ".");
  ToolResult result;
  result.ok = true;
  result.text = excerpt(text->second);
  result.details = {{"n_bytes", text->second.size()}};
  return result;
}

ToolResult ClipboardTool::write(Selection selection, const std::string& text, std::stop_token stop) {
  const bool is_ours = clipboard_.write(selection, {{"text/plain", text}});
  const ClipboardRead back = clipboard_.read_text(selection, std::move(stop));
  const bool is_there = is_ours && back.content.contains("text/plain") && back.content.at("text/plain") == text;
  ToolResult result;
  result.ok = is_there;
  result.text = is_there ? "It is on the clipboard (" + std::to_string(text.size()) + " bytes, read back)."
                         : "Another program changed the clipboard in the same moment; read it before going on.";
  result.evidence.emplace();
  result.evidence->verdict = is_there ? Verdict::Confirmed : Verdict::Unverifiable;
  result.evidence->clipboard_changed = true;
  return result;
}

}  // namespace tools
