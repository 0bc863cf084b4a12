#pragma once
// The windows as a tool: list them, wait for one, raise, move, resize, minimize, maximize and close them.

#include "tools/desktop_view.h"
#include "tools/tool.h"

namespace tools {

class WindowsTool : public Tool {
 public:
  explicit WindowsTool(DesktopView view) : view_(std::move(view)) {}
  ToolSpec spec() const override;
  Effect effect(const ToolCall& call) const override;
  ToolResult run(const ToolCall& call, std::stop_token stop) override;

 private:
  ToolResult list() const;
  ToolResult wait(const nlohmann::json& arguments, std::stop_token stop) const;
  ToolResult act(const std::string& action, const Window& window, const nlohmann::json& arguments) const;

  DesktopView view_;
};

}  // namespace tools
