#pragma once
// `deskhand` without a verb.

namespace app {

// Opens the window; returns the exit status when it is closed. Without a display it says so, and what to do.
int open_window(int& argc, char** argv);

}  // namespace app
