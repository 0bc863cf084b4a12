#include "agent/action_call.h"

namespace agent {
namespace {

using nlohmann::json;
using tools::Action;
using Op = Action::Op;

std::string joined(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : "+") + key;
  return text;
}

const char* name_of(Action::Button button) {
  switch (button) {
    case Action::Button::Left:
      return "left";
    case Action::Button::Middle:
      return "middle";
    case Action::Button::Right:
      return "right";
    case Action::Button::Back:
      return "back";
    case Action::Button::Forward:
      return "forward";
  }
  return "left";
}

class Builder {
 public:
  Builder(const Action& action, capture::Size image_px) : action_(action), image_px_(image_px) {}

  ActionCall build();

 private:
  json pointer(const char* name);
  json keyboard(const char* name) const { return {{"action", name}, {"keys", joined(action_.keys)}}; }
  json pixel(const tools::Target& target);
  void scroll(json& arguments);

  const Action& action_;
  capture::Size image_px_;
  std::optional<tools::ActionError> error_;
};

json Builder::pixel(const tools::Target& target) {
  const auto point = tools::resolve(target, image_px_);
  if (const auto* error = std::get_if<tools::ActionError>(&point)) {
    error_ = *error;
    return {0, 0};
  }
  return {std::get<tools::PointPx>(point).x_px, std::get<tools::PointPx>(point).y_px};
}

json Builder::pointer(const char* name) {
  json arguments = {{"action", name}};
  if (action_.target) {
    const json at = pixel(*action_.target);
    arguments["x"] = at[0];
    arguments["y"] = at[1];
  }
  if (action_.button != Action::Button::Left) arguments["button"] = name_of(action_.button);
  if (action_.count > 1) arguments["count"] = action_.count;
  if (!action_.modifiers.empty()) arguments["modifiers"] = action_.modifiers;
  for (const tools::Target& point : action_.path) arguments["path"].push_back(pixel(point));
  if (action_.duration_ms && action_.op == Op::Drag) arguments["duration_ms"] = std::min(*action_.duration_ms, 10000);
  return arguments;
}

void Builder::scroll(json& arguments) {
  const auto notches = tools::to_notches(action_.scroll.value_or(tools::ScrollAmount()));
  if (const auto* error = std::get_if<tools::ActionError>(&notches)) {
    error_ = *error;
    return;
  }
  const auto& whole = std::get<tools::Notches>(notches);
  if (whole.right != 0) arguments["right"] = whole.right;
  if (whole.down != 0) arguments["down"] = whole.down;
}

ActionCall Builder::build() {
  tools::ToolCall call{"", "pointer", {}};
  switch (action_.op) {
    case Op::Move:
      call.arguments = pointer("move");
      break;
    case Op::Click:
      call.arguments = pointer("click");
      break;
    case Op::ButtonDown:
      call.arguments = pointer("press");
      break;
    case Op::ButtonUp:
      call.arguments = pointer("release");
      break;
    case Op::Drag:
      call.arguments = pointer("drag");
      break;
    case Op::Scroll:
      call.arguments = pointer("scroll");
      scroll(call.arguments);
      break;
    case Op::KeyChord:
      call = {"", "keyboard", keyboard("key")};
      if (action_.count > 1) call.arguments["repeat"] = action_.count;
      break;
    case Op::KeyDown:
      call = {"", "keyboard", keyboard("press")};
      break;
    case Op::KeyUp:
      call = {"", "keyboard", keyboard("release")};
      break;
    case Op::Hold:
      call = {"", "keyboard", keyboard("hold")};
      call.arguments["duration_ms"] = action_.duration_ms.value_or(500);
      break;
    case Op::Type:
      call = {"", "keyboard", {{"action", "type"}, {"text", action_.text}}};
      break;
    case Op::Wait:
      call = {"", "wait", {{"until", "time"}, {"seconds", action_.duration_ms.value_or(1000) / 1000.0}}};
      break;
    case Op::Screenshot:
    case Op::Zoom:
    case Op::CursorPosition:
      call = {"", "screenshot", json::object()};
      break;
    case Op::Finish:
    case Op::AskUser:
      return std::nullopt;
  }
  if (error_) return *error_;
  return call;
}

}  // namespace

ActionCall call_of(const Action& action, capture::Size image_px) {
  return Builder(action, image_px).build();
}

}  // namespace agent
