#include "tools/desktop_view.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tools/ascii.h"

namespace tools {
namespace {

using nlohmann::json;

std::string listed(const DesktopView& view, const std::vector<Window>& windows) {
  std::string text;
  for (const Window& window : windows) text.append("\n").append(window_line(view, window));
  return text.empty() ? " (there are no windows)" : text;
}

}  // namespace

std::string place_text(const DesktopView& view, const Rect& area_pt) {
  capture::Rect area{area_pt.x, area_pt.y, area_pt.width, area_pt.height};
  if (const std::optional<capture::ScreenMap> map = view.newest_picture()) {
    area = map->area_to_image(area);
    if (area.is_empty()) return "outside of the picture";
  }
  return "at " + std::to_string(area.x) + ", " + std::to_string(area.y) + " size " + std::to_string(area.width) + "x" +
         std::to_string(area.height);
}

std::optional<std::string> point_text(const DesktopView& view, int x_pt, int y_pt) {
  double x = x_pt, y = y_pt;
  if (const std::optional<capture::ScreenMap> map = view.newest_picture()) {
    const auto position = map->to_image({x_pt, y_pt});
    if (!position) return std::nullopt;
    x = position->x_px;
    y = position->y_px;
  }
  return std::to_string(std::lround(x)) + ", " + std::to_string(std::lround(y));
}

Rect area_from_model(const DesktopView& view, const Rect& area_px) {
  const std::optional<capture::ScreenMap> map = view.newest_picture();
  if (!map) return area_px;
  const capture::Rect area = map->area_to_desktop({area_px.x, area_px.y, area_px.width, area_px.height});
  return {area.x, area.y, area.width, area.height};
}

std::string coordinates_note(const DesktopView& view) {
  return view.newest_picture() ? "Places are pixels of the newest screenshot."
                               : "Places are points of the desktop; no screenshot has been taken yet.";
}

std::string window_line(const DesktopView& view, const Window& window) {
  std::ostringstream line;
  line << window.id << " \"" << window.title << "\" (" << window.process_name;
  if (window.pid > 0) line << ", process " << window.pid;
  line << ")";
  if (!window.type.empty() && window.type != "normal") line << " " << window.type;
  if (window.is_mapped) line << " " << place_text(view, window.frame);
  if (window.is_active) line << ", active";
  for (const std::string& state : window.states) line << ", " << state;
  return line.str();
}

std::variant<Window, std::string> chosen_window(const DesktopView& view, const json& arguments) {
  if (arguments.contains("window")) {
    const std::optional<Window> window = view.windows.find(arguments["window"].get<WindowId>());
    if (window) return *window;
    return "there is no window " + arguments["window"].dump() +
           " any more. The windows are:" + listed(view, view.windows.list());
  }
  const std::vector<Window> all = view.windows.list();
  if (!arguments.contains("title")) {
    if (const std::optional<Window> active = view.windows.active()) return *active;
    return "no window is active, so name one. The windows are:" + listed(view, all);
  }
  const std::string wanted = ascii_lower(arguments["title"].get<std::string>());
  std::vector<Window> equal, containing;
  for (const Window& window : all) {
    const std::string title = ascii_lower(window.title);
    if (title == wanted) equal.push_back(window);
    if (title.find(wanted) != std::string::npos) containing.push_back(window);
  }
  const std::vector<Window>& fitting = equal.empty() ? containing : equal;
  if (fitting.size() == 1) return fitting[0];
  if (fitting.empty())
    return "no window has " + arguments["title"].dump() + " in its title. The windows are:" + listed(view, all);
  return std::to_string(fitting.size()) + " windows fit " + arguments["title"].dump() +
         ", name one by its number:" + listed(view, fitting);
}

json window_properties() {
  return {{"window", {{"type", "integer"}, {"minimum", 1}, {"maximum", 4294967295U}, {"description", "its number"}}},
          {"title", {{"type", "string"}, {"minLength", 1}, {"description", "or a part of its title"}}}};
}

ToolResult failed(const std::string& why) {
  ToolResult result;
  result.text = why;
  return result;
}

ToolResult refusal(const std::string& why) {
  ToolResult result;
  result.text = "Refused: " + why + ". Nothing was done.";
  result.evidence.emplace();
  result.evidence->verdict = Verdict::Refused;
  return result;
}

}  // namespace tools
