#include "tools/action.h"

#include <array>
#include <cmath>
#include <utility>

#include "tools/key_names.h"
#include "tools/utf8.h"

namespace tools {
namespace {

using nlohmann::json;
using Op = Action::Op;

template <typename Enum, std::size_t N>
using Names = std::array<std::pair<Enum, const char*>, N>;

constexpr Names<Op, 17> kOps{{{Op::Move, "move"},
                              {Op::Click, "click"},
                              {Op::ButtonDown, "button_down"},
                              {Op::ButtonUp, "button_up"},
                              {Op::Drag, "drag"},
                              {Op::Scroll, "scroll"},
                              {Op::KeyChord, "key"},
                              {Op::KeyDown, "key_down"},
                              {Op::KeyUp, "key_up"},
                              {Op::Hold, "hold"},
                              {Op::Type, "type"},
                              {Op::Wait, "wait"},
                              {Op::Screenshot, "screenshot"},
                              {Op::Zoom, "zoom"},
                              {Op::CursorPosition, "cursor_position"},
                              {Op::Finish, "finish"},
                              {Op::AskUser, "ask_user"}}};
constexpr Names<Target::Space, 6> kSpaces{{{Target::Space::Px, "px"},
                                           {Target::Space::Norm1000, "norm1000"},
                                           {Target::Space::Norm999, "norm999"},
                                           {Target::Space::Norm1, "norm1"},
                                           {Target::Space::Element, "element"},
                                           {Target::Space::Window, "window"}}};
constexpr Names<Target::AxisOrder, 2> kAxisOrders{{{Target::AxisOrder::XY, "xy"}, {Target::AxisOrder::YX, "yx"}}};
constexpr Names<Action::Button, 5> kButtons{{{Action::Button::Left, "left"},
                                             {Action::Button::Middle, "middle"},
                                             {Action::Button::Right, "right"},
                                             {Action::Button::Back, "back"},
                                             {Action::Button::Forward, "forward"}}};
constexpr Names<ScrollAmount::Unit, 3> kUnits{
    {{ScrollAmount::Unit::Notch, "notch"}, {ScrollAmount::Unit::Px, "px"}, {ScrollAmount::Unit::Page, "page"}}};
constexpr Names<Action::Status, 2> kStatuses{
    {{Action::Status::Success, "success"}, {Action::Status::Failure, "failure"}}};

constexpr double kMaxCoordinate = 100'000;
constexpr int kMaxDuration_ms = 300'000;

template <typename Enum, std::size_t N>
const char* name_of(const Names<Enum, N>& names, Enum value) {
  for (const auto& [item, name] : names)
    if (item == value) return name;
  return "";
}

// Reads fields of one object; the first problem is kept, later reads then do nothing.
class Fields {
 public:
  Fields(const json& object, std::string where, std::string& problem)
      : object_(object), where_(std::move(where)), problem_(problem) {
    if (!object.is_object()) fail("", "must be an object");
  }

  // Null when the field is absent.
  const json* find(const char* name) {
    seen_.emplace_back(name);
    if (!problem_.empty() || !object_.contains(name)) return nullptr;
    return &object_.at(name);
  }
  void fail(const std::string& name, const std::string& what) {
    if (!problem_.empty()) return;
    problem_ = where_;
    if (!name.empty()) problem_ += (where_.empty() ? "" : ".") + name;
    problem_ += (problem_.empty() ? "the action " : " ") + what;
  }
  void number(const char* name, double& value, double low, double high) {
    const json* field = find(name);
    if (!field) return;
    if (!field->is_number()) return fail(name, "must be a number");
    value = field->get<double>();
    if (!(value >= low && value <= high)) fail(name, "is out of range");
  }
  void integer(const char* name, int& value, int low, int high) {
    double wide = value;
    number(name, wide, low, high);
    if (!problem_.empty()) return;
    value = static_cast<int>(wide);
    if (value != wide) fail(name, "must be a whole number");
  }
  void text(const char* name, std::string& value) {
    const json* field = find(name);
    if (!field) return;
    if (!field->is_string()) return fail(name, "must be a string");
    value = field->get<std::string>();
    if (!decode_utf8(value)) fail(name, "is not UTF-8");
  }
  template <typename Enum, std::size_t N>
  void choice(const char* name, const Names<Enum, N>& names, Enum& value) {
    std::string word;
    text(name, word);
    if (word.empty()) {
      if (problem_.empty() && object_.contains(name)) fail(name, "is empty");
      return;
    }
    for (const auto& [item, item_name] : names) {
      if (word != item_name) continue;
      value = item;
      return;
    }
    fail(name, "\"" + word + "\" is not known");
  }
  void keys(const char* name, std::vector<std::string>& value) {
    const json* field = find(name);
    if (!field) return;
    if (!field->is_array() || field->empty()) return fail(name, "must be a list of key names");
    for (const json& item : *field) {
      if (!item.is_string()) return fail(name, "must be a list of key names");
      const std::optional<std::string> key = canonical_key_name(item.get<std::string>());
      if (!key)
        return fail(name,
                    "names a key that doesn't exist: " + item.dump(-1, ' ', false, json::error_handler_t::replace));
      value.push_back(*key);
    }
  }
  std::string place(const char* name) const { return where_.empty() ? name : where_ + "." + name; }
  // Call it last.
  void refuse_unknown() {
    if (!problem_.empty()) return;
    for (const auto& [name, value] : object_.items())
      if (std::find(seen_.begin(), seen_.end(), name) == seen_.end()) return fail(name, "is not known here");
  }

