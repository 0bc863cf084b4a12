#pragma once
// `deskhand run "task"`: does a task and shows on the terminal, or as JSON lines, what happens.

#include "app/command.h"

namespace app {

Command run_command();

}  // namespace app
