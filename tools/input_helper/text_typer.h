#pragma once
// Types a text, exactly, whatever layout and group are active: characters that no key gives are lent an unused keycode,
// as many as fit at once, before they are typed.

#include <X11/Xlib.h>

#include <optional>
#include <string>
#include <vector>

#include "tools/input_helper/app_ping.h"
#include "tools/input_helper/injector.h"
#include "tools/input_helper/keymap.h"

namespace tools::input_helper {

// A programme of small acts; the helper's loop calls advance() when the time it named has come.
class TextTyper {
 public:
  struct Tools {
    Injector& injector;
    Keymap& keymap;
    AppPing& ping;
    HeldState& held;
  };
  TextTyper(Tools tools, std::u32string text);

  // The time of the next act; nothing when the text is typed or, then error() says why, can't be.
  std::optional<Clock::time_point> advance();
  const std::string& error() const { return error_; }
  std::size_t characters_typed() const { return typed_; }

 private:
  enum class State { Typing, WaitingForApp, WaitingToLend, Lent, Finishing };
  std::optional<Clock::time_point> type_next(Clock::time_point now);
  std::optional<Clock::time_point> start_waiting(State next, Clock::time_point now);
  std::optional<Clock::time_point> lend_next(Clock::time_point now);
  void press(KeyPlace place);

  Tools tools_;
  std::u32string text_;
  std::size_t typed_ = 0;
  std::size_t since_ping_ = 0;
  std::optional<std::size_t> lent_at_;  // where in the text keycodes were lent last
  State state_ = State::Typing;
  Clock::time_point wait_until_{};
  std::string error_;
};

}  // namespace tools::input_helper
