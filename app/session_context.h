#pragma once
// What a model bore in mind when its session ended, kept so that going on needs no reading anew. It is only a help:
// without it the model reads the transcript again.

#include "agent/model.h"
#include "agent/recorder.h"

namespace app {

// Keeps it for a session that may go on; only the newest few are kept.
void keep_context(const agent::Model& model, agent::SessionId session);
// Into a model that was just loaded. What can't be used, because the model is another one now, is left out.
void take_up_context(agent::Model& model, agent::SessionId session);

}  // namespace app
