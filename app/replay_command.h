#pragma once
// `deskhand replay`: a session once more, to watch, to be done again, or as a test of a model.

#include "app/command.h"

namespace app {

Command replay_command();

}  // namespace app
