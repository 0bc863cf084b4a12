#include "agent/resumption.h"

namespace agent {

Plan newest_plan(const Recorder& recorder, SessionId session) {
  Plan plan;
  for (const Event& event : recorder.load_events(session)) {
    if (event.kind == EventKind::Plan) static_cast<void>(plan.replace({{"steps", event.body}}));
  }
  return plan;
}

std::string words_to_go_on(const ModelInfo& model, const Resumption& resumption) {
  if (model.speaks_short_calls) return resumption.new_words.empty() ? resumption.old_task : resumption.new_words;
  std::string words = resumption.what_happened;
  if (resumption.has_new_desktop) words += " The desktop is a new one: programs that were open are closed.";
  if (!resumption.new_words.empty()) words += "\n" + resumption.new_words;
  return words;
}

}  // namespace agent
