#pragma once
// The canonical action: one record that can hold what every known computer-use dialect can say, strictly parsed.
// Recorded runs are stored in it and recordings of other agents are imported into it (action_import.h).

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "capture/screen_map.h"

namespace tools {

struct Target {
  enum class Space {
    Px,        // pixels of the capture that the action names
    Norm1000,  // 0 … 1000 over the capture
    Norm999,   // 0 … 999 over the capture
    Norm1,     // 0 … 1 over the capture
    Element,   // `id` names a widget; x and y are offsets in it
    Window,    // `id` names a window; x and y are offsets in it
  };
  enum class AxisOrder { XY, YX };  // YX: what is called x is the vertical coordinate

  Space space = Space::Px;
  double x = 0, y = 0;
  double width = 0, height = 0;  // a box from (x, y); its middle is meant. Zero: a point
  AxisOrder axis_order = AxisOrder::XY;
  std::string id = {};

  bool operator==(const Target&) const = default;
};

// Positive is right and down, whatever sign the source uses.
struct ScrollAmount {
  enum class Unit { Notch, Px, Page };
  double dx = 0, dy = 0;
  Unit unit = Unit::Notch;
  bool operator==(const ScrollAmount&) const = default;
};

// The picture that the model saw: points are relative to it, not to what the screen shows now.
struct CaptureRef {
  std::string id = {};
  int width_px = 0, height_px = 0;
  bool operator==(const CaptureRef&) const = default;
};

struct ActionSource {
  std::string dialect = {};  // "anthropic", "openai", "ui-tars", "qwen", "osworld"; empty: our own
  std::string version = {};
  std::string raw = {};  // as it was recorded
  bool operator==(const ActionSource&) const = default;
};

struct Action {
  enum class Op {
    Move,
    Click,
    ButtonDown,
    ButtonUp,
    Drag,  // along `path`, two points or more
    Scroll,
    KeyChord,  // `keys` down in order, up in reverse, `count` times
    KeyDown,
    KeyUp,
    Hold,  // `keys` for `duration_ms`
    Type,
    Wait,
    Screenshot,
    Zoom,  // into `region`
    CursorPosition,
    Finish,   // `status`, `text` for the user
    AskUser,  // `text` is the question
  };
  enum class Button { Left, Middle, Right, Back, Forward };
  enum class Status { Success, Failure };

  Op op = Op::Screenshot;
  std::optional<Target> target = {};  // absent for Click and Scroll: where the pointer is
  std::optional<CaptureRef> capture = {};
  std::vector<Target> path = {};
  Button button = Button::Left;
  int count = 1;                            // 1 … 100
  std::vector<std::string> modifiers = {};  // canonical key names, held during the action
  std::vector<std::string> keys = {};       // canonical key names
  std::string text = {};
  std::optional<ScrollAmount> scroll = {};
  std::optional<int> duration_ms = {};       // 0 … 300 000
  std::optional<capture::Rect> region = {};  // pixels of the capture
  std::optional<Status> status = {};
  std::string expect = {};  // what should be true afterwards, in words
  ActionSource source = {};

  bool operator==(const Action&) const = default;
};

struct ActionError {
  std::string message;  // what is wrong, where, what was expected
};

// Unknown fields, fields that the operation doesn't use, wrong types, key names that nobody knows: all are errors.
std::variant<Action, ActionError> parse_action(const nlohmann::json& record);
std::variant<Action, ActionError> parse_action(const std::string& text);
// Fields that hold their default are left out. parse_action(to_json(a)) == a.
nlohmann::json to_json(const Action& action);

struct PointPx {
  double x_px = 0, y_px = 0;
};
// The pixel that a target means in a capture of this size: middle of a box, axes put in order. A point outside the
// capture is an error, never moved inside. Not for Element and Window.
std::variant<PointPx, ActionError> resolve(const Target& target, capture::Size image_px);

// Whole notches of the wheel for an amount: a notch is 120 px, a page 5 notches; what isn't zero is at least one notch.
struct Notches {
  int right = 0, down = 0;
};
std::variant<Notches, ActionError> to_notches(const ScrollAmount& amount);
constexpr int kMaxNotches = 30;  // more in one action is a unit error, not a wish

}  // namespace tools
