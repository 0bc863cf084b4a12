#pragma once
// Recorded actions of other agents, read into canonical actions. Their text is only ever parsed, never evaluated.

#include <string>
#include <variant>
#include <vector>

#include "tools/action.h"

namespace tools {

enum class Dialect {
  Anthropic,   // {"action": "left_click", "coordinate": [x, y]} or, as a toolset member, {"name": …, "input": …}
  OpenAi,      // a computer_call's action, or an item with `action` or `actions`
  UiTars1,     // "Action: click(start_box='[x1,y1,x2,y2]')", boxes of 0 … 1000
  UiTars15,    // the same in pixels of the picture as resized for the model
  UiTarsSeed,  // point='<point>x y</point>', 0 … 1000
  Qwen25,      // <tool_call>{"name":"computer_use",…}, pixels of the picture as resized for the model
  Qwen3,       // the same, 0 … 1000
  OsWorldPyAutoGui,   // "pyautogui.click(100, 200); time.sleep(1)", or WAIT, FAIL, DONE
  OsWorldComputer13,  // {"action_type": "CLICK", "parameters": {…}}
};

// Reads one recording, action after action: some dialects drag from where the pointer is, so it must be followed.
class ActionImporter {
 public:
  // `capture` is the picture as the model saw it when the recording was made, not today's screen.
  ActionImporter(Dialect dialect, CaptureRef capture);

  using Result = std::variant<std::vector<Action>, ActionError>;
  // What one model answer or one record says; several actions when it holds several. An error changes nothing.
  Result read(const std::string& raw);

  // The picture changes with each observation.
  void set_capture(CaptureRef capture) { capture_ = std::move(capture); }

 private:
  Dialect dialect_;
  CaptureRef capture_;
  std::optional<Target> pointer_;  // where the last action left it
};

}  // namespace tools
