#include "agent/call_translator.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tools/second_look.h"

namespace agent {
namespace {

using nlohmann::json;

// All whole numbers up to here are exact.
constexpr double kMostExact = 9007199254740992;  // 2^53

// A number, also when the model wrote it as text; a string that is none stays, and the tool's schema refuses it.
json number_of(const json& value) {
  if (!value.is_string()) return value;
  const std::string text = value.get<std::string>();
  double number = 0;  // leading zeros are fine: models of fixed width write 007
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(std::abs(number) <= kMostExact)) return value;
  return number == std::floor(number) ? json(static_cast<std::int64_t>(number)) : json(number);
}

json to_pixel(const json& value, CoordinateSpace space, int length_px) {
  const json number = number_of(value);
  if (!number.is_number() || space == CoordinateSpace::Pixels) return number;
  return agent::to_pixel(number.get<double>(), space, length_px);
}

class Translator {
 public:
  Translator(const ModelInfo& model, const capture::Frame* shown)
      : space_(model.coordinates), is_yx_(model.points_are_yx), shown_(shown) {}

  // All points of a pointer or screenshot call. False when there is a point but no picture.
  bool convert_points(json& arguments) const {
    if (is_yx_) swap_axes(arguments);
    if (!has_point(arguments) || space_ == CoordinateSpace::Pixels) return true;
    if (shown_ == nullptr) return false;
    if (arguments.contains("x")) arguments["x"] = x(arguments["x"]);
    if (arguments.contains("y")) arguments["y"] = y(arguments["y"]);
    convert_list(arguments, "path", 2);
    convert_list(arguments, "region", 4);
    return true;
  }

  static bool has_point(const json& arguments) {
    return arguments.contains("x") || arguments.contains("path") || arguments.contains("region");
  }

 private:
  static void swap_axes(json& arguments) {
    if (arguments.contains("x") && arguments.contains("y")) std::swap(arguments["x"], arguments["y"]);
    for (const char* key : {"path", "region"}) {
      if (!arguments.contains(key) || !arguments[key].is_array()) continue;
      json& list = arguments[key];
      if (list.size() == 4 && list[0].is_number()) list = {list[1], list[0], list[3], list[2]};
      for (json& point : list) {
        if (point.is_array() && point.size() == 2) std::swap(point[0], point[1]);
      }
    }
  }

  json x(const json& value) const { return to_pixel(value, space_, shown_->pixels.cols); }
  json y(const json& value) const { return to_pixel(value, space_, shown_->pixels.rows); }

  void convert_list(json& arguments, const char* key, std::size_t width) const {
    if (!arguments.contains(key) || !arguments[key].is_array()) return;
    json& list = arguments[key];
    if (width == 4 && list.size() == 4) {
      list = {x(list[0]), y(list[1]), x(list[2]), y(list[3])};
      for (json& side : list) {
        const double pixels = side.is_number() ? side.get<double>() : -1;
        side = std::abs(pixels) < 1e9 ? static_cast<int>(pixels) : -1;
      }
    }
    for (json& point : list) {
      if (width == 2 && point.is_array() && point.size() == 2) point = {x(point[0]), y(point[1])};
    }
  }

