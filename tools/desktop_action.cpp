#include "tools/desktop_action.h"

#include <algorithm>
#include <cstdlib>

namespace tools {

ToolResult refused(const std::string& why) {
  ToolResult result{.text = "Refused: " + why + "."};
  result.evidence = Evidence{.verdict = Verdict::Refused};
  return result;
}

ToolResult not_done(const std::string& why) {
  return {.text = "Nothing was done: " + why + "."};
}

std::optional<std::string> protected_point(const Desktop& desktop, const std::vector<capture::DesktopPoint>& points) {
  for (const capture::DesktopPoint& point : points)
    if (const std::optional<Window> window = desktop.windows().at(point.x_pt, point.y_pt))
      if (const std::optional<std::string> reason = protection_of(*window)) return reason;
  return std::nullopt;
}

std::optional<std::string> protected_focus(const Desktop& desktop) {
  const std::optional<Window> window = desktop.windows().active();
  return window ? protection_of(*window) : std::nullopt;
}

namespace {

constexpr int kSurround_pt = 96;           // side of the square that is compared
constexpr double kMostChangedPart = 0.04;  // of its pixels
constexpr int kSameColour = 24;            // most difference per channel

CallTarget target_of(const Window& window) {
  const std::string program = window.process_name.empty() ? window.class_name : window.process_name;
  return {"window \"" + window.title + "\"" + (program.empty() ? "" : " of " + program), window.id, nullptr};
}

double changed_part(const cv::Mat& before, const cv::Mat& now) {
  int n_changed = 0;
  for (int y = 0; y < before.rows; ++y) {
    const std::uint8_t* a = before.ptr(y);
    const std::uint8_t* b = now.ptr(y);
    for (int x = 0; x < before.cols * 4; x += 4) {
      n_changed += std::abs(a[x] - b[x]) > kSameColour || std::abs(a[x + 1] - b[x + 1]) > kSameColour ||
                   std::abs(a[x + 2] - b[x + 2]) > kSameColour;
    }
  }
  return static_cast<double>(n_changed) / std::max(1, before.rows * before.cols);
}

}  // namespace

std::optional<CallTarget> target_at(Desktop& desktop, capture::DesktopPoint point) {
  CallTarget target{.what = "the bare desktop", .window = 0, .surround = nullptr};
  if (const std::optional<Window> window = desktop.windows().at(point.x_pt, point.y_pt)) target = target_of(*window);
  target.what += " at " + std::to_string(point.x_pt) + ", " + std::to_string(point.y_pt);
  const capture::Grab grab = desktop.grab();
  if (!grab) return target;
  const capture::Rect& all_pt = grab.frame->screen_map.area_pt();
  const capture::Rect square_px{point.x_pt - all_pt.x - kSurround_pt / 2, point.y_pt - all_pt.y - kSurround_pt / 2,
                                kSurround_pt, kSurround_pt};
  const capture::Rect inside_px = capture::intersect(square_px, {0, 0, all_pt.width, all_pt.height});
  if (!inside_px.is_empty()) target.surround = capture::crop(grab.frame, inside_px);
  return target;
}

std::optional<CallTarget> focused_target(const Desktop& desktop) {
  const std::optional<Window> window = desktop.windows().active();
  return window ? std::optional(target_of(*window)) : std::nullopt;
}

std::optional<std::string> target_change(const CallTarget& before, const CallTarget& now) {
  if (before.window != now.window || before.what != now.what)
    return "it was " + before.what + ", now it is " + now.what;
  if ((before.surround == nullptr) != (now.surround == nullptr)) return "the screen there can't be seen any more";
  if (before.surround == nullptr) return std::nullopt;
  const cv::Mat &a = before.surround->pixels, &b = now.surround->pixels;
  if (a.size() != b.size() || changed_part(a, b) > kMostChangedPart) return "the screen around the point has changed";
  return std::nullopt;
}

ToolResult act(Desktop& desktop, const std::vector<InputStep>& steps, const Aim& aim, const std::string& what,
               std::stop_token stop) {
  EvidenceWatch watch(desktop);
  const InputOutcome outcome = desktop.perform(steps, stop);
  ToolResult result;
  result.details = {{"steps_done", outcome.steps_done}, {"characters_typed", outcome.characters_typed}};
  if (outcome.ending != InputOutcome::Ending::Done) {
    result.text = "Ended before it was done (" + what + "): " + outcome.message + ". Everything is released.";
    result.evidence =
        Evidence{.verdict = outcome.steps_done + outcome.characters_typed > 0 ? Verdict::Partial : Verdict::NoOp};
    desktop.remember_focus();
    return result;
  }
  result.ok = true;
  result.evidence = watch.finish(aim, stop);
  result.text = what + "; " + describe(*result.evidence) + ".";
  if (!outcome.message.empty()) result.text += " Note: " + outcome.message + ".";
  return result;
}

}  // namespace tools
