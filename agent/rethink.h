#pragma once
// Asks a model again at every turn of a recorded session, on the frames of then, and compares what it would do with
// what was done: a regression test for models and prompts. Nothing is done.

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/model.h"
#include "agent/recorder.h"

namespace agent {

struct Rethought {
  std::string recorded, now;  // the first call of the turn, or what was said instead
  bool is_same_kind = false;  // the same tool doing the same sort of thing
  bool agrees = false;        // and in the same place, with the same text
  double distance_px = -1;    // between the points; −1: not both have one
};

struct RethinkOptions {
  double near_px = 20;  // points so near agree; those in the recorded widget agree anyway
};

// Calls `each` after each turn.
std::vector<Rethought> rethink(Recorder& recorder, SessionId session, Model& model,
                               const std::vector<tools::ToolSpec>& specs, const RethinkOptions& options,
                               const std::function<void(const Rethought&)>& each, const std::stop_token& stop);

}  // namespace agent
