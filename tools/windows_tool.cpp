#include "tools/windows_tool.h"

#include <cmath>

#include "tools/anchor_reader.h"

namespace tools {
namespace {

using nlohmann::json;

constexpr int kDefaultWait_ms = 10'000;

bool only_looks(const json& arguments) {
  return arguments.at("action") == "list" || arguments.at("action") == "wait";
}

}  // namespace

ToolSpec WindowsTool::spec() const {
  const json number = {{"type", "number"}};
  json properties = window_properties();
  properties["action"] = {{"type", "string"},
                          {"enum", {"list", "wait", "activate", "move", "minimize", "maximize", "restore", "close"}}};
  for (const char* name : {"x", "y", "width", "height"}) properties[name] = number;
  properties["limit_ms"] = {
      {"type", "integer"}, {"minimum", 0}, {"maximum", 60000}, {"description", "wait: how long; 10000 unless said"}};
  return {"windows",
          "The windows of the desktop, topmost first. wait: until a window with `title` is there. move: its frame goes "
          "to x, y and, if given, gets width and height. close: as its close button does; the program may ask first. "
          "Without `window` or `title` the active window is meant.",
          {{"type", "object"}, {"properties", properties}, {"required", {"action"}}, {"additionalProperties", false}}};
}

Effect WindowsTool::effect(const ToolCall& call) const {
  return only_looks(call.arguments) ? Effect::Observe : view_.input_effect;
}

ToolResult WindowsTool::run(const ToolCall& call, std::stop_token stop) {
  const std::string action = call.arguments.at("action");
  if (only_looks(call.arguments)) {
    ToolResult result = action == "list" ? list() : wait(call.arguments, std::move(stop));
    view_.focus_is_known();
    return result;
  }
  const std::variant<Window, std::string> chosen = chosen_window(view_, call.arguments);
  if (const auto* problem = std::get_if<std::string>(&chosen)) return failed(*problem);
  const Window& window = std::get<Window>(chosen);
  if (const std::optional<std::string> reason = protection_of(window)) return refusal(*reason);
  ToolResult result = act(action, window, call.arguments);
  result.anchors.push_back(anchor_of(window));
  view_.focus_is_known();
  return result;
}

ToolResult WindowsTool::list() const {
  ToolResult result;
  result.ok = true;
  const std::vector<Window> windows = view_.windows.list();
  result.details = json::array();
  for (const Window& window : windows) {
    result.text += window_line(view_, window) + "\n";
    result.details.push_back({{"id", window.id}, {"title", window.title}, {"process", window.process_name}});
  }
  result.text += windows.empty() ? "There are no windows." : coordinates_note(view_);
  if (!view_.windows.has_window_manager())
    result.text += " No window manager runs here, so windows can't be raised, moved or closed.";
  return result;
}

ToolResult WindowsTool::wait(const json& arguments, std::stop_token stop) const {
  if (!arguments.contains("title")) return failed("wait needs `title`, a part of the title of the window to wait for");
  const std::chrono::milliseconds limit(arguments.value("limit_ms", kDefaultWait_ms));
  const auto fits = [&](const Window&) { return std::holds_alternative<Window>(chosen_window(view_, arguments)); };
  const std::optional<Window> any = view_.windows.wait_for(fits, limit, stop);
  const std::variant<Window, std::string> chosen = chosen_window(view_, arguments);
  if (any && std::holds_alternative<Window>(chosen)) {
    ToolResult result;
    result.ok = true;
    result.text = "It is there: " + window_line(view_, std::get<Window>(chosen)) + ". " + coordinates_note(view_);
    return result;
  }
  if (stop.stop_requested()) return failed("stopped while waiting");
  const auto* problem = std::get_if<std::string>(&chosen);
  return failed("After " + std::to_string(limit.count()) + " ms " + (problem ? *problem : "it had not come to rest"));
}

ToolResult WindowsTool::act(const std::string& action, const Window& window, const json& arguments) const {
  WindowProblem problem;
  ToolResult result;
  result.evidence.emplace();
  if (action == "activate") problem = view_.windows.activate(window.id);
  if (action == "minimize") problem = view_.windows.minimize(window.id);
  if (action == "maximize" || action == "restore")
    problem = view_.windows.set_maximized(window.id, action == "maximize");
  if (action == "close") problem = view_.windows.close(window.id);
  if (action == "move") {
    if (!arguments.contains("x") || !arguments.contains("y")) return failed("move needs x and y");
    const auto rounded = [&](const char* name) {
      return arguments.contains(name) ? static_cast<int>(std::lround(arguments[name].get<double>())) : 1;
    };
    const Rect meant = area_from_model(view_, {rounded("x"), rounded("y"), rounded("width"), rounded("height")});
    const Rect frame{meant.x, meant.y, arguments.contains("width") ? meant.width : window.frame.width,
                     arguments.contains("height") ? meant.height : window.frame.height};
    problem = view_.windows.move_resize(window.id, frame);
    result.details["frame_pt"] = {frame.x, frame.y, frame.width, frame.height};
  }
  if (problem) {
    const std::optional<Window> now = view_.windows.find(window.id);
    const bool has_changed =
        now && (now->frame.x != window.frame.x || now->frame.y != window.frame.y ||
                now->frame.width != window.frame.width || now->frame.height != window.frame.height);
    result.evidence->verdict = has_changed ? Verdict::Partial : Verdict::NoOp;
    result.text = action + " of \"" + window.title + "\": " + *problem;
    return result;
  }
  result.ok = true;
  result.evidence->verdict = Verdict::Confirmed;
  const std::optional<Window> now = view_.windows.find(window.id);
  if (action == "close") result.evidence->windows_closed.push_back(window.title);
  if (action == "activate") result.evidence->focused_window = window.title;
  result.text = action + " of \"" + window.title + "\": done";
  if (now && action != "close") result.text += "; it is " + window_line(view_, *now);
  return result;
}

}  // namespace tools
