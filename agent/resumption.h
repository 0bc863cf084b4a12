#pragma once
// What a session needs, beside its transcript, to go on after it was interrupted, or from one of its earlier moments.

#include <string>

#include "agent/model.h"
#include "agent/plan.h"
#include "agent/recorder.h"

namespace agent {

Plan newest_plan(const Recorder& recorder, SessionId session);

struct Resumption {
  std::string old_task;
  std::string new_words;         // of the user; may be empty
  std::string what_happened;     // "The session was interrupted and goes on now."
  bool has_new_desktop = false;  // its programs are closed
};
// What the model is told.
std::string words_to_go_on(const ModelInfo& model, const Resumption& resumption);

}  // namespace agent
