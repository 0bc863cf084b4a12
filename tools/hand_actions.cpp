#include "tools/hand_actions.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tools/key_names.h"

namespace tools {
namespace {

using Kind = HandEvent::Kind;
using Op = Action::Op;

constexpr int kClickMoves_pt = 5;  // a hand isn't still; beyond it is a drag
constexpr std::int64_t kDoubleClick_ms = 400, kOneScroll_ms = 700;
constexpr std::size_t kMostPathPoints = 200;

bool is_wheel(const HandEvent& event) {
  return event.button >= 4 && event.button <= 7;
}

Action::Button button_of(int number) {
  switch (number) {
    case 2:
      return Action::Button::Middle;
    case 3:
      return Action::Button::Right;
    case 8:
      return Action::Button::Back;
    case 9:
      return Action::Button::Forward;
    default:
      return Action::Button::Left;
  }
}

Target target_at(capture::DesktopPoint point) {
  Target target;
  target.x = point.x_pt;
  target.y = point.y_pt;
  return target;
}

bool is_near(const HandEvent& a, const HandEvent& b) {
  return std::abs(a.point.x_pt - b.point.x_pt) <= kClickMoves_pt &&
         std::abs(a.point.y_pt - b.point.y_pt) <= kClickMoves_pt;
}

bool has_command_modifier(const HandEvent& event) {
  return std::any_of(event.modifiers.begin(), event.modifiers.end(),
                     [](const std::string& name) { return name != "shift"; });
}

bool is_printable(const HandEvent& event) {
  if (event.text.empty() || has_command_modifier(event)) return false;
  const auto first = static_cast<unsigned char>(event.text[0]);
  return first >= 0x20 && first != 0x7f;
}

void remove_last_character(std::string& text) {
  while (!text.empty()) {
    const bool is_inner = (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80;
    text.pop_back();
    if (!is_inner) break;
  }
}

constexpr std::uint32_t kBackSpace = 0xff08, kLeftTab = 0xfe20, kCompose = 0xff20;

// Waits for the key that follows, which then brings the text of both.
bool is_dead(std::uint32_t keysym) {
  return (keysym >= 0xfe50 && keysym <= 0xfe9f) || keysym == kCompose;
}

// The key in canonical spelling; a letter without its shift.
std::string key_name(const HandEvent& event) {
  const std::uint32_t keysym = event.keysym;
  if (keysym == kLeftTab) return "Tab";
  if (keysym >= 'A' && keysym <= 'Z') return std::string(1, static_cast<char>(keysym + 32));
  return name_of_keysym(keysym);
}

}  // namespace

bool HandActions::continues_text(const HandEvent& event) const {
  if (!open_ || open_->op != Op::Type) return false;
  return is_printable(event) || (event.keysym == kBackSpace && !open_->text.empty() && event.modifiers.empty());
}

bool HandActions::continues_click(const HandEvent& event) const {
  return open_ && open_->op == Op::Click && !is_wheel(event) && open_->button == button_of(event.button) &&
         open_->count < 3 && event.at_ms - last_.at_ms <= kDoubleClick_ms && is_near(event, last_) &&
         event.modifiers == last_.modifiers;
}

bool HandActions::continues_scroll(const HandEvent& event) const {
  return open_ && open_->op == Op::Scroll && is_wheel(event) && event.at_ms - last_.at_ms <= kOneScroll_ms &&
         is_near(event, last_);
}

bool HandActions::begins_action(const HandEvent& event) const {
  if (event.kind == Kind::ButtonPress) return !continues_click(event) && !continues_scroll(event);
  return event.kind == Kind::KeyPress && !is_modifier(event.keysym) && !is_dead(event.keysym) && !continues_text(event);
}

std::optional<Action> HandActions::begin(Action action, const HandEvent& event) {
  std::optional<Action> complete = std::exchange(open_, std::move(action));
  last_ = event;
  return complete;
}

std::optional<Action> HandActions::take_button(const HandEvent& event) {
  if (is_wheel(event)) {
    if (event.kind == Kind::ButtonRelease) return std::nullopt;
    const double dx = event.button == 6 ? -1 : event.button == 7 ? 1 : 0;
    const double dy = event.button == 4 ? -1 : event.button == 5 ? 1 : 0;
    if (continues_scroll(event)) {
      open_->scroll->dx += dx;
      open_->scroll->dy += dy;
      last_ = event;
      return std::nullopt;
    }
    return begin({.op = Op::Scroll,
                  .target = target_at(event.point),
                  .modifiers = event.modifiers,
                  .scroll = ScrollAmount{.dx = dx, .dy = dy}},
                 event);
  }
  if (event.kind == Kind::ButtonPress) {
    is_held_ = true;
    if (continues_click(event)) {
      ++open_->count;
      last_ = event;
      return std::nullopt;
    }
    return begin({.op = Op::Click,
                  .target = target_at(event.point),
                  .path = {target_at(event.point)},
                  .button = button_of(event.button),
                  .modifiers = event.modifiers},
                 event);
  }
  is_held_ = false;
  if (!open_ || open_->op != Op::Click) return std::nullopt;
  if (is_near(event, last_)) {
    open_->path.resize(1);  // it stayed a click
  } else {
    open_->op = Op::Drag;
    open_->path.push_back(target_at(event.point));
    open_->target.reset();
  }
  return std::nullopt;
}

std::optional<Action> HandActions::take_key(const HandEvent& event) {
  if (event.kind == Kind::KeyRelease || is_modifier(event.keysym)) return std::nullopt;
  if (continues_text(event)) {
    if (event.keysym == kBackSpace) {
      remove_last_character(open_->text);
    } else {
      open_->text += event.text;
    }
    last_ = event;
    return std::nullopt;
  }
  if (is_printable(event)) return begin({.op = Op::Type, .text = event.text}, event);
  if (is_dead(event.keysym)) return std::nullopt;
  const std::string name = key_name(event);
  std::vector<std::string> keys = event.modifiers;
  keys.push_back(name);
  if (open_ && open_->op == Op::KeyChord && open_->keys == keys && open_->count < 100) {
    ++open_->count;
    last_ = event;
    return std::nullopt;
  }
  return begin({.op = Op::KeyChord, .keys = std::move(keys)}, event);
}

std::optional<Action> HandActions::push(const HandEvent& event) {
  std::optional<Action> complete;
  switch (event.kind) {
    case Kind::Motion:
      if (is_held_ && open_ && open_->op == Op::Click && open_->path.size() < kMostPathPoints) {
        open_->path.push_back(target_at(event.point));
      }
      return std::nullopt;
    case Kind::ButtonPress:
    case Kind::ButtonRelease:
      complete = take_button(event);
      break;
    case Kind::KeyPress:
    case Kind::KeyRelease:
      complete = take_key(event);
      break;
  }
  if (complete && complete->op == Op::Click) complete->path.clear();
  if (complete && complete->op == Op::Type && complete->text.empty()) return std::nullopt;  // all taken back
  return complete;
}

std::optional<Action> HandActions::finish() {
  std::optional<Action> complete = std::exchange(open_, std::nullopt);
  if (complete && complete->op == Op::Click) complete->path.clear();
  if (complete && complete->op == Op::Type && complete->text.empty()) return std::nullopt;
  return complete;
}

}  // namespace tools
