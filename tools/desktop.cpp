#include "tools/desktop.h"

#include <algorithm>
#include <utility>

#include "capture/error.h"
#include "tools/x11_input.h"

namespace tools {
namespace {

// A model that speaks of a picture older than this speaks of another screen.
constexpr std::size_t kShownFrames = 64;
constexpr std::chrono::milliseconds kWidgetsStay{250};

}  // namespace

std::unique_ptr<Desktop> Desktop::open(const Options& options) {
  std::unique_ptr<InputBackend> input = X11Input::open(
      {.display = options.display, .xauthority = options.xauthority, .panic_chord = options.panic_chord});
  std::unique_ptr<Desktop> desktop(new Desktop(Windows::open(options.display), options.is_private));
  desktop->input_ = std::move(input);
  desktop->source_ = capture::X11Source::open({.display = options.display});
  desktop->watch_ = capture::ScreenWatch::open(options.display);
  desktop->clipboard_ = std::make_unique<Clipboard>(options.display);
  try {
    if (options.reads_widgets) desktop->widgets_ = std::make_unique<UiTree>(options.display);
  } catch (const capture::Error&) {  // many desktops have none; pictures have to do there
  }
  desktop->remember_focus();
  return desktop;
}

InputOutcome Desktop::perform(const std::vector<InputStep>& steps, std::stop_token stop) {
  InputOutcome outcome = input_->perform(steps, std::move(stop));
  last_input_ = std::chrono::steady_clock::now();
  return outcome;
}

void Desktop::keep_widgets(WindowId window, UiSnapshot snapshot) {
  widgets_read_ = {window, std::chrono::steady_clock::now(), std::move(snapshot)};
}

std::optional<UiSnapshot> Desktop::take_widgets(WindowId window) {
  const std::optional<WidgetsRead> read = std::exchange(widgets_read_, std::nullopt);
  if (!read || read->window != window || read->at < last_input_) return std::nullopt;
  if (std::chrono::steady_clock::now() - read->at > kWidgetsStay) return std::nullopt;
  return read->snapshot;
}

std::optional<capture::DesktopPoint> Desktop::pointer() {
  const std::optional<capture::Cursor> cursor = source_->cursor();
  return cursor ? std::optional(cursor->position) : std::nullopt;
}

void Desktop::add_secret(const std::string& name, const std::string& value) {
  input_->add_secret(name, value);
  secret_names_.push_back(name);
}

bool Desktop::mentions_secret(const std::string& text) const {
  return std::any_of(secret_names_.begin(), secret_names_.end(),
                     [&](const std::string& name) { return text.find("{{" + name + "}}") != std::string::npos; });
}

void Desktop::show(const capture::Frame& frame) {
  shown_.push_back({frame.id, frame.screen_map});
  if (shown_.size() > kShownFrames) shown_.pop_front();
  remember_focus();
}

const Desktop::Shown* Desktop::find_shown(std::uint64_t frame_id, std::string& problem) const {
  problem = "no picture of the screen has been taken yet: take a screenshot first";
  for (auto shown = shown_.rbegin(); shown != shown_.rend(); ++shown) {
    if (frame_id == 0 || shown->frame_id == frame_id) return &*shown;
    problem = "there is no frame " + std::to_string(frame_id) + " (the newest is " +
              std::to_string(shown_.back().frame_id) + "): take a screenshot";
  }
  return nullptr;
}

std::variant<capture::DesktopPoint, std::string> Desktop::to_desktop(std::uint64_t frame_id, double x_px,
                                                                     double y_px) const {
  std::string problem;
  const Shown* shown = find_shown(frame_id, problem);
  if (!shown) return problem;
  const auto point = shown->map.to_desktop(x_px, y_px);
  if (const auto* error = std::get_if<capture::PointError>(&point)) return error->message;
  return std::get<capture::DesktopPoint>(point);
}

std::variant<capture::Rect, std::string> Desktop::area_to_desktop(std::uint64_t frame_id, capture::Rect area_px) const {
  std::string problem;
  const Shown* shown = find_shown(frame_id, problem);
  if (!shown) return problem;
  const capture::Size image_px = shown->map.image_px();
  if (area_px.is_empty() || !capture::Rect{0, 0, image_px.width, image_px.height}.contains(area_px))
    return "the region doesn't lie inside the picture of " + std::to_string(image_px.width) + " x " +
           std::to_string(image_px.height) + " px";
  return shown->map.area_to_desktop(area_px);
}

DesktopView Desktop::view() {
  return {.windows = windows_,
          .input_effect = input_effect(),
          .newest_picture = [this] { return shown_.empty() ? std::nullopt : std::optional(shown_.back().map); },
          .focus_is_known = [this] { remember_focus(); }};
}

void Desktop::remember_focus() {
  const std::optional<Window> active = windows_.active();
  focused_ = active ? std::optional(active->id) : std::nullopt;
}

std::optional<std::string> Desktop::focus_problem() const {
  const std::optional<Window> active = windows_.active();
  if (!active || active->id == focused_) return std::nullopt;
  return "the focus has moved to \"" + active->title + "\" since the last look; nothing was pressed. Look again first";
}

}  // namespace tools
