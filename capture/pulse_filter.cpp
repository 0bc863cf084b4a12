#include "capture/pulse_filter.h"

#include <algorithm>

namespace capture {
namespace {

constexpr std::int64_t kMaxPulseArea = 128 * 128;  // a large moving picture is content
constexpr int kMinBeats = 5;
constexpr double kMinSpanMs = 1500;  // what repaints for a shorter time may just be loading
constexpr double kMaxGapMs = 1500;   // carets blink every 1.2 s at the slowest
constexpr std::size_t kMaxPlaces = 64;

// The beats of a spinner differ a little in size, and a caret's are equal; neighbouring letters don't overlap.
bool is_same_spot(const Rect& a, const Rect& b) {
  return 2 * intersect(a, b).area() >= unite(a, b).area();
}

}  // namespace

bool PulseFilter::Place::is_known() const {
  return n_beats >= kMinBeats && last_ms - first_ms >= kMinSpanMs;
}

bool PulseFilter::is_pulse(const Rect& area, double now_ms) {
  if (area.area() > kMaxPulseArea) return false;
  std::erase_if(places_, [&](const Place& place) { return now_ms - place.last_ms > kMaxGapMs; });
  const auto inside_known = [&](const Place& place) { return place.is_known() && place.area.contains(area); };
  const auto same_spot = [&](const Place& place) { return is_same_spot(place.area, area); };
  auto place = std::find_if(places_.begin(), places_.end(), inside_known);
  if (place == places_.end()) place = std::find_if(places_.begin(), places_.end(), same_spot);
  if (place == places_.end()) {
    if (places_.size() >= kMaxPlaces) places_.erase(places_.begin());
    places_.push_back({area, now_ms, now_ms, 1});
    return false;
  }
  const bool was_known = place->is_known();
  const Rect grown = unite(place->area, area);
  if (grown.area() <= kMaxPulseArea) place->area = grown;
  place->last_ms = now_ms;
  ++place->n_beats;
  return was_known;
}

std::vector<Rect> PulseFilter::known_pulses() const {
  std::vector<Rect> known;
  for (const Place& place : places_) {
    if (place.is_known()) known.push_back(place.area);
  }
  return known;
}

}  // namespace capture
