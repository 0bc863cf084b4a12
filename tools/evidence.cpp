#include "tools/evidence.h"

#include <algorithm>
#include <cstdlib>

#include "capture/frame_diff.h"

namespace tools {
namespace {

bool meets(const Rect& a, const Rect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

const Window* find(const std::vector<Window>& windows, WindowId id) {
  const auto at = std::find_if(windows.begin(), windows.end(), [id](const Window& window) { return window.id == id; });
  return at == windows.end() ? nullptr : &*at;
}

const Window* active_of(const std::vector<Window>& windows) {
  const auto at = std::find_if(windows.begin(), windows.end(), [](const Window& window) { return window.is_active; });
  return at == windows.end() ? nullptr : &*at;
}

std::string quoted(const std::vector<std::string>& titles) {
  std::string text;
  for (const std::string& title : titles) text += (text.empty() ? "\"" : ", \"") + title + "\"";
  return text;
}

// A field that stays as it was, while something else happened, may have passed the text on.
Verdict verdict_of(const FieldText& field, const Evidence& evidence) {
  if (field.state == FieldText::State::AsTyped) return Verdict::Confirmed;
  const bool passed_on = !evidence.windows_opened.empty() || !evidence.windows_closed.empty();
  return field.state == FieldText::State::Unchanged && !passed_on ? Verdict::NoOp : Verdict::Partial;
}

std::string scroll_text(const ScrolledContent& scrolled) {
  if (scrolled.dy != 0)
    return "content scrolled " + std::string(scrolled.dy < 0 ? "down" : "up") + " by " +
           std::to_string(std::abs(scrolled.dy)) + " px";
  return "content scrolled " + std::string(scrolled.dx < 0 ? "right" : "left") + " by " +
         std::to_string(std::abs(scrolled.dx)) + " px";
}

std::string field_sentence(const FieldText& field) {
  switch (field.state) {
    case FieldText::State::AsTyped:
      return "the field holds it as typed";
    case FieldText::State::Different:
      return "the field holds something else than typed: \"" + field.excerpt + "\"";
    case FieldText::State::Unchanged:
      break;
  }
  return "the field is as before: \"" + field.excerpt + "\"";
}

}  // namespace

Verdict judge(const Evidence& evidence, const Aim& aim) {
  const bool desktop_changed = !evidence.windows_opened.empty() || !evidence.windows_closed.empty() ||
                               evidence.focused_window || evidence.clipboard_changed;
  const bool changed_there = std::any_of(evidence.changed_regions.begin(), evidence.changed_regions.end(),
                                         [&](const Rect& region) { return !aim.where || meets(region, *aim.where); });
  switch (aim.trace) {
    case Aim::Trace::Unseen:
      return Verdict::Unverifiable;
    case Aim::Trace::ReadBack:
      if (evidence.field_text) return verdict_of(*evidence.field_text, evidence);
      break;
    case Aim::Trace::Visible:
      if (changed_there || desktop_changed) return Verdict::Confirmed;
      break;
  }
  const bool nothing = evidence.changed_regions.empty() && !desktop_changed;
  return nothing && evidence.settled ? Verdict::NoOp : Verdict::Unverifiable;
}

std::string describe(const Evidence& evidence) {
  static constexpr const char* kVerdicts[] = {"confirmed", "partly confirmed", "no effect was seen", "not verifiable",
                                              "refused"};
  std::string text = kVerdicts[static_cast<int>(evidence.verdict)];
  std::string separator = ": ";
  const auto add = [&](const std::string& part) {
    text += separator;
    text += part;
    separator = ", ";
  };
  if (!evidence.windows_opened.empty()) add("opened " + quoted(evidence.windows_opened));
  if (!evidence.windows_closed.empty()) add("closed " + quoted(evidence.windows_closed));
  if (evidence.focused_window) add("the focus is now on \"" + *evidence.focused_window + "\"");
  if (evidence.clipboard_changed) add("the clipboard changed");
  if (evidence.field_text) add(field_sentence(*evidence.field_text));
  if (evidence.scrolled) add(scroll_text(*evidence.scrolled));
  if (!evidence.changed_regions.empty())
    add(std::to_string(evidence.changed_regions.size()) + " area(s) of the screen changed");
  if (!evidence.settled) add("the screen is still moving");
  return text;
}

EvidenceWatch::EvidenceWatch(Desktop& desktop)
    : desktop_(desktop),
      frame_(desktop.grab().frame),
      windows_(desktop.windows().list()),
      clipboard_changes_(desktop.clipboard().n_changes(Selection::Clipboard)) {
  desktop.screen_watch().begin();
}

Evidence EvidenceWatch::finish(const Aim& aim, std::stop_token stop) {
  capture::SettleOptions options;
  // A slow program may take a while until its first sign of life; only an action without effect waits it out.
  if (aim.trace != Aim::Trace::Unseen) options.first_change_ms = 700;
  const capture::Settled settled = desktop_.screen_watch().settle(options, stop);
  Evidence evidence;
  evidence.settled = settled.settled;
  for (const capture::Rect& area : settled.changed_pt)
    evidence.changed_regions.push_back({area.x, area.y, area.width, area.height});
  compare_windows(evidence);
  if (aim.trace == Aim::Trace::Visible && !evidence.changed_regions.empty()) evidence.scrolled = find_scroll();
  if (aim.read_back) evidence.field_text = aim.read_back();
  evidence.clipboard_changed = desktop_.clipboard().n_changes(Selection::Clipboard) != clipboard_changes_;
  evidence.verdict = settled.error.empty() ? judge(evidence, aim) : Verdict::Unverifiable;
  desktop_.remember_focus();
  return evidence;
}

std::optional<ScrolledContent> EvidenceWatch::find_scroll() const {
  const std::shared_ptr<const capture::Frame> now = frame_ ? desktop_.grab().frame : nullptr;
  if (!now) return std::nullopt;
  const std::optional<capture::FrameDiff> difference = capture::diff(*frame_, *now);
  if (!difference || !difference->scroll) return std::nullopt;
  // Grabs are of native resolution: their pixels are desktop points.
  const capture::Scroll& scroll = *difference->scroll;
  const capture::Rect area = now->screen_map.area_to_desktop(scroll.area_px);
  return ScrolledContent{{area.x, area.y, area.width, area.height}, scroll.dx_px, scroll.dy_px};
}

void EvidenceWatch::compare_windows(Evidence& evidence) const {
  const std::vector<Window> now = desktop_.windows().list();
  for (const Window& window : now)
    if (!find(windows_, window.id)) evidence.windows_opened.push_back(window.title);
  for (const Window& window : windows_)
    if (!find(now, window.id)) evidence.windows_closed.push_back(window.title);
  const Window *before = active_of(windows_), *after = active_of(now);
  if (after && (!before || before->id != after->id)) evidence.focused_window = after->title;
}

}  // namespace tools
