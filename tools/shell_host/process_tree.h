#pragma once
// Looks at processes through /proc: who descends from whom, and who waits for the terminal.

#include <sys/types.h>

#include <vector>

namespace tools::shell_host {

// Every living process below `root`, without `root` itself. Zombies are left out.
std::vector<pid_t> descendants(pid_t root);

enum class TerminalWait {
  No,
  Reading,  // a foreground process is blocked in a read of the terminal, or sits in a full-screen program's event loop
  Unknown,  // the kernel doesn't let us look at a foreground process
};

// What the foreground processes of the terminal behind `master` are doing.
TerminalWait terminal_wait(int master);

}  // namespace tools::shell_host
