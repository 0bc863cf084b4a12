#include "tools/evidence.h"

#include <algorithm>

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
      if (changed_there) return Verdict::Partial;
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
  if (!evidence.changed_regions.empty())
    add(std::to_string(evidence.changed_regions.size()) + " area(s) of the screen changed");
  if (!evidence.settled) add("the screen is still moving");
  return text;
}

EvidenceWatch::EvidenceWatch(Desktop& desktop)
    : desktop_(desktop),
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
  evidence.clipboard_changed = desktop_.clipboard().n_changes(Selection::Clipboard) != clipboard_changes_;
  evidence.verdict = settled.error.empty() ? judge(evidence, aim) : Verdict::Unverifiable;
  desktop_.remember_focus();
  return evidence;
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
