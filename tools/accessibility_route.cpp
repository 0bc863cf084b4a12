#include "tools/accessibility_route.h"

namespace tools {

std::optional<std::string> AccessibilityRoute::insert(const std::string& utf8, std::stop_token stop) {
  const std::optional<Window> window = windows_.active();
  if (!window) return "no window has the focus";
  const std::optional<UiNode> field = tree_->focused_field(*window, stop);
  if (!field) return "no widget of \"" + window->title + "\" that takes text over accessibility has the focus";
  return tree_->insert_text(*field, utf8, std::move(stop));
}

}  // namespace tools
