#pragma once
// `deskhand sessions`, `show` and `undo`: what the record holds, and what of it can be taken back.

#include "app/command.h"

namespace app {

Command sessions_command();
Command show_command();
Command undo_command();

}  // namespace app
