#include "agent/replay.h"

#include "agent/permission.h"
#include "tools/anchor_finder.h"
#include "tools/desktop.h"

namespace agent {
namespace {

using nlohmann::json;

// Why a step can't be done; empty: it was done.
struct Problem {
  std::string reason;
  Ending ending = Ending::Stuck;
};

// A click into a field only gives it the keyboard, which it may have already. Whoever types next looks at that.
bool only_takes_the_focus(const ReplayStep& step) {
  return step.call.name == "pointer" && step.call.arguments.value("action", "") == "click" &&
         step.anchors.size() == 1 && step.anchors[0].widget &&
         (step.anchors[0].widget->role == "text" || step.anchors[0].widget->role == "password text" ||
          step.anchors[0].widget->role == "terminal");
}

class Replay {
 public:
  Replay(const ReplayParts& parts, const std::stop_token& stop) : parts_(parts), stop_(stop) {}

  // Finds the target, asks for consent, acts, compares what came of it.
  std::optional<Problem> perform(std::size_t step_idx, const ReplayStep& step);
  Picture see() const;

 private:
  std::optional<Problem> aim(const ReplayStep& step, tools::ToolCall& call);
  std::optional<Problem> aim_pointer(const ReplayStep& step, json& arguments);
  std::optional<Problem> aim_window(const ReplayStep& step, json& arguments);
  std::variant<tools::FoundAnchor, Problem> find(const tools::Anchor& anchor);
  std::optional<Problem> act(const ReplayStep& step, const tools::ToolCall& call);

