#pragma once
// What an action on the desktop changed, seen by looking just before and just after it.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/desktop.h"
#include "tools/tool.h"

namespace tools {

// What the action was meant to do, as far as it can be seen.
struct Aim {
  enum class Trace {
    Visible,   // should change something that can be seen: a click, a key, a scroll
    Unseen,    // needn't: the pointer moves, a key goes down
    ReadBack,  // types text: only what the field then holds proves it
  };
  Trace trace = Trace::Visible;
  std::optional<Rect> where = {};  // the window acted on; a change elsewhere may have another cause
  // For ReadBack: what the field holds. Asked once the screen is quiet; empty where nothing can be read.
  std::function<std::optional<FieldText>()> read_back = {};
};

// The rule for the verdict, of what was seen: `evidence` with all but its verdict.
Verdict judge(const Evidence& evidence, const Aim& aim);
// One sentence for the model: "confirmed: 2 regions changed, window "Save As" opened".
std::string describe(const Evidence& evidence);

class EvidenceWatch {
 public:
  // Looks: make one just before acting.
  explicit EvidenceWatch(Desktop& desktop);
  // Waits until the screen is quiet, looks again and compares. Remembers the focus for the next action.
  Evidence finish(const Aim& aim, std::stop_token stop);

 private:
  void compare_windows(Evidence& evidence) const;
  std::optional<ScrolledContent> find_scroll() const;

  Desktop& desktop_;
  std::shared_ptr<const capture::Frame> frame_;  // null where the screen can't be grabbed
  std::vector<Window> windows_;
  std::uint64_t clipboard_changes_;
};

}  // namespace tools
