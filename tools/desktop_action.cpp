#include "tools/desktop_action.h"

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

ToolResult act(Desktop& desktop, const std::vector<InputStep>& steps, const Aim& aim, const std::string& what,
               std::stop_token stop) {
  EvidenceWatch watch(desktop);
  const InputOutcome outcome = desktop.input().perform(steps, stop);
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
