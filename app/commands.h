#pragma once
// All commands of `deskhand`.

#include <span>

#include "app/command.h"

namespace app {

std::span<const Command> commands();  // in the order in which the help lists them

// Does what the words after the program's name say; the exit status.
int run_command_line(const QStringList& words);

}  // namespace app
