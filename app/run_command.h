#pragma once
// `deskhand run "task"`: does a task and shows on the terminal, or as JSON lines, what happens.

#include <QStringList>

namespace app {

// Returns the exit status: 0 done, 3 gave up, 4 stuck, 5 refused, 130 stopped, 1 failed, 2 wrong usage.
int run_command(const QStringList& arguments);

}  // namespace app
