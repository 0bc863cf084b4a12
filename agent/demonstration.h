#pragma once
// Records what the user does on a desktop, as a session that can be replayed like the agent's own.

#include <functional>
#include <stop_token>
#include <string>

#include "agent/recorder.h"
#include "tools/hand_actions.h"

namespace tools {
class Desktop;
}

namespace agent {

struct DemonstrationParts {
  Recorder& recorder;
  SessionId session;
  tools::Desktop& desktop;
  std::string display;            // of that desktop; empty: $DISPLAY
  std::uint32_t stop_keysym = 0;  // ends it and isn't recorded; 0: none
  std::function<void()> ready;    // it listens from now on
  std::function<void(const tools::ToolCall&)> recorded;
};

// Listens until the stop key or `stop`. How many actions were recorded.
int record_demonstration(const DemonstrationParts& parts, const std::stop_token& stop);

}  // namespace agent
