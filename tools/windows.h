#pragma once
// The windows of an X desktop, as its window manager tells them (EWMH): what there is, who owns it, and moving, raising
// and closing it with the result checked. A window may vanish at any moment; that is an outcome, never a crash.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "capture/x11_connection.h"
#include "tools/tool.h"
#include "tools/x11_atoms.h"

namespace tools {

using WindowId = uint32_t;

struct Window {
  WindowId id = 0;
  std::string title;       // UTF-8
  std::string class_name;  // of WM_CLASS, for example "Mousepad"
  std::string type;        // normal, dialog, menu, …: the last word of its _NET_WM_WINDOW_TYPE
  pid_t pid = 0;           // 0: unknown. As the X server knows it, not as the program claims, where the server tells
  std::string process_name;
  Rect frame;           // with the window manager's decorations and without the program's own shadow; desktop points
  Rect client;          // the program's own area
  int desktop = 0;      // −1: on all
  WindowId parent = 0;  // the window that this one belongs to (a dialog's owner), 0: none
  std::vector<std::string> states;  // minimized, maximized, fullscreen, above, below, modal, shaded, attention, …
  bool is_active = false;
  bool is_mapped = false;  // false: minimized, on another desktop or not shown yet
  bool is_managed = true;  // false: menus, tooltips and the like, which the window manager leaves alone

  bool has_state(std::string_view state) const;
};

// Nothing: done and seen to be done. Else what came out differently, for the model.
using WindowProblem = std::optional<std::string>;

// Any thread.
class Windows {
 public:
  // Empty: the display that DISPLAY names. Throws capture::Error that says why it can't be reached.
  static Windows open(const std::string& display = "");

  bool has_window_manager() const;
  // Managed windows, topmost first. Without a window manager: the mapped windows of the desktop.
  std::vector<Window> list() const;
  std::optional<Window> find(WindowId id) const;
  std::optional<Window> active() const;
  // The window that the user sees at this desktop point, menus and popups included.
  std::optional<Window> at(int x_pt, int y_pt) const;

  // Waits until a window fits, is mapped and has come to rest where the window manager wants it. None: the time passed
  // or stop was asked for.
  std::optional<Window> wait_for(const std::function<bool(const Window&)>& fits, std::chrono::milliseconds limit,
                                 std::stop_token stop = {}) const;

  // Raises, un-minimizes and focuses it, and waits until it is the active window.
  WindowProblem activate(WindowId id, std::chrono::milliseconds limit = std::chrono::seconds(2)) const;
  // Sets the outer frame. Maximized windows are restored first.
  WindowProblem move_resize(WindowId id, Rect frame, std::chrono::milliseconds limit = std::chrono::seconds(2)) const;
  // Asks the program to close it, as its close button would, and waits until it is gone.
  WindowProblem close(WindowId id, std::chrono::milliseconds limit = std::chrono::seconds(3)) const;
  WindowProblem minimize(WindowId id, std::chrono::milliseconds limit = std::chrono::seconds(2)) const;
  WindowProblem set_maximized(WindowId id, bool maximized,
                              std::chrono::milliseconds limit = std::chrono::seconds(2)) const;

 private:
  explicit Windows(std::shared_ptr<capture::X11Connection> connection);
  std::vector<WindowId> managed_ids() const;  // bottom to top
  std::vector<Window> describe(const std::vector<WindowId>& ids) const;
  void send_to_root(WindowId id, std::string_view message, const std::vector<uint32_t>& data) const;
  WindowProblem problem_with_target(WindowId id, const char* action) const;
  // The window once its frame is as wanted, or has changed and then kept still; none: it vanished.
  std::optional<Window> frame_at_rest(const Window& before, const Rect& wanted, std::chrono::milliseconds limit) const;
  bool wait_until(const std::function<bool()>& condition, std::chrono::milliseconds limit,
                  std::stop_token stop = {}) const;

  std::shared_ptr<capture::X11Connection> connection_;
  std::shared_ptr<X11Atoms> atoms_;
};

// Whether the window belongs to a program of the session that this process leads (a launched program and its helpers).
bool belongs_to_session(const Window& window, pid_t session);

// Why no tool may click or type into this window: consent dialogs (portals, polkit), keyrings, passphrase prompts and
// Deskhand's own windows decide about the agent and are the user's alone. None: allowed.
std::optional<std::string> protection_of(const Window& window);

}  // namespace tools
