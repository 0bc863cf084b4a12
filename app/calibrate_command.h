#pragma once
// `deskhand calibrate`: measures how a model writes points, on the buttons of a real program, and keeps the result.

#include "app/command.h"

namespace app {

Command calibrate_command();

}  // namespace app
