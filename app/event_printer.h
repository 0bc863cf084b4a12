#pragma once
// Shows a session's events as they come: lines for people, on a terminal with one more that says what goes on now; JSON
// lines for programs.

#include <string>

#include "agent/events.h"
#include "agent/model_watch.h"
#include "agent/recorder.h"

namespace app {

class EventPrinter {
 public:
  enum class Style { Plain, Terminal, Json };
  explicit EventPrinter(Style style) : style_(style) {}

  void begin(agent::SessionId session);  // tells its number
  void print(const agent::AgentEvent& event);
  // What the model does meanwhile: a terminal's last line, written over by what comes next.
  void progress(const agent::ModelStatus& status);
  // What the session changed in the user's folder, as a diff; empty: nothing.
  void review(const std::string& diff);

 private:
  void line(const std::string& text, const char* colour = "");
  void print_json(const agent::AgentEvent& event);
  void add_piece(const std::string& text);
  void end_piece();
  void show_progress(const std::string& text);
  void clear_progress();

  Style style_;
  int step_ = 0;
  bool has_progress_ = false;  // the line of progress stands there
  bool in_piece_ = false;      // the cursor stands behind a piece of the reply
  std::string held_back_;      // of that reply
};

}  // namespace app
