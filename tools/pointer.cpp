#include "tools/pointer.h"

#include <algorithm>
#include <cmath>

#include "tools/action.h"
#include "tools/anchor_reader.h"
#include "tools/desktop_action.h"
#include "tools/key_names.h"

namespace tools {
namespace {

using capture::DesktopPoint;
using nlohmann::json;

// Programs see a press that lasts like a finger's, and a double click well inside the shortest usual threshold.
constexpr Pause kPressed{15};
constexpr Pause kBetweenClicks{50};
// Two single clicks must not become a double click. Toolkits want one near the other, xterm only soon after it (250
// ms).
constexpr std::chrono::milliseconds kNoDoubleClick{600};
constexpr std::chrono::milliseconds kNoDoubleClickElsewhere{300};
constexpr int kSamePlace_pt = 16;
constexpr Pause kDragStart{60};  // toolkits want to see rest, then motion beyond a threshold
constexpr int kDragSteps = 12;   // per leg, at least
constexpr int kStep_ms = 10;
constexpr Pause kBetweenNotches{15};

int button_number(const std::string& name) {
  if (name == "middle") return 2;
  if (name == "right") return 3;
  if (name == "back") return 8;
  if (name == "forward") return 9;
  return 1;
}

std::string text_of(DesktopPoint point) {
  return std::to_string(point.x_pt) + ", " + std::to_string(point.y_pt);
}

// Slow at both ends, like a hand.
double eased(double part) {
  return part * part * (3 - 2 * part);
}

void add_motion(DesktopPoint from, DesktopPoint to, int n_steps, std::vector<InputStep>& steps) {
  for (int step_idx = 1; step_idx <= n_steps; ++step_idx) {
    const double part = eased(static_cast<double>(step_idx) / n_steps);
    steps.emplace_back(MoveTo{static_cast<int>(std::lround(from.x_pt + (to.x_pt - from.x_pt) * part)),
                              static_cast<int>(std::lround(from.y_pt + (to.y_pt - from.y_pt) * part))});
    steps.emplace_back(Pause{kStep_ms});
  }
}

// Holds the modifiers around the steps; a problem when one is unknown.
std::string hold_modifiers(const json& arguments, std::vector<InputStep>& steps) {
  std::vector<InputStep> down, up;
  for (const json& name : arguments.value("modifiers", json::array())) {
    const std::optional<std::uint32_t> keysym = keysym_from_name(name.get<std::string>());
    if (!keysym || !is_modifier(*keysym)) return "\"" + name.get<std::string>() + "\" is no modifier key";
    down.emplace_back(KeyChange{*keysym, true});
    up.insert(up.begin(), KeyChange{*keysym, false});
  }
  steps.insert(steps.begin(), down.begin(), down.end());
  steps.insert(steps.end(), up.begin(), up.end());
  return "";
}

}  // namespace

ToolSpec PointerTool::spec() const {
  const json number{{"type", "number"}};
  return {
      "pointer",
      "Works the mouse. Points are pixels of a screenshot: of `frame`, or of the newest one. Without a point, click, "
      "press, release and scroll act where the pointer is.",
      {{"type", "object"},
       {"properties",
        {{"action", {{"type", "string"}, {"enum", {"move", "click", "press", "release", "drag", "scroll"}}}},
         {"x", number},
         {"y", number},
         {"frame", {{"type", "integer"}, {"description", "number of the screenshot that the points belong to"}}},
         {"button", {{"type", "string"}, {"enum", {"left", "middle", "right", "back", "forward"}}}},
         {"count", {{"type", "integer"}, {"minimum", 1}, {"maximum", 3}, {"description", "2: double click"}}},
         {"modifiers",
          {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", "keys to hold: ctrl, shift, alt"}}},
         {"path",
          {{"type", "array"},
           {"minItems", 2},
           {"items", {{"type", "array"}, {"items", number}, {"minItems", 2}, {"maxItems", 2}}},
           {"description", "drag: the points [x, y] from start to end"}}},
         {"right", {{"type", "number"}, {"description", "scroll: wheel notches to the right; negative: left"}}},
         {"down", {{"type", "number"}, {"description", "scroll: wheel notches down; negative: up"}}},
         {"duration_ms",
          {{"type", "integer"},
           {"minimum", 0},
           {"maximum", 10000},
           {"description", "move, drag: time on the way; 0 jumps"}}}}},
       {"required", {"action"}},
       {"additionalProperties", false}}};
}

std::optional<DesktopPoint> PointerTool::point_of(const json& arguments, Plan& plan) {
  if (arguments.contains("x") != arguments.contains("y")) plan.problem = "a point needs both x and y";
  if (!arguments.contains("x") || !plan.problem.empty()) return std::nullopt;
  const auto point = desktop_.to_desktop(arguments.value("frame", std::uint64_t{0}), arguments["x"].get<double>(),
                                         arguments["y"].get<double>());
  if (const auto* problem = std::get_if<std::string>(&point)) {
    plan.problem = *problem;
    return std::nullopt;
  }
  return std::get<DesktopPoint>(point);
}

void PointerTool::move(DesktopPoint to, int duration_ms, Plan& plan) {
  const std::optional<DesktopPoint> from = duration_ms > 0 ? desktop_.pointer() : std::nullopt;
  if (from)
    add_motion(*from, to, std::max(1, duration_ms / kStep_ms), plan.steps);
  else
    plan.steps.emplace_back(MoveTo{to.x_pt, to.y_pt});
}

Pause PointerTool::before_press(const std::optional<DesktopPoint>& at) const {
  const bool is_elsewhere =
      at && last_click_.at &&
      std::hypot(at->x_pt - last_click_.at->x_pt, at->y_pt - last_click_.at->y_pt) > kSamePlace_pt;
  const auto wanted = is_elsewhere ? kNoDoubleClickElsewhere : kNoDoubleClick;
  const auto since_last = std::chrono::steady_clock::now() - last_click_.ended;
  return {static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wanted - since_last).count())};
}

void PointerTool::plan_click(const json& arguments, const std::optional<DesktopPoint>& at, Plan& plan) {
  const int button = button_number(arguments.value("button", "left"));
  const std::string action = arguments["action"];
  if (action == "release") plan.steps.emplace_back(ButtonChange{button, false});
  if (action != "click" && action != "press") return;
  if (const Pause pause = before_press(at); pause.duration_ms > 0) plan.steps.emplace_back(pause);
  if (action == "press") plan.steps.emplace_back(ButtonChange{button, true});
  const int count = action == "click" ? arguments.value("count", 1) : 0;
  for (int click_idx = 0; click_idx < count; ++click_idx) {
    if (click_idx > 0) plan.steps.emplace_back(kBetweenClicks);
    plan.steps.emplace_back(ButtonChange{button, true});
    plan.steps.emplace_back(kPressed);
    plan.steps.emplace_back(ButtonChange{button, false});
  }
}

void PointerTool::plan_drag(const json& arguments, Plan& plan) {
  if (!arguments.contains("path")) {
    plan.problem = "a drag needs its path";
    return;
  }
  std::vector<DesktopPoint> points;
  for (const json& item : arguments["path"]) {
    const auto point =
        desktop_.to_desktop(arguments.value("frame", std::uint64_t{0}), item[0].get<double>(), item[1].get<double>());
    if (const auto* problem = std::get_if<std::string>(&point)) {
      plan.problem = *problem;
      return;
    }
    points.push_back(std::get<DesktopPoint>(point));
  }
  const int button = button_number(arguments.value("button", "left"));
  const int n_legs = static_cast<int>(points.size()) - 1;
  const int n_steps = std::max(kDragSteps, arguments.value("duration_ms", 0) / kStep_ms / n_legs);
  plan.steps.emplace_back(MoveTo{points[0].x_pt, points[0].y_pt});
  if (const Pause pause = before_press(points[0]); pause.duration_ms > 0) plan.steps.emplace_back(pause);
  plan.steps.emplace_back(ButtonChange{button, true});
  plan.steps.emplace_back(kDragStart);
  for (int leg_idx = 0; leg_idx < n_legs; ++leg_idx)
    add_motion(points[static_cast<std::size_t>(leg_idx)], points[static_cast<std::size_t>(leg_idx) + 1], n_steps,
               plan.steps);
  plan.steps.emplace_back(kDragStart);
  plan.steps.emplace_back(ButtonChange{button, false});
  plan.aimed = plan.touched = {points.front(), points.back()};
  plan.path = std::move(points);
}

void PointerTool::plan_scroll(const json& arguments, Plan& plan) {
  const ScrollAmount amount{.dx = arguments.value("right", 0.0), .dy = arguments.value("down", 0.0)};
  const auto notches = to_notches(amount);
  if (const auto* error = std::get_if<ActionError>(&notches)) {
    plan.problem = error->message;
    return;
  }
  const Notches whole = std::get<Notches>(notches);
  if (whole.right == 0 && whole.down == 0) plan.problem = "a scroll needs `down` or `right`";
  const auto turn = [&](int count, int button) {
    for (int notch_idx = 0; notch_idx < count; ++notch_idx) {
      plan.steps.emplace_back(ButtonChange{button, true});
      plan.steps.emplace_back(ButtonChange{button, false});
      plan.steps.emplace_back(kBetweenNotches);
    }
  };
  turn(std::abs(whole.down), whole.down > 0 ? 5 : 4);
  turn(std::abs(whole.right), whole.right > 0 ? 7 : 6);
}

PointerTool::Plan PointerTool::plan(const json& arguments) {
  Plan plan;
  const std::string action = arguments["action"];
  if (action == "drag") {
    plan_drag(arguments, plan);
  } else {
    const std::optional<DesktopPoint> point = point_of(arguments, plan);
    if (action == "move" && !point && plan.problem.empty()) plan.problem = "a move needs x and y";
    if (!plan.problem.empty()) return plan;
    if (point) move(*point, arguments.value("duration_ms", 0), plan);
    const std::optional<DesktopPoint> at = point ? point : desktop_.pointer();
    if (action == "scroll")
      plan_scroll(arguments, plan);
    else
      plan_click(arguments, at, plan);
    if (at) plan.aimed = {*at};
    if (action != "move") plan.touched = plan.aimed;
  }
  plan.is_visible = action == "click" || action == "drag" || action == "scroll";
  if (plan.problem.empty()) plan.problem = hold_modifiers(arguments, plan.steps);
  return plan;
}

std::optional<CallTarget> PointerTool::target(const ToolCall& call) {
  const Plan plan = this->plan(call.arguments);
  if (!plan.problem.empty() || plan.touched.empty()) return std::nullopt;
  return target_at(desktop_, plan.touched.front());
}

ToolResult PointerTool::run(const ToolCall& call, std::stop_token stop) {
  const Plan plan = this->plan(call.arguments);
  if (!plan.problem.empty()) return not_done(plan.problem);
  if (const std::optional<std::string> reason = protected_point(desktop_, plan.touched)) return refused(*reason);
  Aim aim{.trace = plan.is_visible ? Aim::Trace::Visible : Aim::Trace::Unseen, .where = {}};
  std::string what = call.arguments["action"].get<std::string>();
  if (!plan.touched.empty()) {
    what += " at desktop point " + text_of(plan.touched.back());
    if (const std::optional<Window> window =
            desktop_.windows().at(plan.touched.back().x_pt, plan.touched.back().y_pt)) {
      aim.where = window->frame;
      what += " in \"" + window->title + "\"";
    }
  }
  std::vector<Anchor> anchors = anchors_at(desktop_, plan.aimed, stop);
  ToolResult result = act(desktop_, plan.steps, aim, what, stop);
  result.anchors = std::move(anchors);
  for (const DesktopPoint& point : plan.path) result.details["path_pt"].push_back({point.x_pt, point.y_pt});
  if (call.arguments["action"] == "click") {
    const std::optional<DesktopPoint> at = plan.aimed.empty() ? std::nullopt : std::optional(plan.aimed.front());
    last_click_ = {desktop_.last_input(), at};
  }
  return result;
}

}  // namespace tools
