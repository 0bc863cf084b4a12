#include "tools/anchor_finder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include "capture/picture_match.h"
#include "tools/anchor_reader.h"

namespace tools {
namespace {

using capture::DesktopPoint;
using capture::Rect;

constexpr double kAlikeInPlace = 0.6;  // at the place where it was; a theme change leaves about 0.9
constexpr double kAlikeElsewhere = 0.75;
constexpr double kTie = 0.005;
constexpr double kUnlike = 0.2;
constexpr int kNudge_px = 6;
constexpr std::array kScales = {1.0, 0.8, 1.25, 1.5, 2.0};
// Of the recorded picture around the point: small first, since what is near the target stays with it; larger when small
// ones fit in several places.
constexpr std::array<capture::Size, 4> kCuts = {{{64, 32}, {128, 64}, {224, 112}, {320, 192}}};

Rect rect_of(const tools::Rect& rect) {
  return {rect.x, rect.y, rect.width, rect.height};
}

std::string in_quotes(const std::string& text) {
  return std::string("\"").append(text).append("\"");
}

std::string name_of(const WidgetIdentity& widget) {
  return std::string(widget.role)
      .append(widget.label.empty() ? " without a label" : " ")
      .append(widget.label.empty() ? "" : in_quotes(widget.label));
}

std::string rounded(double score) {
  char text[16];
  std::snprintf(text, sizeof(text), "%.2f", score);
  return text;
}

bool is_popup(const WindowIdentity& window) {
  return window.type.find("menu") != std::string::npos || window.type == "combo" || window.type == "tooltip";
}

bool is_same_program(const Window& window, const WindowIdentity& identity) {
  return identity.class_name.empty() ? window.process_name == identity.process_name
                                     : window.class_name == identity.class_name;
}

// How much of two titles is equal, from both ends: "*a.txt - Editor" and "b.txt - Editor".
std::size_t n_equal_ends(const std::string& a, const std::string& b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t front = 0, back = 0;
  while (front < most && a[front] == b[front]) ++front;
  while (back < most - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
  return front + back;
}

// The current picture of this area of the desktop, and where it begins.
struct Seen {
  cv::Mat pixels;
  Rect area_pt;
  std::shared_ptr<const capture::Frame> frame;  // keeps the pixels
};
std::optional<Seen> see(Desktop& desktop, const std::optional<Rect>& area_pt) {
  const capture::Grab grab = desktop.grab();
  if (!grab) return std::nullopt;
  const Rect& screen = grab.frame->screen_map.area_pt();
  const Rect area = area_pt ? intersect(*area_pt, screen) : screen;
  if (area.is_empty()) return std::nullopt;
  const cv::Rect cut(area.x - screen.x, area.y - screen.y, area.width, area.height);
  return Seen{grab.frame->pixels(cut), area, grab.frame};
}

// A part of the recorded picture around a place of the desktop as it was then; empty outside of it.
cv::Mat recorded_part(const Anchor& anchor, const Rect& area_pt) {
  if (!anchor.picture) return {};
  const Rect& shown = anchor.picture->screen_map.area_pt();
  Rect area = intersect(area_pt, shown);
  if (anchor.window) area = intersect(area, anchor.window->frame_pt);
  if (area.is_empty()) return {};
  return anchor.picture->pixels(cv::Rect(area.x - shown.x, area.y - shown.y, area.width, area.height));
}

// Where the point lies in a box of another size. Small widgets stretch; in large ones what is in them keeps its place.
DesktopPoint point_in(const Rect& box, DesktopPoint recorded, const Rect& recorded_box) {
  const int dx = recorded.x_pt - recorded_box.x, dy = recorded.y_pt - recorded_box.y;
  const auto along = [](int offset, int recorded_length, int length) {
    constexpr int kSmall_pt = 200;
    if (recorded_length == length || (recorded_length > kSmall_pt && offset < length)) return offset;
    return static_cast<int>(std::lround((offset + 0.5) * length / recorded_length - 0.5));
  };
  return {box.x + along(dx, recorded_box.width, box.width), box.y + along(dy, recorded_box.height, box.height)};
}

// Buttons with other labels are much alike (0.98): what counts is how much farther the runner-up is from a whole match.
bool is_clear(const capture::PictureMatch& match) {
  return match.score >= kAlikeElsewhere && 1 - match.runner_up >= 2 * (1 - match.score) + 0.01;
}

// Whether more looks follow.
enum class Look { Early, Last };

// One look for one anchor.
class Search {
 public:
  Search(Desktop& desktop, const Anchor& anchor, const std::stop_token& stop)
      : desktop_(desktop), anchor_(anchor), stop_(stop) {}

  AnchorSearch look(Look which);
  AnchorSearch look_at_focus();

 private:
  std::optional<MissingAnchor> find_its_window();
  AnchorSearch by_widget(const UiSnapshot& snapshot);
  std::variant<std::size_t, MissingAnchor> choose_node(const UiSnapshot& snapshot) const;
  AnchorSearch by_picture();
  std::optional<AnchorSearch> picture_in_place(const Seen& seen) const;
  AnchorSearch checked(FoundAnchor found);
  Rect recorded_area(capture::Size size) const;

  Desktop& desktop_;
  const Anchor& anchor_;
  std::stop_token stop_;
  std::optional<Window> window_;  // found; of a popup its owner
};

std::optional<MissingAnchor> Search::find_its_window() {
  if (!anchor_.window) return std::nullopt;
  const WindowIdentity& wanted = *anchor_.window;
  if (!is_popup(wanted)) {
    const auto found = find_window(desktop_.windows(), wanted);
    if (const auto* missing = std::get_if<MissingAnchor>(&found)) return *missing;
    window_ = std::get<Window>(found);
    return std::nullopt;
  }
  for (const Window& window : desktop_.windows().list()) {
    if (is_same_program(window, wanted) && window.is_mapped) {
      window_ = window;
      return std::nullopt;
    }
  }
  return MissingAnchor{"no window of " + in_quotes(wanted.class_name) + " is there"};
}

AnchorSearch Search::look(Look which) {
  if (auto missing = find_its_window()) return std::move(*missing);
  if (window_ && !window_->is_mapped) {
    if (const WindowProblem problem = desktop_.windows().activate(window_->id)) return MissingAnchor{*problem};
  }
  if (window_ && !anchor_.widget && !anchor_.picture) {  // the window as such is meant
    const Anchor now = anchor_of(*window_);
    return FoundAnchor{now.point, window_, "window " + in_quotes(window_->title)};
  }
  if (anchor_.widget && window_) {
    const UiSnapshot snapshot = read_widgets(desktop_, *window_, stop_);
    if (snapshot.has_boxes && !anchor_.widget->box_pt.is_empty()) return by_widget(snapshot);
    // A busy program tells its widgets late, and until then a picture may fit what isn't meant any more.
    if (snapshot.nodes.empty() && desktop_.widgets() != nullptr && which == Look::Early)
      return MissingAnchor{in_quotes(window_->title) + " doesn't tell its widgets"};
  }
  return by_picture();
}

std::variant<std::size_t, MissingAnchor> Search::choose_node(const UiSnapshot& snapshot) const {
  const WidgetIdentity& wanted = *anchor_.widget;
  std::vector<std::size_t> alike, in_same_place;
  for (std::size_t i = 0; i < snapshot.nodes.size(); ++i) {
    if (snapshot.nodes[i].role != wanted.role || !snapshot.nodes[i].box) continue;
    const WidgetIdentity identity = identity_of(snapshot, i);
    if (identity.label != wanted.label) continue;
    alike.push_back(i);
    if (identity.ancestors == wanted.ancestors) in_same_place.push_back(i);
  }
  if (alike.empty()) return MissingAnchor{"the " + name_of(wanted) + " is not there"};
  if (alike.size() == 1) return alike[0];
  if (in_same_place.size() == 1) return in_same_place[0];
  for (const std::size_t i : alike) {
    const WidgetIdentity identity = identity_of(snapshot, i);
    if (identity.n_alike == wanted.n_alike && identity.ordinal == wanted.ordinal) return i;
  }
  return MissingAnchor{"there are " + std::to_string(alike.size()) + " of the " + name_of(wanted) + ", recorded were " +
                       std::to_string(wanted.n_alike)};
}

AnchorSearch Search::by_widget(const UiSnapshot& snapshot) {
  const auto chosen = choose_node(snapshot);
  if (const auto* missing = std::get_if<MissingAnchor>(&chosen)) return *missing;
  const WidgetIdentity& wanted = *anchor_.widget;
  const Rect box = rect_of(*snapshot.nodes[std::get<std::size_t>(chosen)].box);
  FoundAnchor found{point_in(box, anchor_.point, wanted.box_pt), window_, "widget " + name_of(wanted)};
  if (!box.contains(found.point.x_pt, found.point.y_pt)) {
    return MissingAnchor{"the " + name_of(wanted) + " is too small now for the point in it"};
  }
  const std::optional<Seen> seen = see(desktop_, box);
  const std::optional<double> alike =
      seen ? capture::likeness(recorded_part(anchor_, wanted.box_pt), seen->pixels) : std::nullopt;
  if (alike) found.how += ", picture " + rounded(*alike);
  // A label is proof enough: its picture may be pressed, checked or drawn anew. A nameless one among others isn't.
  if (alike && *alike < kUnlike && wanted.label.empty() && wanted.n_alike > 1) {
    return MissingAnchor{"the " + name_of(wanted) + " doesn't look as recorded (" + rounded(*alike) + ")"};
  }
  return checked(std::move(found));
}

Rect Search::recorded_area(capture::Size size) const {
  return {anchor_.point.x_pt - size.width / 2, anchor_.point.y_pt - size.height / 2, size.width, size.height};
}

// At the same place of a window of the same size: what a still program shows.
std::optional<AnchorSearch> Search::picture_in_place(const Seen& seen) const {
  const Rect was = anchor_.window ? anchor_.window->frame_pt : seen.area_pt;
  if (was.width != seen.area_pt.width || was.height != seen.area_pt.height) return std::nullopt;
  const int dx = seen.area_pt.x - was.x, dy = seen.area_pt.y - was.y;
  const DesktopPoint point{anchor_.point.x_pt + dx, anchor_.point.y_pt + dy};
  for (const capture::Size& size : kCuts) {
    const cv::Mat wanted = recorded_part(anchor_, recorded_area(size));
    Rect area = recorded_area(size);
    if (anchor_.window) area = intersect(area, was);
    if (anchor_.picture) area = intersect(area, anchor_.picture->screen_map.area_pt());
    const Rect around = intersect(
        {area.x + dx - kNudge_px, area.y + dy - kNudge_px, area.width + 2 * kNudge_px, area.height + 2 * kNudge_px},
        seen.area_pt);
    if (wanted.empty() || around.is_empty()) continue;
    const cv::Mat now =
        seen.pixels(cv::Rect(around.x - seen.area_pt.x, around.y - seen.area_pt.y, around.width, around.height));
    const auto match = capture::find_picture(now, wanted);
    if (!match) continue;
    // Where the like of it lies at another place too, better, it has moved and this is its neighbour.
    const auto anywhere = capture::find_picture(seen.pixels, wanted);
    if (match->score < kAlikeInPlace || (anywhere && anywhere->score > match->score + kTie)) return std::nullopt;
    return FoundAnchor{point, window_, "the same place, picture " + rounded(match->score)};
  }
  return FoundAnchor{point, window_, "the same place of a plain surface"};
}

AnchorSearch Search::by_picture() {
  if (!anchor_.picture) return MissingAnchor{"no picture of it was recorded that it could be known by"};
  const bool is_in_window = window_ && anchor_.window && !is_popup(*anchor_.window);
  const std::optional<Seen> seen =
      see(desktop_, is_in_window ? std::optional(rect_of(window_->frame)) : std::optional<Rect>());
  if (!seen) return MissingAnchor{"the screen can't be seen"};
  if (const auto found = picture_in_place(*seen)) {
    return std::holds_alternative<FoundAnchor>(*found) ? checked(std::get<FoundAnchor>(*found)) : *found;
  }
  std::string best = "its picture is nowhere";
  for (const capture::Size& size : kCuts) {
    const Rect area = recorded_area(size);
    const cv::Mat wanted = recorded_part(anchor_, area);
    const auto match = capture::find_picture(seen->pixels, wanted, kScales);
    if (!match) continue;
    best = "the likest place has " + rounded(match->score) + ", the next " + rounded(match->runner_up);
    if (!is_clear(*match)) continue;
    // The point lies in the middle of the cut, but for what the window's edge took away.
    Rect cut = intersect(area, anchor_.picture->screen_map.area_pt());
    if (anchor_.window) cut = intersect(cut, anchor_.window->frame_pt);
    const Rect at{seen->area_pt.x + match->area_px.x, seen->area_pt.y + match->area_px.y, match->area_px.width,
                  match->area_px.height};
    return checked({point_in(at, anchor_.point, cut), window_, "picture " + rounded(match->score)});
  }
  return MissingAnchor{"it looks nowhere as recorded: " + best};
}

// The point has to show the window, with nothing over it.
AnchorSearch Search::checked(FoundAnchor found) {
  if (!window_) return found;
  const std::optional<Window> top = desktop_.windows().at(found.point.x_pt, found.point.y_pt);
  if (top && (top->id == window_->id || (!top->is_managed && top->pid == window_->pid))) return found;
  const WindowProblem problem = desktop_.windows().activate(window_->id);
  return MissingAnchor{problem ? *problem : in_quotes(window_->title) + " was covered and is being raised"};
}

AnchorSearch Search::look_at_focus() {
  if (auto missing = find_its_window()) return std::move(*missing);
  if (!window_) return MissingAnchor{"no window had the keyboard when this was recorded"};
  const std::optional<Window> active = desktop_.windows().active();
  if (!active || active->id != window_->id) {
    const WindowProblem problem = desktop_.windows().activate(window_->id);
    if (problem) return MissingAnchor{in_quotes(window_->title) + " doesn't get the keyboard: " + *problem};
    desktop_.remember_focus();
  }
  FoundAnchor found{anchor_.point, window_, "window " + in_quotes(window_->title)};
  if (!anchor_.widget) return found;
  const UiSnapshot snapshot = read_widgets(desktop_, *window_, stop_);
  const std::optional<std::size_t> node = focused_node(snapshot);
  if (!node) return MissingAnchor{"no widget has the keyboard; recorded was the " + name_of(*anchor_.widget)};
  const WidgetIdentity focused = identity_of(snapshot, *node);
  if (focused.role != anchor_.widget->role || focused.label != anchor_.widget->label) {
    return MissingAnchor{"the " + name_of(focused) + " has the keyboard; recorded was the " + name_of(*anchor_.widget)};
  }
  found.how = "focus on " + name_of(focused);
  return found;
}

AnchorSearch wait(Desktop& desktop, std::chrono::milliseconds limit, const std::stop_token& stop,
                  const std::function<AnchorSearch(Look)>& look) {
  constexpr int kPatience_ms = 250;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    desktop.screen_watch().begin();
    const Look which = std::chrono::steady_clock::now() >= deadline ? Look::Last : Look::Early;
    AnchorSearch search = look(which);
    if (std::holds_alternative<FoundAnchor>(search) || stop.stop_requested() || which == Look::Last) return search;
    desktop.screen_watch().wait_for_change(kPatience_ms, stop);
  }
}

}  // namespace

std::variant<Window, MissingAnchor> find_window(const Windows& windows, const WindowIdentity& identity) {
  std::vector<Window> candidates;
  for (const Window& window : windows.list()) {
    if (is_same_program(window, identity) && window.type == identity.type) candidates.push_back(window);
  }
  if (candidates.empty()) {
    return MissingAnchor{"no " + identity.type + " window of " + in_quotes(identity.class_name) +
                         " is there; recorded was " + in_quotes(identity.title)};
  }
  const auto likeness = [&](const Window& window) {
    return window.title == identity.title ? std::string::npos : n_equal_ends(window.title, identity.title);
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Window& a, const Window& b) { return likeness(a) > likeness(b); });
  if (candidates.size() > 1 && likeness(candidates[0]) == likeness(candidates[1]) &&
      likeness(candidates[0]) != std::string::npos) {
    return MissingAnchor{"there are several windows of " + in_quotes(identity.class_name) + " and none is called " +
                         in_quotes(identity.title)};
  }
  return candidates[0];
}

AnchorSearch wait_for_anchor(Desktop& desktop, const Anchor& anchor, std::chrono::milliseconds limit,
                             const std::stop_token& stop) {
  return wait(desktop, limit, stop, [&](Look which) { return Search(desktop, anchor, stop).look(which); });
}

AnchorSearch wait_for_focus(Desktop& desktop, const Anchor& anchor, std::chrono::milliseconds limit,
                            const std::stop_token& stop) {
  return wait(desktop, limit, stop, [&](Look) { return Search(desktop, anchor, stop).look_at_focus(); });
}

}  // namespace tools
