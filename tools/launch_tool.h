#pragma once
// Starting programs on the private desktop, with their windows awaited.

#include "tools/desktop_view.h"
#include "tools/private_desktop.h"
#include "tools/tool.h"

namespace tools {

class LaunchTool : public Tool {
 public:
  // The desktop must outlive the tool.
  LaunchTool(PrivateDesktop& desktop, DesktopView view) : desktop_(desktop), view_(std::move(view)) {}
  ToolSpec spec() const override;
  // It runs a command, whatever window comes of it.
  Effect effect(const ToolCall&) const override { return Effect::Shell; }
  ToolResult run(const ToolCall& call, std::stop_token stop) override;

 private:
  PrivateDesktop& desktop_;
  DesktopView view_;
};

}  // namespace tools