  CoordinateSpace space_;
  bool is_yx_;
  const capture::Frame* shown_;
};

void move_number(json& from, const char* key, json& to, const char* new_key) {
  if (from.contains(key)) to[new_key] = number_of(from[key]);
}

// The short calls that small models are trained on.
bool expand_short_call(tools::ToolCall& call) {
  json& a = call.arguments;
  json full = json::object();
  if (call.name == "click") {
    full = {{"action", "click"}};
    for (const char* key : {"x", "y", "count"}) move_number(a, key, full, key);
    if (a.contains("button")) full["button"] = a["button"];
    call.name = "pointer";
  } else if (call.name == "drag") {
    full = {{"action", "drag"},
            {"path",
             {{number_of(a.value("x", json())), number_of(a.value("y", json()))},
              {number_of(a.value("to_x", json())), number_of(a.value("to_y", json()))}}}};
    call.name = "pointer";
  } else if (call.name == "scroll") {
    full = {{"action", "scroll"}};
    for (const char* key : {"x", "y"}) move_number(a, key, full, key);
    move_number(a, "dy", full, "down");
    call.name = "pointer";
  } else if (call.name == "type") {
    full = {{"action", "type"}, {"text", a.value("text", json(""))}};
    call.name = "keyboard";
  } else if (call.name == "key") {
    full = {{"action", "key"}, {"keys", a.value("keys", json(""))}};
    call.name = "keyboard";
  } else if (call.name == "wait") {
    full = {{"until", "time"}};
    move_number(a, "seconds", full, "seconds");
  } else if (call.name == "zoom") {
    for (const char* key : {"x", "y"}) move_number(a, key, full, key);
    call.name = "screenshot";
  } else if (call.name == "open") {
    full = {{"program", a.value("application", json(""))}};
    call.name = "launch";
  } else {
    return false;
  }
  call.arguments = full;
  return true;
}

// The height of a line of text and half of the picture's width around a point of it.
capture::Rect line_around(double x_px, double y_px, capture::Size picture_px) {
  constexpr int kLine_px = 24;
  const int x = static_cast<int>(std::clamp(x_px, 0.0, picture_px.width - 1.0));
  const int y = static_cast<int>(std::clamp(y_px, 0.0, picture_px.height - 1.0));
  return capture::intersect({x - picture_px.width / 4, y - kLine_px / 2, picture_px.width / 2, kLine_px},
                            {0, 0, picture_px.width, picture_px.height});
}

// What a closer look shows of a picture: half its width and height around a point, as near to it as the edges allow.
capture::Rect part_around(double x_px, double y_px, capture::Size picture_px) {
  const auto start = [](double middle, int length, int whole) {
    return static_cast<int>(std::clamp(std::round(middle - length / 2.0), 0.0, static_cast<double>(whole - length)));
  };
  const capture::Size part = {std::max(1, picture_px.width / 2), std::max(1, picture_px.height / 2)};
  return {start(x_px, part.width, picture_px.width), start(y_px, part.height, picture_px.height), part.width,
          part.height};
}

// The part of the picture that a closer look at a point shows, or why there is none.
std::variant<capture::Rect, std::string> closer_look(const json& point, const capture::Frame& shown) {
  const json x = point.value("x", json()), y = point.value("y", json());
  if (!x.is_number() || !y.is_number()) return "zoom needs x and y, two numbers";
  const capture::Size picture_px = shown.screen_map.image_px();
  if (!tools::shows_strokes(shown.pixels, line_around(x.get<double>(), y.get<double>(), picture_px))) {
    return "there is nothing to be read where it looked";
  }
  return part_around(x.get<double>(), y.get<double>(), picture_px);
}

// The words of a coordinate in the model's space: the reverse of to_pixel, of fixed width where the model writes it so.
std::string words_of(double value_px, CoordinateSpace space, int length_px) {
  if (space == CoordinateSpace::Pixels) return std::to_string(static_cast<int>(value_px));
  const int thousandths = std::clamp(static_cast<int>(value_px * 1000 / length_px), 0, 999);
  std::string words = std::to_string(thousandths);
  if (space == CoordinateSpace::Norm999) words.insert(0, 3 - words.size(), '0');
  return words;
}

}  // namespace

std::string point_in_closer_look(const ModelCall& call, const ModelInfo& model, const capture::Frame& shown,
                                 const capture::Frame& closer) {
  const auto side = [&](const char* key, int length_px) {
    return to_pixel(json(call.arguments).value(key, json()), model.coordinates, length_px);
  };
  const json x = side("x", shown.pixels.cols), y = side("y", shown.pixels.rows);
  if (!x.is_number() || !y.is_number()) return "";
  const auto point = shown.screen_map.to_desktop(x.get<double>(), y.get<double>());
  if (!std::holds_alternative<capture::DesktopPoint>(point)) return "";
  const auto at = closer.screen_map.to_image(std::get<capture::DesktopPoint>(point));
  if (!at) return "";
  return words_of(at->x_px, model.coordinates, closer.pixels.cols) + " " +
         words_of(at->y_px, model.coordinates, closer.pixels.rows);
}

double to_pixel(double value, CoordinateSpace space, int length_px) {
  switch (space) {
    case CoordinateSpace::Pixels:
      return value;
    case CoordinateSpace::Norm1000:  // 1000 is the last pixel
      return value == 1000 ? length_px - 1 : value * length_px / 1000;
    case CoordinateSpace::Norm999:  // names a thousandth of the side, so its middle is meant
      return (value + 0.5) * length_px / 1000;
  }
  return value;
}

std::variant<tools::ToolCall, std::string> translate(const ModelCall& call, const ModelInfo& model,
                                                     const capture::Frame* shown) {
  tools::ToolCall translated = {call.id, call.name, json(call.arguments)};
  if (!translated.arguments.is_object()) return "the arguments of " + call.name + " are not an object";
  if (model.speaks_short_calls) expand_short_call(translated);
  if (translated.name != "pointer" && translated.name != "screenshot") return translated;
  if (!model.pointing_problem.empty() && Translator::has_point(translated.arguments)) {
    return "points are not accepted from this model: " + model.pointing_problem +
           ". Work by widget names, windows and the keyboard instead";
  }
  if (!Translator(model, shown).convert_points(translated.arguments)) {
    return "a point needs a screenshot first: there is no picture yet that it could belong to";
  }
  if (call.name == "zoom" && model.speaks_short_calls) {
    if (shown == nullptr) return "zoom needs x and y, two numbers";
    const auto look = closer_look(translated.arguments, *shown);
    if (const auto* problem = std::get_if<std::string>(&look)) return *problem;
    const auto& part = std::get<capture::Rect>(look);
    translated.arguments = {{"region", {part.x, part.y, part.width, part.height}}};
  }
  return translated;
}

}  // namespace agent
