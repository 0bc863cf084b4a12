#pragma once
// Looking as tools: a picture of the desktop or, in native resolution, of a part of it; and waiting.

#include "capture/image_budget.h"
#include "tools/desktop.h"
#include "tools/tool.h"

namespace tools {

class ScreenshotTool : public Tool {
 public:
  ScreenshotTool(Desktop& desktop, const capture::ImageBudget& budget) : desktop_(desktop), budget_(budget) {}
  ToolSpec spec() const override;
  Effect effect(const ToolCall&) const override { return Effect::Observe; }
  ToolResult run(const ToolCall& call, std::stop_token stop) override;

 private:
  Desktop& desktop_;
  capture::ImageBudget budget_;
};

class WaitTool : public Tool {
 public:
  explicit WaitTool(Desktop& desktop) : desktop_(desktop) {}
  ToolSpec spec() const override;
  Effect effect(const ToolCall&) const override { return Effect::Observe; }
  ToolResult run(const ToolCall& call, std::stop_token stop) override;

 private:
  Desktop& desktop_;
};

}  // namespace tools
