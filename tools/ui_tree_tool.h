#pragma once
// The widgets of a window as a tool: read them, find one with the point to click, put text in and read it back.

#include <memory>

#include "tools/desktop_view.h"
#include "tools/tool.h"
#include "tools/ui_tree.h"

namespace tools {

class UiTreeTool : public Tool {
 public:
  UiTreeTool(DesktopView view, std::shared_ptr<UiTree> tree) : view_(std::move(view)), tree_(std::move(tree)) {}
  ToolSpec spec() const override;
  Effect effect(const ToolCall& call) const override;
  ToolResult run(const ToolCall& call, std::stop_token stop) override;

 private:
  ToolResult read(const UiSnapshot& snapshot, const Window& window) const;
  ToolResult find(const UiSnapshot& snapshot, const Window& window, const nlohmann::json& arguments) const;
  ToolResult text(const UiSnapshot& snapshot, const nlohmann::json& arguments, std::stop_token stop);
  std::string node_line(const UiNode& node) const;

  DesktopView view_;
  std::shared_ptr<UiTree> tree_;
};

}  // namespace tools
