#pragma once
// A desktop of our own beside the user's: an X server with a window manager, a D-Bus session, an accessibility bus and
// a home directory, where programs run that the agent works without touching the user's pointer, windows or settings.

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/desktop_processes.h"

namespace tools {

// As setxkbmap names them. All empty: the X server's own default (us).
struct KeyboardLayout {
  std::string layout = {};   // "de", "us,ru"
  std::string variant = {};  // "nodeadkeys"
  std::string options = {};  // "grp:alt_shift_toggle"
};

struct DesktopOptions {
  enum class View {
    Headless,  // drawn in memory only (Xvfb)
    Window,    // shown in a window on the display that DISPLAY names (Xephyr)
  };
  enum class WindowManager { Openbox, None };

  int width_px = 1280;
  int height_px = 800;
  View view = View::Headless;
  WindowManager window_manager = WindowManager::Openbox;
  std::string title = "Deskhand";  // of the window that shows it
  KeyboardLayout keyboard = {};
  std::optional<std::filesystem::path> home_template = {};  // copied into the fresh home
  // Makes the user's real home reachable in the desktop's home as the link "user-home".
  bool link_user_home = false;
  // Folders of the user's home that the desktop's programs may change. All the rest of it is read-only to them.
  std::vector<std::filesystem::path> writable = {};
  Environment extra_environment = {};  // wins over what the desktop sets
};

// Movable; the destructor ends the desktop with all its programs and removes its files. When this program dies in any
// way the same happens. Any thread may use it; several may live at once.
class PrivateDesktop {
 public:
  // Blocks until programs can be launched (about half a second). Throws capture::Error: what failed, where, what to do.
  static PrivateDesktop start(const DesktopOptions& options = {});
  ~PrivateDesktop();
  PrivateDesktop(PrivateDesktop&&) noexcept;
  PrivateDesktop& operator=(PrivateDesktop&&) noexcept;

  // ":7". Programs of this user may connect without XAUTHORITY, those of others not at all.
  const std::string& display() const;
  // All that a program of this desktop finds in its environment: nothing of ours but paths, language, user and proxies.
  const Environment& environment() const;
  const std::string& session_bus() const;  // D-Bus address
  const std::filesystem::path& home() const;
  // Removed with the desktop.
  const std::filesystem::path& directory() const;
  // Why the user's home could not be made read-only for the programs, and what to do. Empty: it is.
  const std::string& home_warning() const;
  // The X server, the buses and the window manager all run.
  bool is_alive() const;

  // Starts a program with no shell between. Its working directory is the home unless named.
  // Throws capture::Error when it can't be started.
  DesktopProcess launch(std::vector<std::string> argv, const Environment& extra_environment = {},
                        const std::filesystem::path& working_directory = {});

 private:
  struct State;
  explicit PrivateDesktop(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tools
