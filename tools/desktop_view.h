#pragma once
// A desktop as the tools for windows and widgets need it, and how they speak of windows and places to the model.

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "capture/screen_map.h"
#include "tools/windows.h"

namespace tools {

struct DesktopView {
  const Windows& windows;
  Effect input_effect = Effect::InputUser;  // InputPrivate on a private desktop
  // The map of the newest picture that the model was shown: places are told, and taken, as pixels of it. None was shown
  // yet: they are desktop points.
  std::function<std::optional<capture::ScreenMap>()> newest_picture = [] { return std::nullopt; };
  // Called when the model has been told which window is active now, by a list or by what its own action did.
  std::function<void()> focus_is_known = [] {};
};

// "at 10, 20 size 300x200" in the model's coordinates; "outside of the picture" when it doesn't show it.
std::string place_text(const DesktopView& view, const Rect& area_pt);
// "240, 310" in the model's coordinates; none when the picture doesn't show it.
std::optional<std::string> point_text(const DesktopView& view, int x_pt, int y_pt);
// The desktop area that the model means.
Rect area_from_model(const DesktopView& view, const Rect& area_px);
// What the coordinates are: one sentence for the end of a list.
std::string coordinates_note(const DesktopView& view);

// One line: id, title, program, place, states.
std::string window_line(const DesktopView& view, const Window& window);

// The window that a call means by "window" (its id) or "title" (a part of it); the active one when it names none. Else
// why none is meant, with the candidates.
std::variant<Window, std::string> chosen_window(const DesktopView& view, const nlohmann::json& arguments);
// The schema of those two arguments, to be merged into "properties".
nlohmann::json window_properties();

// An expected failure, and a refusal to touch what is the user's alone.
ToolResult failed(const std::string& why);
ToolResult refusal(const std::string& why);

}  // namespace tools
