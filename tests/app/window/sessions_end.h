#pragma once
// Pages that are closed end their sessions without waiting for that: a test waits before what they use goes.

#include "app/window/agent_bridge.h"

namespace app_test {

struct SessionsEnd {
  SessionsEnd() = default;
  ~SessionsEnd() { app::AgentBridge::finish_all(); }
  SessionsEnd(const SessionsEnd&) = delete;
  SessionsEnd& operator=(const SessionsEnd&) = delete;
};

}  // namespace app_test
