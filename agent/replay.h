#pragma once
// Does a recorded session again without a model. Each step first finds what it took hold of then; when that is gone the
// replay halts: it never acts on what merely lies at the same place.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/events.h"
#include "agent/journal.h"
#include "agent/recorder.h"
#include "agent/session_part.h"
#include "agent/workbench.h"

namespace agent {

// One action of the record that is worth doing again.
struct ReplayStep {
  tools::ToolCall call;
  std::string effect;                  // its name
  Picture screen;                      // just before it; may be null
  std::vector<tools::Anchor> anchors;  // what it took hold of
  tools::Verdict verdict = tools::Verdict::Unverifiable;
  nlohmann::json details;  // of its result
  std::string parameter;   // the name of the text that it enters; empty: it enters none
};

// All actions that worked and changed something, and the waits between them.
std::vector<ReplayStep> load_steps(Recorder& recorder, SessionId session, const SessionPart& part = {});

// The text that a step enters (typed, put into a field, on the clipboard), or null.
std::string* entered_text(ReplayStep& step);

// Gives parameters new values, also where windows and widgets were called after the old ones. Throws Error for a name
// that isn't a parameter, saying which there are.
void set_parameters(std::vector<ReplayStep>& steps, const std::map<std::string, std::string>& values);
// What names a folder of the recorded workspace names the same in the new one.
void move_workspace(std::vector<ReplayStep>& steps, const std::string& from, const std::string& to);

struct ReplayHalt {
  std::size_t step_idx = 0;
  std::string reason;
  Picture recorded, seen;  // the screen before the step, then and now; may be null
};

struct ReplayOutcome {
  std::size_t n_done = 0;
  Ending ending = Ending::Failed;  // Done, Stuck (a target is gone), Refused, Stopped, Failed
  std::optional<ReplayHalt> halt;
};

struct ReplayParts {
  Workbench& workbench;
  Journal& journal;  // the replay is a session of its own
  Policy policy;
  Approver approver;
  std::function<void(std::size_t step_idx, const std::string& how)> found;  // before each step
  EventSink events;
  std::chrono::milliseconds patience = std::chrono::seconds(10);  // for each target
};

// What breaks in a step becomes an outcome, so that the journal gets its end. Throws Error when a replay that went
// through can't be recorded.
ReplayOutcome replay(const std::vector<ReplayStep>& steps, const ReplayParts& parts, const std::stop_token& stop);

}  // namespace agent
