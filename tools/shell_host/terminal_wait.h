#pragma once
// Who waits for the terminal, as far as /proc tells.

namespace tools::shell_host {

enum class TerminalWait {
  No,
  Reading,  // a foreground process is blocked in a read of the terminal, or sits in a full-screen program's event loop
  Unknown,  // the kernel doesn't let us look at a foreground process
};

// What the foreground processes of the terminal behind `master` are doing.
TerminalWait terminal_wait(int master);

}  // namespace tools::shell_host
