#include "agent/workbench.h"

#include <fcntl.h>
#include <sys/file.h>

#include <QStandardPaths>
#include <cerrno>
#include <cstring>

#include "agent/error.h"
#include "tools/accessibility_route.h"
#include "tools/clipboard_tool.h"
#include "tools/desktop.h"
#include "tools/desktop_view.h"
#include "tools/edit_journal.h"
#include "tools/file_tools.h"
#include "tools/files.h"
#include "tools/keyboard.h"
#include "tools/launch_tool.h"
#include "tools/pointer.h"
#include "tools/screenshot.h"
#include "tools/second_look.h"
#include "tools/shell.h"
#include "tools/shell_tools.h"
#include "tools/ui_tree_tool.h"
#include "tools/web.h"
#include "tools/windows_tool.h"

namespace agent {
namespace {

std::filesystem::path state_dir(const WorkbenchOptions& options) {
  return options.state_dir.empty() ? default_state_dir() : options.state_dir;
}

std::string label_of(SessionId session) {
  return "session " + std::to_string(session);
}

constexpr const char* kJournalFolder = "edits";

tools::DesktopOptions desktop_options(const WorkbenchOptions& options) {
  tools::DesktopOptions desktop;
  desktop.width_px = options.width_px;
  desktop.height_px = options.height_px;
  if (!options.home_template.empty()) desktop.home_template = options.home_template;
  if (options.is_watched) desktop.view = tools::DesktopOptions::View::Window;
  if (!options.workspace.empty()) desktop.writable = {options.workspace};
  return desktop;
}

// The first folder below `outputs` that no other program holds; `lock` keeps it.
std::filesystem::path claim_folder(const std::filesystem::path& outputs, tools::FileDescriptor& lock) {
  for (int number = 1;; ++number) {
    const std::filesystem::path folder = outputs / std::to_string(number);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Error(folder.string() + " can't be made: " + error.message() + "; check who may write there");
    const std::filesystem::path file = folder / "lock";
    tools::FileDescriptor opened(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (opened && flock(opened.get(), LOCK_EX | LOCK_NB) == 0) {
      lock = std::move(opened);
      return folder;
    }
    if (!opened || errno != EWOULDBLOCK) throw Error(file.string() + ": can't be held: " + std::strerror(errno));
  }
}

}  // namespace

std::filesystem::path default_state_dir() {
  const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
  return std::filesystem::path(data.toStdString()) / "deskhand";
}

SessionEdits undo_session(const SessionSummary& session, UndoMode mode, const std::filesystem::path& state_dir) {
  if (!std::filesystem::is_directory(session.info.workspace)) {
    throw Error("the workspace of session " + std::to_string(session.id) + ", " + session.info.workspace +
                ", is gone: there is nothing to put back");
  }
  const tools::Workspace workspace(session.info.workspace, {});
  tools::EditJournal journal(workspace, state_dir / kJournalFolder);
  journal.recover();
  const tools::EditJournal::LabelUndo undone =
      mode == UndoMode::Check ? journal.check_undo(label_of(session.id)) : journal.undo_label(label_of(session.id));
  return {undone.files, undone.left, undone.problems};
}

Workbench::Workbench(const WorkbenchOptions& options) {
  open_desktop(options);
  workspace_ = options.workspace;
  if (workspace_.empty() && private_desktop_) workspace_ = private_desktop_->home();
  if (workspace_.empty()) throw Error("without a private desktop a session needs a workspace folder: name one");
  if (!std::filesystem::is_directory(workspace_)) {
    throw Error(workspace_.string() + ": is no folder; the workspace must exist");
  }
  workspace_ = std::filesystem::canonical(workspace_);
  if (desktop_) add_desktop_tools();
  add_file_tools(options);
}

Workbench::~Workbench() = default;

void Workbench::enable_second_look(capture::Size crop_px) {
  if (desktop_) second_look_ = std::make_unique<tools::SecondLook>(*desktop_, crop_px);
}

std::optional<tools::ToolResult> Workbench::second_look(const tools::ToolCall& call, const capture::Frame& shown,
                                                        const std::stop_token& stop) {
  return second_look_ ? second_look_->closer(call, shown, stop) : std::nullopt;
}

void Workbench::add_secret(const std::string& name, const std::string& value) {
  if (desktop_) desktop_->add_secret(name, value);
}

void Workbench::on_panic(std::function<void()> listener) {
  if (!desktop_) return;
  desktop_->input().on_interruption([listener = std::move(listener)](tools::Interruption what) {
    if (what == tools::Interruption::Panicked) listener();
  });
}

void Workbench::begin_session(SessionId session) {
  files_->label_changes(label_of(session));
}

void Workbench::open_desktop(const WorkbenchOptions& options) {
  if (options.desktop == WorkbenchOptions::DesktopKind::None) return;
  tools::Desktop::Options desktop{.reads_widgets = true};
  if (options.desktop == WorkbenchOptions::DesktopKind::Private) {
    private_desktop_ = tools::PrivateDesktop::start(desktop_options(options));
    if (!private_desktop_->home_warning().empty()) notices_.push_back(private_desktop_->home_warning());
    desktop.display = private_desktop_->display();
    desktop.is_private = true;
  }
  desktop_ = tools::Desktop::open(desktop);
  for (const std::string& warning : desktop_->input().warnings()) notices_.push_back(warning);
}

void Workbench::add_desktop_tools() {
  const tools::DesktopView view = desktop_->view();
  tools_.add(std::make_unique<tools::ScreenshotTool>(*desktop_, capture::ImageBudget()));
  tools_.add(std::make_unique<tools::WaitTool>(*desktop_));
  tools_.add(std::make_unique<tools::PointerTool>(*desktop_));
  std::map<std::string, std::unique_ptr<tools::TextRoute>> routes;
  routes.emplace("clipboard", std::make_unique<tools::ClipboardRoute>(*desktop_));
  std::unique_ptr<tools::FieldReader> reader;
  if (private_desktop_) {
    const auto tree = std::make_shared<tools::UiTree>(private_desktop_->display());
    routes.emplace("accessibility", std::make_unique<tools::AccessibilityRoute>(desktop_->windows(), tree));
    reader = std::make_unique<tools::FieldReader>(desktop_->windows(), tree);
    tools_.add(std::make_unique<tools::UiTreeTool>(view, tree));
    tools_.add(std::make_unique<tools::LaunchTool>(*private_desktop_, view));
  }
  tools_.add(std::make_unique<tools::KeyboardTool>(*desktop_, std::move(routes), std::move(reader)));
  tools_.add(std::make_unique<tools::WindowsTool>(view));
  tools_.add(std::make_unique<tools::ClipboardTool>(desktop_->clipboard(), desktop_->input_effect()));
}

void Workbench::add_file_tools(const WorkbenchOptions& options) {
  const std::filesystem::path state = state_dir(options);
  const std::filesystem::path outputs = claim_folder(state / "outputs", outputs_lock_);
  tools::ShellOptions shell;
  shell.workspace = workspace_;
  shell.output_folder = outputs;
  shell.confinement = options.confine_shell ? tools::Confinement::Sandbox : tools::Confinement::None;
  shell.network = options.allow_network ? tools::Network::Allowed : tools::Network::Denied;
  if (private_desktop_) shell.environment = private_desktop_->environment();
  tools::FilesOptions files;
  files.workspace = workspace_;
  files.readable = {outputs};
  files.journal = state / kJournalFolder;
  files_ = std::make_shared<tools::Files>(files);
  // The home of a private desktop goes with it: there is nothing to undo.
  const auto kept = options.workspace.empty() ? nullptr : files_;
  for (auto& tool : tools::make_shell_tools(std::make_shared<tools::Shell>(shell), kept)) tools_.add(std::move(tool));
  for (auto& tool : tools::make_file_tools(files_)) tools_.add(std::move(tool));
  if (options.allow_network) tools_.add(tools::make_web_tool({}));
}

}  // namespace agent
