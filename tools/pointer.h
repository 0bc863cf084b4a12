#pragma once
// The mouse as a tool: move, click, press, release, drag and scroll, at points of a picture that the model was shown.

#include <chrono>
#include <optional>

#include "tools/desktop.h"
#include "tools/tool.h"

namespace tools {

class PointerTool : public Tool {
 public:
  explicit PointerTool(Desktop& desktop) : desktop_(desktop) {}
  ToolSpec spec() const override;
  Effect effect(const ToolCall&) const override { return desktop_.input_effect(); }
  std::optional<CallTarget> target(const ToolCall& call) override;
  ToolResult run(const ToolCall& call, std::stop_token stop) override;

 private:
  struct Plan {
    std::vector<InputStep> steps;
    std::vector<capture::DesktopPoint> path;     // of a drag
    std::vector<capture::DesktopPoint> aimed;    // what is meant by the points; none: where the pointer is
    std::vector<capture::DesktopPoint> touched;  // where buttons and wheel act; none: where the pointer is
    bool is_visible = true;                      // an effect is to be seen
    std::string problem;                         // nothing may be done; for the model
  };
  Plan plan(const nlohmann::json& arguments);
  void plan_click(const nlohmann::json& arguments, const std::optional<capture::DesktopPoint>& at, Plan& plan);
  void plan_drag(const nlohmann::json& arguments, Plan& plan);
  void plan_scroll(const nlohmann::json& arguments, Plan& plan);
  Pause before_press(const std::optional<capture::DesktopPoint>& at) const;
  std::optional<capture::DesktopPoint> point_of(const nlohmann::json& arguments, Plan& plan);
  void move(capture::DesktopPoint to, int duration_ms, Plan& plan);

  Desktop& desktop_;
  struct Click {
    std::chrono::steady_clock::time_point ended{};
    std::optional<capture::DesktopPoint> at;
  };
  Click last_click_;
};

}  // namespace tools
