#include "agent/rethink.h"

#include <cmath>

#include "agent/call_translator.h"

namespace agent {
namespace {

using nlohmann::json;

// The first call of a reply as a tool would get it.
struct Act {
  std::optional<tools::ToolCall> call;
  std::string text;  // for people
};

Act act_of(const AssistantMessage& message, const ModelInfo& model, const capture::Frame* shown) {
  if (message.calls.empty()) return {std::nullopt, message.text.empty() ? "(nothing)" : message.text};
  const auto translated = translate(message.calls[0], model, shown);
  const auto* call = std::get_if<tools::ToolCall>(&translated);
  if (call == nullptr) return {std::nullopt, std::get<std::string>(translated)};
  return {*call, call->name + " " + call->arguments.dump(-1, ' ', false, json::error_handler_t::replace)};
}

std::optional<std::pair<double, double>> point_of(const json& arguments) {
  if (!arguments.contains("x") || !arguments.contains("y")) return std::nullopt;
  if (!arguments["x"].is_number() || !arguments["y"].is_number()) return std::nullopt;
  return std::pair{arguments["x"].get<double>(), arguments["y"].get<double>()};
}

json without_point(json arguments) {
  for (const char* key : {"x", "y", "frame", "duration_ms"}) arguments.erase(key);
  return arguments;
}

// The box of the widget that the recorded call took hold of, in desktop points.
std::optional<capture::Rect> recorded_box(const std::vector<Event>& events, const std::string& call_id) {
  EventId intent = 0;
  for (const Event& event : events) {
    if (event.kind == EventKind::Intent && event.body.at("call").at("id") == call_id) intent = event.id;
    if (event.kind != EventKind::Outcome || event.action_id != intent || intent == 0) continue;
    for (const tools::Anchor& anchor : anchors_from(event.body.at("result"), [](FrameRow) { return nullptr; })) {
      if (anchor.widget && !anchor.widget->box_pt.is_empty()) return anchor.widget->box_pt;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

void compare_points(Rethought& turn, const Act& recorded, const Act& now, const capture::Frame* shown,
                    const std::optional<capture::Rect>& box, const RethinkOptions& options) {
  const auto a = point_of(recorded.call->arguments), b = point_of(now.call->arguments);
  if (!a || !b) {
    turn.agrees = turn.agrees && a.has_value() == b.has_value();
    return;
  }
  turn.distance_px = std::hypot(a->first - b->first, a->second - b->second);
  bool is_there = turn.distance_px <= options.near_px;
  if (!is_there && box && shown != nullptr) {
    const auto point = shown->screen_map.to_desktop(b->first, b->second);
    const auto* at = std::get_if<capture::DesktopPoint>(&point);
    is_there = at != nullptr && box->contains(at->x_pt, at->y_pt);
  }
  turn.agrees = turn.agrees && is_there;
}

Picture newest_picture(const Transcript& transcript) {
  Picture newest;
  for (const Message& message : transcript.messages()) {
    const auto* user = std::get_if<UserMessage>(&message);
    const auto* tool = std::get_if<ToolMessage>(&message);
    const std::vector<Picture>* pictures = user != nullptr   ? &user->pictures
                                           : tool != nullptr ? &tool->pictures
                                                             : nullptr;
    if (pictures != nullptr && !pictures->empty()) newest = pictures->back();
  }
  return newest;
}

}  // namespace

std::vector<Rethought> rethink(Recorder& recorder, SessionId session, Model& model,
                               const std::vector<tools::ToolSpec>& specs, const RethinkOptions& options,
                               const std::function<void(const Rethought&)>& each, const std::stop_token& stop) {
  const LoadedTranscript recorded = recorder.load_transcript(session);
  const std::vector<Event> events = recorder.load_events(session);
  std::vector<Rethought> turns;
  Transcript so_far(recorded.transcript.instructions());
  for (const Message& message : recorded.transcript.messages()) {
    if (const auto* then = std::get_if<AssistantMessage>(&message)) {
      const Reply reply = model.reply(so_far, specs, nullptr, stop);
      if (stop.stop_requested()) break;
      const Picture shown = newest_picture(so_far);
      const Act was = act_of(*then, model.info(), shown.get()), is = act_of(reply.message, model.info(), shown.get());
      Rethought turn{.recorded = was.text, .now = is.text};
      turn.is_same_kind =
          was.call.has_value() == is.call.has_value() &&
          (!was.call || (was.call->name == is.call->name &&
                         was.call->arguments.value("action", "") == is.call->arguments.value("action", "")));
      turn.agrees = turn.is_same_kind;
      if (turn.is_same_kind && was.call) {
        turn.agrees = without_point(was.call->arguments) == without_point(is.call->arguments);
        compare_points(turn, was, is, shown.get(), recorded_box(events, then->calls[0].id), options);
      }
      each(turn);
      turns.push_back(std::move(turn));
    }
    so_far.append(message);
  }
  return turns;
}

}  // namespace agent
