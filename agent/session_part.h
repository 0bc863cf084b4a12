#pragma once
// A part of a session, cut out by its running time.

#include <chrono>
#include <vector>

#include "agent/recorder.h"

namespace agent {

struct SessionPart {
  std::chrono::microseconds from{0}, until{std::chrono::microseconds::max()};
  bool is_whole() const { return from.count() <= 0 && until == std::chrono::microseconds::max(); }
};

// What happened in it, in order. An action belongs to where it was begun: what came of it comes along, also when it
// ended later.
std::vector<Event> events_in(const Recorder& recorder, SessionId session, const SessionPart& part);

}  // namespace agent
