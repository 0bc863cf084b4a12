#include "agent/session_part.h"

#include <set>

namespace agent {

std::vector<Event> events_in(const Recorder& recorder, SessionId session, const SessionPart& part) {
  std::vector<Event> events;
  std::set<ActionId> begun;
  for (Event& event : recorder.load_events(session)) {
    const bool is_inside = event.elapsed >= part.from && event.elapsed <= part.until;
    if (event.kind == EventKind::Outcome ? !begun.contains(event.action_id) : !is_inside) continue;
    if (event.kind == EventKind::Intent) begun.insert(event.id);
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace agent
