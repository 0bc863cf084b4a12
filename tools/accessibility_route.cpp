#include "tools/accessibility_route.h"

namespace tools {

std::optional<std::string> AccessibilityRoute::insert(const std::string& utf8, std::stop_token stop) {
  const std::optional<Window> window = windows_.active();
  if (!window) return "no window has the focus";
  const UiSnapshot snapshot = tree_->read(*window, {}, stop);
  const UiNode* focused = nullptr;
  for (const UiNode& node : snapshot.nodes)
    if (node.is_editable && node.has_state("focused")) focused = &node;  // the innermost comes last
  if (focused == nullptr)
    return "no widget of \"" + window->title + "\" that takes text over accessibility has the focus";
  return tree_->insert_text(*focused, utf8, std::move(stop));
}

}  // namespace tools
