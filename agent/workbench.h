#pragma once
// What one session works with: a desktop (its own or the user's), a workspace folder, and the tools for both.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/recorder.h"
#include "tools/file_bytes.h"
#include "tools/private_desktop.h"
#include "tools/tool_registry.h"

namespace tools {
class Desktop;
class Files;
class SecondLook;
}  // namespace tools

namespace agent {

struct WorkbenchOptions {
  enum class DesktopKind {
    Private,  // our own X server: the user's pointer stays the user's
    Mine,     // the user's desktop ($DISPLAY)
    None,     // files and shell only
  };
  DesktopKind desktop = DesktopKind::Private;
  bool is_watched = false;                   // show the private desktop in a window
  int width_px = 1280, height_px = 720;      // of the private desktop
  std::filesystem::path home_template = {};  // copied into the private desktop's fresh home; empty: nothing
  std::filesystem::path workspace = {};      // empty: the private desktop's home
  std::filesystem::path state_dir = {};      // journals and outputs; empty: under XDG data
  bool allow_network = false;                // for shell commands and the web tool
  bool confine_shell = true;                 // by bubblewrap
};

// Where Deskhand keeps its own: under XDG data.
std::filesystem::path default_state_dir();

// The changes to files that a session made, in the journal of the workspace, which is below `state_dir`.
struct SessionEdits {
  std::vector<std::string> files;     // names in the workspace
  std::vector<std::string> left;      // that a command changed and somebody else since: they stay
  std::vector<std::string> problems;  // why they can't be taken back; nothing was touched then
};
enum class UndoMode { Check, Undo };
SessionEdits undo_session(const SessionSummary& session, UndoMode mode, const std::filesystem::path& state_dir);

// Owns all of it; the tools live as long. Used from the agent thread.
class Workbench {
 public:
  // Throws the error of whatever can't be started: what, where, what to do.
  explicit Workbench(const WorkbenchOptions& options);
  ~Workbench();

  tools::ToolRegistry& tools() { return tools_; }
  bool has_desktop() const { return desktop_ != nullptr; }
  tools::PrivateDesktop* private_desktop() { return private_desktop_ ? &*private_desktop_ : nullptr; }
  tools::Desktop* desktop() { return desktop_.get(); }  // null: it has none
  const std::filesystem::path& workspace() const { return workspace_; }
  // What the user should know about it: what can't be protected, what works badly on this desktop.
  const std::vector<std::string>& notices() const { return notices_; }
  // What is done to files belongs to this session from now on: `undo` can take it back.
  void begin_session(SessionId session);

  // A closer look at a small target before it is clicked, as Agent asks for; `crop_px`: size of that picture.
  void enable_second_look(capture::Size crop_px);
  std::optional<tools::ToolResult> second_look(const tools::ToolCall& call, const capture::Frame& shown,
                                               const std::stop_token& stop);
  // {{name}} in typed text stands for the value from now on.
  void add_secret(const std::string& name, const std::string& value);
  // Called, from another thread, when a human presses the panic keys on the desktop.
  void on_panic(std::function<void()> listener);

 private:
  void open_desktop(const WorkbenchOptions& options);
  void add_desktop_tools();
  void add_file_tools(const WorkbenchOptions& options);

  std::optional<tools::PrivateDesktop> private_desktop_;
  std::unique_ptr<tools::Desktop> desktop_;
  std::unique_ptr<tools::SecondLook> second_look_;
  std::filesystem::path workspace_;
  std::vector<std::string> notices_;
  tools::FileDescriptor outputs_lock_;  // programs that run at once keep their commands' outputs apart
  std::shared_ptr<tools::Files> files_;
  tools::ToolRegistry tools_;  // last: its tools use what is above
};

}  // namespace agent