 private:
  const json& object_;
  std::string where_;
  std::string& problem_;
  std::vector<std::string> seen_;
};

Target read_target(const json& object, const std::string& where, std::string& problem) {
  Target target;
  Fields fields(object, where, problem);
  fields.choice("space", kSpaces, target.space);
  for (const char* name : {"x", "y"})
    if (!fields.find(name)) fields.fail(name, "is missing");
  fields.number("x", target.x, -kMaxCoordinate, kMaxCoordinate);
  fields.number("y", target.y, -kMaxCoordinate, kMaxCoordinate);
  fields.number("width", target.width, 0, kMaxCoordinate);
  fields.number("height", target.height, 0, kMaxCoordinate);
  fields.choice("axis_order", kAxisOrders, target.axis_order);
  fields.text("id", target.id);
  const bool named = target.space == Target::Space::Element || target.space == Target::Space::Window;
  if (named == target.id.empty()) fields.fail("id", "belongs to element and window targets, and only there");
  fields.refuse_unknown();
  return target;
}

ScrollAmount read_scroll(const json& object, std::string& problem) {
  ScrollAmount amount;
  Fields fields(object, "scroll", problem);
  fields.number("dx", amount.dx, -kMaxCoordinate, kMaxCoordinate);
  fields.number("dy", amount.dy, -kMaxCoordinate, kMaxCoordinate);
  fields.choice("unit", kUnits, amount.unit);
  if (amount.dx == 0 && amount.dy == 0) fields.fail("", "scrolls by nothing");
  fields.refuse_unknown();
  return amount;
}

CaptureRef read_capture(const json& object, std::string& problem) {
  CaptureRef capture;
  Fields fields(object, "capture", problem);
  fields.text("id", capture.id);
  fields.integer("width_px", capture.width_px, 1, 100'000);
  fields.integer("height_px", capture.height_px, 1, 100'000);
  fields.refuse_unknown();
  return capture;
}

ActionSource read_source(const json& object, std::string& problem) {
  ActionSource source;
  Fields fields(object, "source", problem);
  fields.text("dialect", source.dialect);
  fields.text("version", source.version);
  fields.text("raw", source.raw);
  fields.refuse_unknown();
  return source;
}

capture::Rect read_region(const json& object, std::string& problem) {
  capture::Rect region;
  Fields fields(object, "region", problem);
  fields.integer("x", region.x, 0, 100'000);
  fields.integer("y", region.y, 0, 100'000);
  fields.integer("width", region.width, 1, 100'000);
  fields.integer("height", region.height, 1, 100'000);
  if (region.is_empty()) fields.fail("", "is empty");
  fields.refuse_unknown();
  return region;
}

// Which optional fields an operation uses; expect, capture and source go with all.
struct Uses {
  bool target = false, target_needed = false, path = false, button = false, count = false, modifiers = false,
       keys = false, text = false, scroll = false, duration = false, region = false, status = false;
};

Uses uses_of(Op op) {
  switch (op) {
    case Op::Move:
      return {.target = true, .target_needed = true, .modifiers = true, .duration = true};
    case Op::Click:
      return {.target = true, .button = true, .count = true, .modifiers = true};
    case Op::ButtonDown:
    case Op::ButtonUp:
      return {.target = true, .button = true, .modifiers = true};
    case Op::Drag:
      return {.path = true, .button = true, .modifiers = true, .duration = true};
    case Op::Scroll:
      return {.target = true, .modifiers = true, .scroll = true};
    case Op::KeyChord:
      return {.count = true, .keys = true};
    case Op::KeyDown:
    case Op::KeyUp:
      return {.keys = true};
    case Op::Hold:
      return {.keys = true, .duration = true};
    case Op::Type:
    case Op::AskUser:
      return {.text = true};
    case Op::Wait:
      return {.duration = true};
    case Op::Zoom:
      return {.region = true};
    case Op::Finish:
      return {.text = true, .status = true};
    case Op::Screenshot:
    case Op::CursorPosition:
      return {};
  }
  return {};
}

void check_uses(const Action& action, Fields& fields) {
  const Uses uses = uses_of(action.op);
  const std::string op = name_of(kOps, action.op);
  const auto check = [&](const char* name, bool present, bool allowed, bool needed) {
    if (present && !allowed) fields.fail(name, "doesn't belong to " + op);
    if (!present && needed) fields.fail(name, "is missing: " + op + " needs it");
  };
  check("target", action.target.has_value(), uses.target, uses.target_needed);
  check("path", !action.path.empty(), uses.path, uses.path);
  check("button", action.button != Action::Button::Left, uses.button, false);
  check("count", action.count != 1, uses.count, false);
  check("modifiers", !action.modifiers.empty(), uses.modifiers, false);
  check("keys", !action.keys.empty(), uses.keys, uses.keys);
  check("text", !action.text.empty(), uses.text, uses.text && action.op != Op::Finish);
  check("scroll", action.scroll.has_value(), uses.scroll, uses.scroll);
  check("duration_ms", action.duration_ms.has_value(), uses.duration, action.op == Op::Hold || action.op == Op::Wait);
  check("region", action.region.has_value(), uses.region, uses.region);
  check("status", action.status.has_value(), uses.status, uses.status);
  if (uses.path && action.path.size() < 2) fields.fail("path", "needs two points or more");
  for (const std::string& modifier : action.modifiers)
    if (!is_modifier(*keysym_from_name(modifier))) fields.fail("modifiers", "\"" + modifier + "\" is no modifier");
}

json target_json(const Target& target) {
  json object{{"space", name_of(kSpaces, target.space)}, {"x", target.x}, {"y", target.y}};
  if (target.width != 0) object["width"] = target.width;
  if (target.height != 0) object["height"] = target.height;
  if (target.axis_order == Target::AxisOrder::YX) object["axis_order"] = "yx";
  if (!target.id.empty()) object["id"] = target.id;
  return object;
}

void read_parts(Fields& fields, Action& action, std::string& problem) {
  if (const json* field = fields.find("target")) action.target = read_target(*field, "target", problem);
  if (const json* field = fields.find("capture")) action.capture = read_capture(*field, problem);
  if (const json* field = fields.find("path")) {
    if (!field->is_array()) fields.fail("path", "must be a list of targets");
    for (std::size_t point_idx = 0; problem.empty() && point_idx < field->size(); ++point_idx)
      action.path.push_back(read_target((*field)[point_idx], "path[" + std::to_string(point_idx) + "]", problem));
  }
  if (const json* field = fields.find("scroll")) action.scroll = read_scroll(*field, problem);
  if (const json* field = fields.find("region")) action.region = read_region(*field, problem);
  if (const json* field = fields.find("source")) action.source = read_source(*field, problem);
}

}  // namespace

std::variant<Action, ActionError> parse_action(const json& record) {
  Action action;
  std::string problem;
  Fields fields(record, "", problem);
  if (!fields.find("op")) fields.fail("op", "is missing");
  fields.choice("op", kOps, action.op);
  read_parts(fields, action, problem);
  fields.choice("button", kButtons, action.button);
  fields.integer("count", action.count, 1, 100);
  fields.keys("modifiers", action.modifiers);
  fields.keys("keys", action.keys);
  fields.text("text", action.text);
  if (fields.find("duration_ms")) {
    action.duration_ms = 0;
    fields.integer("duration_ms", *action.duration_ms, 0, kMaxDuration_ms);
  }
  if (fields.find("status")) {
    action.status = Action::Status::Success;
    fields.choice("status", kStatuses, *action.status);
  }
  fields.text("expect", action.expect);
  fields.refuse_unknown();
  if (problem.empty()) check_uses(action, fields);
  if (!problem.empty()) return ActionError{problem};
  return action;
}

std::variant<Action, ActionError> parse_action(const std::string& text) {
  // A depth that no record reaches keeps hostile input from exhausting the stack.
  bool too_deep = false;
  const json record = json::parse(
      text,
      [&too_deep](int depth, json::parse_event_t, json&) {
        too_deep |= depth > 8;
        return !too_deep;
      },
      /*allow_exceptions=*/false);
  if (too_deep) return ActionError{"the action is nested too deeply"};
  if (record.is_discarded()) return ActionError{"the action is not JSON"};
  return parse_action(record);
}

json to_json(const Action& action) {
  json record{{"op", name_of(kOps, action.op)}};
  if (action.target) record["target"] = target_json(*action.target);
  if (action.capture) {
    record["capture"] = json::object();
    if (!action.capture->id.empty()) record["capture"]["id"] = action.capture->id;
    if (action.capture->width_px) record["capture"]["width_px"] = action.capture->width_px;
    if (action.capture->height_px) record["capture"]["height_px"] = action.capture->height_px;
  }
  for (const Target& point : action.path) record["path"].push_back(target_json(point));
  if (action.button != Action::Button::Left) record["button"] = name_of(kButtons, action.button);
  if (action.count != 1) record["count"] = action.count;
  if (!action.modifiers.empty()) record["modifiers"] = action.modifiers;
  if (!action.keys.empty()) record["keys"] = action.keys;
  if (!action.text.empty()) record["text"] = action.text;
  if (action.scroll)
    record["scroll"] = {
        {"dx", action.scroll->dx}, {"dy", action.scroll->dy}, {"unit", name_of(kUnits, action.scroll->unit)}};
  if (action.duration_ms) record["duration_ms"] = *action.duration_ms;
  if (action.region)
    record["region"] = {{"x", action.region->x},
                        {"y", action.region->y},
                        {"width", action.region->width},
                        {"height", action.region->height}};
  if (action.status) record["status"] = name_of(kStatuses, *action.status);
  if (!action.expect.empty()) record["expect"] = action.expect;
  if (action.source != ActionSource{}) {
    record["source"] = json::object();
    if (!action.source.dialect.empty()) record["source"]["dialect"] = action.source.dialect;
    if (!action.source.version.empty()) record["source"]["version"] = action.source.version;
    if (!action.source.raw.empty()) record["source"]["raw"] = action.source.raw;
  }
  return record;
}

std::variant<PointPx, ActionError> resolve(const Target& target, capture::Size image_px) {
  double x = target.x + target.width / 2, y = target.y + target.height / 2;
  if (target.axis_order == Target::AxisOrder::YX) std::swap(x, y);
  switch (target.space) {
    case Target::Space::Px:
      break;
    case Target::Space::Norm1000:
    case Target::Space::Norm1: {
      const double full = target.space == Target::Space::Norm1 ? 1 : 1000;
      // The far edge is the last pixel.
      x = x == full ? image_px.width - 1 : x / full * image_px.width;
      y = y == full ? image_px.height - 1 : y / full * image_px.height;
      break;
    }
    case Target::Space::Norm999:
      x = x / 999 * (image_px.width - 1);
      y = y / 999 * (image_px.height - 1);
      break;
    case Target::Space::Element:
    case Target::Space::Window:
      return ActionError{"the target is a widget or a window, not a point of the capture"};
  }
  if (!(x >= 0 && y >= 0 && x < image_px.width && y < image_px.height))
    return ActionError{"the point " + json(x).dump() + ", " + json(y).dump() + " lies outside the capture of " +
                       std::to_string(image_px.width) + " x " + std::to_string(image_px.height) + " px"};
  return PointPx{x, y};
}

std::variant<Notches, ActionError> to_notches(const ScrollAmount& amount) {
  constexpr double kPxPerNotch = 120, kNotchesPerPage = 5;
  const auto convert = [&](double value) {
    if (amount.unit == ScrollAmount::Unit::Px) value /= kPxPerNotch;
    if (amount.unit == ScrollAmount::Unit::Page) value *= kNotchesPerPage;
    const double whole = std::round(value);
    return whole == 0 && value != 0 ? std::copysign(1.0, value) : whole;
  };
  const double right = convert(amount.dx), down = convert(amount.dy);
  if (std::abs(right) > kMaxNotches || std::abs(down) > kMaxNotches)
    return ActionError{"a scroll of " + json(amount.dx).dump() + ", " + json(amount.dy).dump() + " " +
                       name_of(kUnits, amount.unit) + " is more than " + std::to_string(kMaxNotches) +
                       " notches: scroll less, several times"};
  return Notches{static_cast<int>(right), static_cast<int>(down)};
}

}  // namespace tools
