#include "tools/screenshot.h"

#include <condition_variable>
#include <mutex>

namespace tools {
namespace {

using nlohmann::json;

// A part of the screen is shown so many times as large, where the model's pictures have room for that: letters of 5 px
// are read far better at 10 px.
constexpr int kEnlarged = 2;

void sleep_for(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

ToolSpec ScreenshotTool::spec() const {
  return {"screenshot",
          "Takes a picture of the screen. With `region` [x, y, width, height], in pixels of `frame` or of the newest "
          "screenshot, it shows that part larger, for small text. Points in later calls belong to the newest picture "
          "unless they name another.",
          {{"type", "object"},
           {"properties",
            {{"region",
              {{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 0}}}, {"minItems", 4}, {"maxItems", 4}}},
             {"frame", {{"type", "integer"}, {"description", "number of the screenshot that the region belongs to"}}},
             {"cursor", {{"type", "boolean"}, {"description", "draw the mouse pointer"}}}}},
           {"additionalProperties", false}}};
}

ToolResult ScreenshotTool::run(const ToolCall& call, std::stop_token) {
  capture::GrabOptions options{.area_pt = {}, .with_cursor = call.arguments.value("cursor", false)};
  if (call.arguments.contains("region")) {
    const std::vector<int> region = call.arguments["region"];
    const auto area = desktop_.area_to_desktop(call.arguments.value("frame", std::uint64_t{0}),
                                               {region[0], region[1], region[2], region[3]});
    if (const auto* problem = std::get_if<std::string>(&area)) return {.text = "No picture: " + *problem + "."};
    options.area_pt = std::get<capture::Rect>(area);
  }
  const capture::Grab grab = desktop_.grab(options);
  if (!grab) return {.text = "No picture: " + grab.error};
  capture::Size native_px = grab.frame->screen_map.image_px();
  if (options.area_pt) native_px = {native_px.width * kEnlarged, native_px.height * kEnlarged};
  const std::optional<capture::Size> size = capture::model_size(native_px, budget_);
  if (!size) return {.text = "No picture: the part is too long and narrow to be shown; choose another region."};
  const std::shared_ptr<const capture::Frame> shown = capture::resize(grab.frame, *size);
  desktop_.show(*shown);
  ToolResult result{.ok = true,
                    .text = "Frame " + std::to_string(shown->id) + ", " + std::to_string(size->width) + " x " +
                            std::to_string(size->height) + " px.",
                    .frames = {shown}};
  result.details = {{"frame", shown->id}, {"map", shown->screen_map.describe()}};
  return result;
}

ToolSpec WaitTool::spec() const {
  return {"wait",
          "Waits until the screen is quiet, until it changes, or for a time. `seconds` is the limit.",
          {{"type", "object"},
           {"properties",
            {{"until", {{"type", "string"}, {"enum", {"quiet", "change", "time"}}}},
             {"seconds", {{"type", "number"}, {"minimum", 0}, {"maximum", 300}}}}},
           {"required", {"until", "seconds"}},
           {"additionalProperties", false}}};
}

ToolResult WaitTool::run(const ToolCall& call, std::stop_token stop) {
  const std::string until = call.arguments["until"];
  const int limit_ms = static_cast<int>(call.arguments["seconds"].get<double>() * 1000);
  std::string text = "The time is over.";
  if (until == "quiet") {
    desktop_.screen_watch().begin();
    const capture::Settled settled = desktop_.screen_watch().settle({.quiet_ms = 300, .cap_ms = limit_ms}, stop);
    text = settled.settled ? "The screen is quiet." : "The screen is still moving.";
  } else if (until == "change") {
    desktop_.screen_watch().begin();
    text = desktop_.screen_watch().wait_for_change(limit_ms, stop) ? "The screen changed." : "Nothing changed.";
  } else {
    sleep_for(std::chrono::milliseconds(limit_ms), stop);
  }
  if (stop.stop_requested()) return {.text = "The wait was stopped."};
  return {.ok = true, .text = text};
}

}  // namespace tools
