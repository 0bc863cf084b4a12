#pragma once
// Where a private desktop keeps its files: a directory of its own, locked as long as the desktop lives, so that what a
// crash left behind is recognised and removed when the next desktop starts.

#include <filesystem>
#include <optional>

namespace tools {

// DIRECTORY/{home,runtime,log,…}, mode 0700, in a folder of this user's under the system's temporary directory.
struct DesktopDirectory {
  std::filesystem::path path;
  int lock_fd = -1;  // holds the lock, close-on-exec; whoever inherits it holds the lock too
};

// Makes a new one after removing those whose owner died. Throws capture::Error.
DesktopDirectory create_desktop_directory();

// Removes the directory with all it holds; links are not followed and other file systems not entered.
void remove_desktop_directory(const std::filesystem::path& path);

}  // namespace tools
