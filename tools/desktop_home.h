#pragma once
// The home directory of a private desktop and what its programs find in their environment.

#include <filesystem>

#include "tools/private_desktop.h"

namespace tools {

struct DesktopHome {
  std::filesystem::path home, runtime;  // HOME and XDG_RUNTIME_DIR
};

// A fresh home in the desktop's directory, from the template if there is one. Throws capture::Error.
DesktopHome make_desktop_home(const std::filesystem::path& directory, const DesktopOptions& options);

// All but DISPLAY and DBUS_SESSION_BUS_ADDRESS, which are known when their servers run.
Environment desktop_environment(const DesktopHome& home, const std::filesystem::path& directory);

// Has the supervisor make the user's home read-only, but for `writable`, for whatever it launches from now on. Returns
// why it can't, as DesktopOptions tells; empty: done.
std::string guard_user_home(DesktopSupervisor& supervisor, const std::vector<std::filesystem::path>& writable);

}  // namespace tools
