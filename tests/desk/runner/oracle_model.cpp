#include "tests/desk/runner/oracle_model.h"

#include <unistd.h>

#include <chrono>

namespace desk {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto kTargetLimit = 10s;
constexpr useconds_t kLookAgain_us = 50'000;

agent::Reply call(const std::string& name, const json& arguments) {
  return {.message = {.thought = "", .text = "", .calls = {{"", name, nlohmann::ordered_json(arguments)}}}};
}

agent::Reply say(const std::string& text) {
  return {.message = {.thought = "", .text = text, .calls = {}}};
}

agent::Picture newest_picture(const agent::Transcript& transcript) {
  agent::Picture newest;
  for (const agent::Message& message : transcript.messages()) {
    if (const auto* user = std::get_if<agent::UserMessage>(&message); user != nullptr && !user->pictures.empty()) {
      newest = user->pictures.back();
    }
    if (const auto* tool = std::get_if<agent::ToolMessage>(&message); tool != nullptr && !tool->pictures.empty()) {
      newest = tool->pictures.back();
    }
  }
  return newest;
}

json without(json record, std::initializer_list<const char*> keys) {
  for (const char* key : keys) record.erase(key);
  return record;
}

}  // namespace

OracleModel::OracleModel(std::vector<json> actions, DeskState& state) : actions_(std::move(actions)), state_(state) {
  info_.name = "oracle";
  info_.screen_width_px = kTaskWidth_px;
  info_.screen_height_px = kTaskHeight_px;
}

// Where a target is now: a widget's middle, or with "at" a point of a window as parts of its width and height.
std::optional<tools::UiPoint> OracleModel::place_of(const json& target, std::string& problem) {
  if (target.contains("at")) {
    const auto window = target.contains("window") ? state_.find_window(target["window"]) : state_.windows().active();
    problem = "there is no such window";
    if (!window) return std::nullopt;
    const tools::Rect& area = window->client;
    return tools::UiPoint{area.x + static_cast<int>(target["at"].at(0).get<double>() * area.width),
                          area.y + static_cast<int>(target["at"].at(1).get<double>() * area.height)};
  }
  const std::optional<FoundWidget> found = state_.find_widget(target);
  problem = "there is no such widget";
  if (!found) return std::nullopt;
  const auto point = tools::UiTree::click_point(found->node, found->window, state_.windows());
  if (const auto* why = std::get_if<std::string>(&point)) problem = *why;
  return std::holds_alternative<tools::UiPoint>(point) ? std::optional(std::get<tools::UiPoint>(point)) : std::nullopt;
}

std::variant<OracleModel::Point, std::string> OracleModel::point_of(const json& target,
                                                                    const agent::Transcript& transcript) {
  const agent::Picture picture = newest_picture(transcript);
  if (!picture) return "there is no picture";
  std::string problem;
  std::optional<tools::UiPoint> place = place_of(target, problem);
  const auto deadline = std::chrono::steady_clock::now() + kTargetLimit;
  while (!place && std::chrono::steady_clock::now() < deadline) {
    usleep(kLookAgain_us);
    place = place_of(target, problem);
  }
  if (!place) return target.dump() + ": " + problem;
  const auto pixel = picture->screen_map.to_image({place->x_pt, place->y_pt});
  if (!pixel) return target.dump() + ": the picture doesn't show it";
  return Point{pixel->x_px, pixel->y_px};
}

agent::Reply OracleModel::pointer_call(const json& action, const agent::Transcript& transcript) {
  static constexpr auto kTargetKeys = {"do", "window", "role", "name", "nth", "at", "to"};
  json arguments = without(action, kTargetKeys);
  arguments["action"] = action["do"];
  const auto from = point_of(action, transcript);
  if (const auto* why = std::get_if<std::string>(&from)) return call("give_up", {{"reason", "no target: " + *why}});
  const Point start = std::get<Point>(from);
  if (action["do"] != "drag") {
    arguments["x"] = start.x_px;
    arguments["y"] = start.y_px;
    return call("pointer", arguments);
  }
  const auto to = point_of(action.at("to"), transcript);
  if (const auto* why = std::get_if<std::string>(&to)) return call("give_up", {{"reason", "no target: " + *why}});
  const Point end = std::get<Point>(to);
  arguments["path"] = {{start.x_px, start.y_px}, {end.x_px, end.y_px}};
  return call("pointer", arguments);
}

agent::Reply OracleModel::reply(const agent::Transcript& transcript, const std::vector<tools::ToolSpec>&,
                                const agent::PieceSink&, std::stop_token) {
  if (n_played_ == actions_.size()) return say("Done.");
  const json& action = actions_[n_played_++];
  const std::string what = action.at("do");
  const json rest = without(action, {"do"});
  if (what == "click" || what == "drag" || what == "scroll") return pointer_call(action, transcript);
  if (what == "say") return say(action.at("text"));
  if (what == "give_up") return call("give_up", rest);
  if (what == "type" || what == "key") {
    json arguments = rest;
    arguments["action"] = what;
    return call("keyboard", arguments);
  }
  if (what == "launch") return call("launch", rest);
  if (what == "shell") return call("shell", rest);
  if (what == "call") return call(action.at("tool"), action.at("arguments"));
  throw std::runtime_error("an oracle can't do \"" + what + "\"");
}

IdleModel::IdleModel() {
  info_.name = "nothing";
  info_.screen_width_px = kTaskWidth_px;
  info_.screen_height_px = kTaskHeight_px;
}

agent::Reply IdleModel::reply(const agent::Transcript&, const std::vector<tools::ToolSpec>&, const agent::PieceSink&,
                              std::stop_token) {
  return say("Done.");
}

}  // namespace desk
