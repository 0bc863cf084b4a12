#include "tools/input_helper/text_typer.h"

#include <algorithm>
#include <cstdio>

namespace tools::input_helper {
namespace {

using std::chrono::milliseconds;

// Two ms a key press: xterm, GTK and Qt keep up on one busy core, and a stop leaves little in their queues.
constexpr milliseconds kKeyInterval{2};
// Programs must have read the new keymap before the first key that needs it (10 ms is too short for xterm and Qt).
constexpr milliseconds kLendDelay{50};
constexpr std::size_t kKeysPerPing = 50;
constexpr milliseconds kPingLimit{1500};
constexpr milliseconds kPoll{2};

std::string name_of(char32_t character) {
  char name[16];
  std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(character));
  return name;
}

}  // namespace

TextTyper::TextTyper(Tools tools, std::u32string text) : tools_(tools), text_(std::move(text)) {
  tools_.keymap.lift_caps_lock();
}

std::optional<Clock::time_point> TextTyper::advance() {
  const auto now = Clock::now();
  switch (state_) {
    case State::Typing:
      return type_next(now);
    case State::WaitingForApp:
      if (!tools_.ping.answered() && now < wait_until_) return now + kPoll;
      state_ = State::Typing;
      return now;
    case State::WaitingToLend:
      if (!tools_.ping.answered() && now < wait_until_) return now + kPoll;
      return lend_next(now);
    case State::Lent:
      state_ = State::Typing;
      return now;
    case State::Finishing:
      if (!tools_.ping.answered() && now < wait_until_) return now + kPoll;
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Clock::time_point> TextTyper::type_next(Clock::time_point now) {
  if (typed_ == text_.size()) return tools_.ping.send() ? start_waiting(State::Finishing, now) : std::nullopt;
  if (since_ping_ >= kKeysPerPing) {
    since_ping_ = 0;
    if (tools_.ping.send()) return start_waiting(State::WaitingForApp, now);
  }
  const std::optional<KeyPlace> place = tools_.keymap.find_character(text_[typed_]);
  if (place) {
    press(*place);
    ++typed_;
    ++since_ping_;
    return now + kKeyInterval;
  }
  if (!tools_.held.any_lent()) return lend_next(now);
  // The lent keycodes change their meaning: the program must have read the keys typed with the old one.
  if (tools_.ping.send()) return start_waiting(State::WaitingToLend, now);
  state_ = State::WaitingToLend;
  wait_until_ = tools_.held.give_back_at();
  return std::min(wait_until_, now + kPoll);
}

std::optional<Clock::time_point> TextTyper::start_waiting(State next, Clock::time_point now) {
  state_ = next;
  wait_until_ = now + kPingLimit;
  return now + kPoll;
}

std::optional<Clock::time_point> TextTyper::lend_next(Clock::time_point now) {
  std::vector<KeySym> missing;
  const std::size_t limit = tools_.keymap.lendable();
  for (std::size_t at = typed_; at < text_.size(); ++at) {
    // What is lent now is about to be replaced, so only the layout's own keys count as present.
    const std::optional<KeyPlace> place = tools_.keymap.find_character(text_[at]);
    if (place && !tools_.held.lent[place->keycode]) continue;
    const KeySym keysym = keysym_of(text_[at]);
    if (std::find(missing.begin(), missing.end(), keysym) != missing.end()) continue;
    if (missing.size() == limit) break;
    missing.push_back(keysym);
  }
  if (missing.empty()) {
    error_ = "the keyboard layout changed while typing; " + name_of(text_[typed_]) + " has no key";
    return std::nullopt;
  }
  if (limit == 0) {
    error_ = "no key gives " + name_of(text_[typed_]) +
             " in this keyboard layout and no keycode is unused; paste it through the clipboard";
    return std::nullopt;
  }
  if (lent_at_ == typed_) {
    error_ = "the X server didn't take the key for " + name_of(text_[typed_]) + "; paste it through the clipboard";
    return std::nullopt;
  }
  lent_at_ = typed_;
  tools_.keymap.lend(missing);
  state_ = State::Lent;
  return now + kLendDelay;
}

void TextTyper::press(KeyPlace place) {
  const KeyCode shift = tools_.keymap.shift_keycode();
  if (place.shift) tools_.injector.key(shift, true);
  tools_.injector.key(place.keycode, true);
  tools_.injector.key(place.keycode, false);
  if (place.shift) tools_.injector.key(shift, false);
}

}  // namespace tools::input_helper
