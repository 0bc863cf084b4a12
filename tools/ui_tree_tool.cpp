#include "tools/ui_tree_tool.h"

#include <algorithm>

#include "tools/anchor_reader.h"

namespace tools {
namespace {

using nlohmann::json;

constexpr int kDefaultNodes = 300;
constexpr size_t kMaxFound = 20;
constexpr size_t kMaxTold_bytes = 20'000;

bool only_looks(const json& arguments) {
  const std::string action = arguments.at("action");
  return action == "read" || action == "find" || action == "text";
}

// Boxes around boxes tell the model nothing.
bool is_worth_telling(const UiNode& node) {
  static constexpr std::string_view kContainers[] = {"filler",    "panel",     "scroll pane",  "split pane", "viewport",
                                                     "separator", "root pane", "layered pane", "unknown",    "section"};
  const bool is_container =
      std::find(std::begin(kContainers), std::end(kContainers), node.role) != std::end(kContainers);
  return !is_container || !node.name.empty() || !node.text.empty();
}

std::string clipped(const std::string& text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "… (" + std::to_string(text.size() - end) + " more bytes)";
}

std::string notes_of(const UiSnapshot& snapshot) {
  std::string text;
  for (const std::string& note : snapshot.notes) text.append("\nNote: ").append(note).append(".");
  return text;
}

}  // namespace

ToolSpec UiTreeTool::spec() const {
  json properties = window_properties();
  properties["action"] = {{"type", "string"}, {"enum", {"read", "find", "text", "insert", "replace"}}};
  properties["role"] = {{"type", "string"}, {"description", "for example button, entry, text, menu item, check box"}};
  properties["name"] = {{"type", "string"}, {"description", "its label, or a part of it"}};
  properties["text_to_put"] = {{"type", "string"}, {"description", "insert, replace: the text"}};
  properties["max_nodes"] = {{"type", "integer"}, {"minimum", 1}, {"maximum", 2000}};
  return {
      "ui_tree",
      "The widgets of a window as its program tells them; some programs tell none. read: all that show. find: those "
      "with `role` and `name`, with the point to click. text: all that a field or document holds. insert: puts text "
      "in at its caret; replace: instead of what it holds; both are read back. For text, insert and replace, role and "
      "name may be left out when the widget has the focus. Without `window` or `title` the active window is meant.",
      {{"type", "object"}, {"properties", properties}, {"required", {"action"}}, {"additionalProperties", false}}};
}

Effect UiTreeTool::effect(const ToolCall& call) const {
  return only_looks(call.arguments) ? Effect::Observe : view_.input_effect;
}

ToolResult UiTreeTool::run(const ToolCall& call, std::stop_token stop) {
  const std::variant<Window, std::string> chosen = chosen_window(view_, call.arguments);
  if (const auto* problem = std::get_if<std::string>(&chosen)) return failed(*problem);
  const Window& window = std::get<Window>(chosen);
  if (const std::optional<std::string> reason = protection_of(window)) return refusal(*reason);
  UiReadOptions options;
  options.max_nodes = static_cast<size_t>(call.arguments.value("max_nodes", kDefaultNodes));
  const UiSnapshot snapshot = tree_->read(window, options, stop);
  if (snapshot.nodes.empty()) return failed("No widgets were read." + notes_of(snapshot));
  const std::string action = call.arguments.at("action");
  if (action == "read") return read(snapshot, window);
  if (action == "find") return find(snapshot, window, call.arguments);
  ToolResult result = text(snapshot, call.arguments, std::move(stop));
  result.anchors.push_back(anchor_of(window));
  return result;
}

std::string UiTreeTool::node_line(const UiNode& node) const {
  std::string line = node.role + " \"" + node.name + "\"";
  if (!node.text.empty() && node.text != node.name) line.append(" = ").append(json(clipped(node.text, 120)).dump());
  if (node.box) {
    const std::optional<std::string> middle =
        point_text(view_, node.box->x + node.box->width / 2, node.box->y + node.box->height / 2);
    if (middle) line.append(" at ").append(*middle);
  }
  for (const std::string& state : node.states) line.append(", ").append(state);
  return line;
}

ToolResult UiTreeTool::read(const UiSnapshot& snapshot, const Window& window) const {
  ToolResult result;
  result.ok = true;
  result.text = "Widgets of \"" + window.title + "\", each with the middle of its place:\n";
  std::vector<int> indent(snapshot.nodes.size(), 0);  // by told ancestors only
  for (size_t i = 0; i < snapshot.nodes.size(); ++i) {
    const UiNode& node = snapshot.nodes[i];
    const bool is_told = is_worth_telling(node);
    const int outer = node.parent < 0 ? 0 : indent[static_cast<size_t>(node.parent)];
    indent[i] = outer + (is_told ? 1 : 0);
    if (is_told) result.text.append(static_cast<size_t>(outer) * 2, ' ').append(node_line(node)).append("\n");
  }
  result.text += coordinates_note(view_);
  if (snapshot.n_omitted > 0)
    result.text.append(" ").append(std::to_string(snapshot.n_omitted)).append(" more were left out.");
  result.text += notes_of(snapshot);
  result.details = {
      {"n_nodes", snapshot.nodes.size()}, {"n_omitted", snapshot.n_omitted}, {"toolkit", snapshot.toolkit}};
  return result;
}

ToolResult UiTreeTool::find(const UiSnapshot& snapshot, const Window& window, const json& arguments) const {
  const std::vector<size_t> found =
      find_nodes(snapshot, arguments.value("role", std::string()), arguments.value("name", std::string()));
  if (found.empty())
    return failed("No widget fits among the " + std::to_string(snapshot.nodes.size()) + " that show." +
                  notes_of(snapshot));
  ToolResult result;
  result.ok = true;
  for (size_t i = 0; i < std::min(found.size(), kMaxFound); ++i) {
    const UiNode& node = snapshot.nodes[found[i]];
    result.text += node_line(node);
    const std::variant<UiPoint, std::string> point = UiTree::click_point(node, window, view_.windows);
    if (const auto* problem = std::get_if<std::string>(&point)) result.text += " (can't be clicked: " + *problem + ")";
    result.text += "\n";
  }
  if (found.size() > kMaxFound) result.text += "and " + std::to_string(found.size() - kMaxFound) + " more\n";
  result.text += coordinates_note(view_) + notes_of(snapshot);
  return result;
}

ToolResult UiTreeTool::text(const UiSnapshot& snapshot, const json& arguments, std::stop_token stop) {
  const std::string action = arguments.at("action");
  const bool is_named = arguments.contains("role") || arguments.contains("name");
  std::vector<size_t> found =
      find_nodes(snapshot, arguments.value("role", std::string()), arguments.value("name", std::string()));
  std::erase_if(found, [&](size_t i) {
    const UiNode& node = snapshot.nodes[i];
    const bool fits = action == "text" ? node.has_text : node.is_editable;
    return !fits || (!is_named && !node.has_state("focused"));
  });
  if (found.size() != 1) {
    std::string why = found.empty() ? "No widget that fits takes or holds text" : "Several widgets fit";
    for (const size_t i : found) why.append("\n").append(node_line(snapshot.nodes[i]));
    return failed(why + "; name one by role and name, or click it first.");
  }
  const UiNode& node = snapshot.nodes[found[0]];
  ToolResult result;
  if (action == "text") {
    const std::optional<std::string> whole = tree_->read_text(node, stop);
    if (!whole) return failed("The " + node.role + " does not tell its text.");
    result.ok = true;
    result.text = clipped(*whole, kMaxTold_bytes);
    return result;
  }
  if (!arguments.contains("text_to_put")) return failed(action + " needs `text_to_put`.");
  const std::string put = arguments["text_to_put"];
  const std::optional<std::string> problem =
      action == "insert" ? tree_->insert_text(node, put, stop) : tree_->replace_text(node, put, stop);
  result.ok = !problem;
  result.evidence.emplace();
  result.evidence->verdict = problem ? Verdict::Unverifiable : Verdict::Confirmed;
  result.text =
      problem ? *problem : "Done, and read back: the " + node.role + " \"" + node.name + "\" holds it exactly.";
  return result;
}

}  // namespace tools