  const ReplayParts& parts_;
  std::stop_token stop_;
  std::string how_;  // what the targets of the step were known by
};

Picture Replay::see() const {
  if (parts_.workbench.desktop() == nullptr) return nullptr;
  return parts_.workbench.desktop()->grab().frame;
}

std::variant<tools::FoundAnchor, Problem> Replay::find(const tools::Anchor& anchor) {
  const tools::AnchorSearch search =
      tools::wait_for_anchor(*parts_.workbench.desktop(), anchor, parts_.patience, stop_);
  if (const auto* missing = std::get_if<tools::MissingAnchor>(&search)) return Problem{missing->reason};
  const auto& found = std::get<tools::FoundAnchor>(search);
  how_ += (how_.empty() ? "" : "; ") + found.how;
  return found;
}

std::optional<Problem> Replay::aim_pointer(const ReplayStep& step, json& arguments) {
  tools::Desktop& desktop = *parts_.workbench.desktop();
  std::vector<capture::DesktopPoint> points;
  for (const tools::Anchor& anchor : step.anchors) {
    const auto found = find(anchor);
    if (const auto* problem = std::get_if<Problem>(&found)) return *problem;
    points.push_back(std::get<tools::FoundAnchor>(found).point);
  }
  if (points.empty()) return Problem{"the record doesn't tell where the pointer was"};
  const capture::Grab grab = desktop.grab();
  if (!grab) return Problem{grab.error, Ending::Failed};
  desktop.show(*grab.frame);  // native: a pixel is a point
  arguments.erase("frame");
  const auto pixel = [&](capture::DesktopPoint point) {
    const auto at = grab.frame->screen_map.to_image(point);
    return at ? json{at->x_px, at->y_px} : json{-1, -1};  // outside: the tool refuses it
  };
  if (!arguments.contains("path")) {
    const json at = pixel(points[0]);
    arguments["x"] = at[0];
    arguments["y"] = at[1];
    return std::nullopt;
  }
  // What lies between the ends of a drag moves with its start.
  const json recorded = step.details.is_object() ? step.details.value("path_pt", json::array()) : json::array();
  json path = json::array({pixel(points.front())});
  for (std::size_t i = 1; i + 1 < recorded.size(); ++i) {
    const json& point = recorded.at(i);
    path.push_back(pixel({point.at(0).get<int>() + points.front().x_pt - step.anchors.front().point.x_pt,
                          point.at(1).get<int>() + points.front().y_pt - step.anchors.front().point.y_pt}));
  }
  path.push_back(pixel(points.back()));
  arguments["path"] = path;
  return std::nullopt;
}

std::optional<Problem> Replay::aim_window(const ReplayStep& step, json& arguments) {
  tools::Desktop& desktop = *parts_.workbench.desktop();
  const auto found = find(step.anchors.front());
  if (const auto* problem = std::get_if<Problem>(&found)) return *problem;
  const auto& window = std::get<tools::FoundAnchor>(found).window;
  if (!window) return Problem{"the recorded step names no window"};
  arguments.erase("title");
  arguments["window"] = window->id;
  if (step.details.is_object() && step.details.contains("frame_pt")) {
    const capture::Grab grab = desktop.grab();
    if (!grab) return Problem{grab.error, Ending::Failed};
    desktop.show(*grab.frame);
    const json& frame = step.details["frame_pt"];
    arguments["x"] = frame.at(0);
    arguments["y"] = frame.at(1);
    if (arguments.contains("width")) arguments["width"] = frame.at(2);
    if (arguments.contains("height")) arguments["height"] = frame.at(3);
  }
  return std::nullopt;
}

std::optional<Problem> Replay::aim(const ReplayStep& step, tools::ToolCall& call) {
  const bool works_the_desktop =
      call.name == "pointer" || call.name == "keyboard" || call.name == "windows" || call.name == "ui_tree";
  if (works_the_desktop && parts_.workbench.desktop() == nullptr) return Problem{"there is no desktop"};
  if (call.name == "pointer") return aim_pointer(step, call.arguments);
  if (step.anchors.empty()) return std::nullopt;
  if (call.name == "windows" || call.name == "ui_tree") return aim_window(step, call.arguments);
  if (call.name != "keyboard") return std::nullopt;
  const tools::AnchorSearch search =
      tools::wait_for_focus(*parts_.workbench.desktop(), step.anchors[0], parts_.patience, stop_);
  if (const auto* missing = std::get_if<tools::MissingAnchor>(&search)) return Problem{missing->reason};
  how_ = std::get<tools::FoundAnchor>(search).how;
  return std::nullopt;
}

std::optional<Problem> Replay::act(const ReplayStep& step, const tools::ToolCall& call) {
  tools::ToolRegistry& tools = parts_.workbench.tools();
  if (const auto problem = tools.problem_with(call)) return Problem{*problem, Ending::Failed};
  const tools::Effect effect = tools.effect(call);
  const Permission permission = permission_for(call, effect, parts_.policy);
  if (permission.decision == Decision::Deny) return Problem{permission.reason, Ending::Refused};
  std::string decision = "allowed: " + std::string(name_of(effect));
  if (permission.decision == Decision::Ask) {
    const Approval approval = parts_.approver({call, effect, permission.reason}, stop_);
    if (!approval.is_allowed) {
      return Problem{approval.reason.empty() ? "the user said no" : approval.reason, Ending::Refused};
    }
    decision = "the user agreed, asked because " + permission.reason;
  }
  parts_.journal.intent({call, effect, decision, see(), {}, permission.allowed_by});
  if (parts_.events) parts_.events(CallStarted{call, effect});
  const auto start = std::chrono::steady_clock::now();
  const tools::ToolResult result = tools.run(call, stop_);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  parts_.journal.outcome(call, result, seconds);
  if (parts_.events) parts_.events(CallFinished{call, result, seconds});
  if (!result.ok) return Problem{result.text};
  if (step.verdict == tools::Verdict::Confirmed && result.evidence &&
      result.evidence->verdict == tools::Verdict::NoOp && !only_takes_the_focus(step)) {
    return Problem{"it showed no effect; when it was recorded it did"};
  }
  return std::nullopt;
}

std::optional<Problem> Replay::perform(std::size_t step_idx, const ReplayStep& step) {
  tools::ToolCall call = step.call;
  call.id = "call_" + std::to_string(step_idx + 1);
  how_.clear();
  if (auto problem = aim(step, call)) return problem;
  if (parts_.found) parts_.found(step_idx, how_);
  return act(step, call);
}

}  // namespace

ReplayOutcome replay(const std::vector<ReplayStep>& steps, const ReplayParts& parts, const std::stop_token& stop) {
  Replay replay(parts, stop);
  ReplayOutcome outcome{0, Ending::Done, std::nullopt};
  std::string text = "all " + std::to_string(steps.size()) + " steps were done again";
  const auto halt = [&](const Problem& problem, Picture seen) {
    const std::size_t step_idx = outcome.n_done;
    outcome.ending = problem.ending;
    outcome.halt = ReplayHalt{step_idx, problem.reason, steps[step_idx].screen, std::move(seen)};
    text = "step " + std::to_string(step_idx + 1) + " of " + std::to_string(steps.size()) + ": " + problem.reason;
  };
  try {
    while (outcome.n_done < steps.size() && outcome.ending == Ending::Done) {
      const std::optional<Problem> problem = replay.perform(outcome.n_done, steps[outcome.n_done]);
      if (stop.stop_requested()) {
        outcome.ending = Ending::Stopped;
        text = "stopped by the user";
      } else if (problem) {
        halt(*problem, replay.see());
      } else {
        ++outcome.n_done;
      }
    }
  } catch (const std::exception& error) {
    halt({error.what(), Ending::Failed}, nullptr);
    parts.journal.failed({outcome.ending, text, static_cast<int>(outcome.n_done), 0});
    return outcome;
  }
  parts.journal.finished({outcome.ending, text, static_cast<int>(outcome.n_done), 0});
  return outcome;
}

}  // namespace agent
