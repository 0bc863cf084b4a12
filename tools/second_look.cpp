#include "tools/second_look.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tools/anchor_reader.h"

namespace tools {
namespace {

using capture::DesktopPoint;

constexpr double kSmall_px = 20;     // of the model's picture: a smaller side makes a small target
constexpr double kLeastGain = 1.15;  // desktop points per picture pixel, from which a closer look shows more
constexpr int kSameColour = 20;      // most difference per channel

bool is_same(const std::uint8_t* a, const std::uint8_t* b) {
  return std::abs(a[0] - b[0]) <= kSameColour && std::abs(a[1] - b[1]) <= kSameColour &&
         std::abs(a[2] - b[2]) <= kSameColour;
}

// Whether all of the rectangle's border has one colour.
bool has_plain_border(const cv::Mat& pixels, const capture::Rect& box) {
  const std::uint8_t* first = pixels.ptr(box.y) + box.x * 4;
  for (int x = box.x; x < box.right(); ++x) {
    if (!is_same(pixels.ptr(box.y) + x * 4, first) || !is_same(pixels.ptr(box.bottom() - 1) + x * 4, first))
      return false;
  }
  for (int y = box.y; y < box.bottom(); ++y) {
    if (!is_same(pixels.ptr(y) + box.x * 4, first) || !is_same(pixels.ptr(y) + (box.right() - 1) * 4, first))
      return false;
  }
  return true;
}

// A stretch of `length` around `middle` inside 0…`whole`.
int start_inside(int middle, int length, int whole) {
  return std::clamp(middle - length / 2, 0, std::max(0, whole - length));
}

}  // namespace

std::optional<capture::Rect> drawn_box(const cv::Mat& pixels, int x_px, int y_px, int most_px) {
  const capture::Rect all{0, 0, pixels.cols, pixels.rows};
  bool was_left = false;  // the ground that the point lies on
  for (int radius = 1; 2 * radius + 1 <= most_px; ++radius) {
    const capture::Rect box{x_px - radius, y_px - radius, 2 * radius + 1, 2 * radius + 1};
    if (!all.contains(box)) return std::nullopt;
    const bool is_plain = has_plain_border(pixels, box);
    const bool is_ground = is_plain && is_same(pixels.ptr(box.y) + box.x * 4, pixels.ptr(y_px) + x_px * 4);
    if (is_plain && (was_left || !is_ground)) return box;
    was_left = was_left || !is_ground;
  }
  return std::nullopt;
}

std::optional<ToolResult> SecondLook::closer(const ToolCall& call, const capture::Frame& shown, std::stop_token stop) {
  const double scale = std::max(shown.screen_map.scale_x(), shown.screen_map.scale_y());
  if (scale < kLeastGain || call.name != "pointer" || !call.arguments.contains("x")) return std::nullopt;
  const std::string action = call.arguments["action"];
  if (action != "click" && action != "press") return std::nullopt;
  const std::uint64_t frame_id = call.arguments.value("frame", std::uint64_t{0});
  if (frame_id != 0 && frame_id != shown.id) return std::nullopt;
  const double x_px = call.arguments["x"].get<double>(), y_px = call.arguments["y"].get<double>();
  const auto mapped = shown.screen_map.to_desktop(x_px, y_px);
  if (!std::holds_alternative<DesktopPoint>(mapped)) return std::nullopt;  // the pointer tool says what is wrong
  const DesktopPoint point = std::get<DesktopPoint>(mapped);

  std::optional<double> side_px;  // of the target's smaller side
  if (const std::optional<Rect> widget = widget_at(point, stop)) {
    side_px = std::min(widget->width, widget->height) / scale;
  } else if (const auto box =
                 drawn_box(shown.pixels, static_cast<int>(x_px), static_cast<int>(y_px), static_cast<int>(kSmall_px))) {
    side_px = std::min(box->width, box->height);
  }
  if (!side_px || *side_px >= kSmall_px) return std::nullopt;

  const capture::Rect& all = shown.screen_map.area_pt();
  const capture::Size size{std::min(crop_px_.width, all.width), std::min(crop_px_.height, all.height)};
  capture::GrabOptions options;
  options.area_pt =
      capture::Rect{all.x + start_inside(point.x_pt - all.x, size.width, all.width),
                    all.y + start_inside(point.y_pt - all.y, size.height, all.height), size.width, size.height};
  const capture::Grab grab = desktop_.grab(options);
  if (!grab) return std::nullopt;
  desktop_.show(*grab.frame);
  ToolResult result{
      .ok = true,
      .text = "Nothing was clicked yet: the target is only " + std::to_string(static_cast<int>(std::lround(*side_px))) +
              " pixels wide or high in that picture. This is the place in full resolution: click again, at "
              "its point in this picture."};
  result.frames.push_back(grab.frame);
  return result;
}

// The smallest widget there that tells its box. A label stands on what is really meant.
std::optional<Rect> SecondLook::widget_at(DesktopPoint point, const std::stop_token& stop) {
  const std::optional<Window> window = desktop_.windows().at(point.x_pt, point.y_pt);
  if (!window) return std::nullopt;
  UiSnapshot snapshot = read_widgets(desktop_, *window, stop);
  std::optional<Rect> smallest;
  for (const UiNode& node : snapshot.nodes) {
    if (!node.box || node.parent < 0 || node.role == "label") continue;
    const Rect& box = *node.box;
    const bool is_here =
        point.x_pt >= box.x && point.x_pt < box.x + box.width && point.y_pt >= box.y && point.y_pt < box.y + box.height;
    if (!is_here) continue;
    if (!smallest || box.width * box.height < smallest->width * smallest->height) smallest = box;
  }
  desktop_.keep_widgets(window->id, std::move(snapshot));  // a click that follows records what is there
  return smallest;
}

bool shows_strokes(const cv::Mat& pixels, const capture::Rect& area_px) {
  constexpr int kLeastEdge = 16;  // of 255
  for (int y = area_px.y; y < area_px.bottom(); ++y) {
    const std::uint8_t* row = pixels.ptr(y);
    for (int i = area_px.x * 4; i < (area_px.right() - 1) * 4; ++i) {
      if (i % 4 != 3 && std::abs(row[i] - row[i + 4]) > kLeastEdge) return true;  // the fourth byte is no colour
    }
  }
  return false;
}

}  // namespace tools
