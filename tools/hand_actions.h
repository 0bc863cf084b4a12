#pragma once
// Groups what hands do into actions: clicks, double clicks, drags, scrolling, typed text, chords. Pure; times are those
// of the events.

#include <optional>
#include <vector>

#include "tools/action.h"
#include "tools/input_listener.h"

namespace tools {

class HandActions {
 public:
  // An action that is complete now, because this event belongs to another.
  std::optional<Action> push(const HandEvent& event);
  // What is still open, such as the text typed last.
  std::optional<Action> finish();

  // The event would begin a new action: now is the moment to look at what it acts on.
  bool begins_action(const HandEvent& event) const;

  // The open action is a drag that has ended.
  bool is_drag() const { return open_ && open_->op == Action::Op::Drag; }

 private:
  std::optional<Action> take_key(const HandEvent& event);
  std::optional<Action> take_button(const HandEvent& event);
  std::optional<Action> begin(Action action, const HandEvent& event);
  bool continues_text(const HandEvent& event) const;
  bool continues_click(const HandEvent& event) const;
  bool continues_scroll(const HandEvent& event) const;

  std::optional<Action> open_;  // points in desktop points
  HandEvent last_;              // that went into it
  bool is_held_ = false;        // its button is down
};

}  // namespace tools
