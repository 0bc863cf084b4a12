#include "app/doctor_checks.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>

#include "agent/recorder.h"
#include "agent/workbench.h"
#include "app/model_choice.h"
#include "capture/x11_source.h"
#include "tools/shell.h"
#include "tools/ui_tree.h"
#include "tools/x11_input.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using State = Finding::State;

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_installed(const char* program) {
  return !QStandardPaths::findExecutable(program).isEmpty();
}

// The check's own finding, or what it broke with. `remedy` is for what the check gives none for.
Finding attempt(const std::string& name, bool is_essential, const std::string& remedy,
                const std::function<Finding()>& check) {
  Finding finding;
  try {
    finding = check();
  } catch (const std::exception& error) {
    finding = {.state = State::Broken, .what = error.what()};
  }
  if (finding.state != State::Works && finding.remedy.empty()) finding.remedy = remedy;
  finding.name = name;
  finding.is_essential = is_essential;
  return finding;
}

Finding user_display() {
  const std::string display = variable("DISPLAY");
  const bool is_wayland = *variable("WAYLAND_DISPLAY") != '\0';
  if (display.empty()) {
    return {.state = State::Limited,
            .what = is_wayland ? "a Wayland session without X11" : "no display here",
            .remedy = "private desktops work all the same; --desktop mine needs an X11 session"};
  }
  const auto source = capture::X11Source::open({.display = display});
  const capture::Grab grab = source->grab({});
  if (!grab) return {.state = State::Broken, .what = grab.error, .remedy = "log in to an X11 session"};
  const std::string size = grab.frame->screen_map.describe();
  if (is_wayland) {
    return {.state = State::Limited,
            .what = "X11 programs of a Wayland session (" + display + ", " + size + ")",
            .remedy = "only X11 windows can be seen and worked; log in to an X11 session for --desktop mine"};
  }
  return {.what = "X11 display " + display + ", " + size};
}

Finding user_input() {
  const std::string display = variable("DISPLAY");
  if (display.empty()) return {.state = State::Limited, .what = "no display to try it on"};
  const auto input = tools::X11Input::open({.display = display});
  std::string warnings;
  for (const std::string& warning : input->warnings()) warnings += (warnings.empty() ? "" : " ") + warning;
  if (!warnings.empty()) {
    return {.state = State::Limited,
            .what = warnings,
            .remedy = "work on a private desktop, which has a window manager and no input method"};
  }
  return {.what = "the input helper works " + display + " through XTest"};
}

// A whole private desktop with its eyes, hands and widgets.
void examine_private_desktop(std::vector<Finding>& findings) {
  constexpr const char* kPackages = "install xvfb, xauth, openbox, dbus, dbus-x11, at-spi2-core and x11-xkb-utils";
  const QTemporaryDir state;  // whether Deskhand's own folder can be written is another check's finding
  std::unique_ptr<agent::Workbench> bench;
  findings.push_back(attempt("private desktop", true, kPackages, [&]() -> Finding {
    agent::WorkbenchOptions options;
    options.state_dir = state.path().toStdString();
    options.width_px = 640;
    options.height_px = 480;
    bench = std::make_unique<agent::Workbench>(options);
    const tools::ToolResult look = bench->tools().run({"", "screenshot", nlohmann::json::object()}, {});
    if (!look.ok) return {.state = State::Broken, .what = look.text, .remedy = kPackages};
    const tools::ToolResult key = bench->tools().run({"", "keyboard", {{"action", "key"}, {"keys", "Escape"}}}, {});
    if (!key.ok) return {.state = State::Broken, .what = key.text, .remedy = kPackages};
    return {.what = "starts, is seen, and takes keys (" + bench->private_desktop()->display() + ")"};
  }));
  if (!bench) return;
  findings.push_back(attempt("widgets (AT-SPI)", false, "install at-spi2-core and libatk-adaptor", [&]() -> Finding {
    const tools::UiTree tree(bench->private_desktop()->display());
    return {.what = "the accessibility bus of a private desktop answers"};
  }));
  findings.push_back(
      attempt("sandboxed shell", true, "install bubblewrap, and allow user namespaces", [&]() -> Finding {
        const tools::ToolResult result = bench->tools().run({"", "shell", {{"command", "echo works"}}}, {});
        const bool works = result.ok && result.text.find("works") != std::string::npos;
        if (works) return {.what = "a command ran in bubblewrap"};
        return {.state = State::Broken, .what = result.text, .remedy = "install bubblewrap, and allow user namespaces"};
      }));
}

Finding programs() {
  std::string missing;
  for (const char* program : {"mousepad", "mate-calc", "Xephyr", "rg"}) {
    if (!is_installed(program)) missing += (missing.empty() ? "" : ", ") + std::string(program);
  }
  if (missing.empty()) return {.what = "mousepad, mate-calc, Xephyr and ripgrep are there"};
  return {
      .state = State::Limited,
      .what = "missing: " + missing,
      .remedy = "install mousepad, mate-calc (demonstration, calibrate), xserver-xephyr (--watch), ripgrep (search)"};
}

Finding gpu() {
  const bool has_driver = fs::exists("/dev/nvidia0") || fs::exists("/dev/nvidiactl");
  const fs::path program_dir = fs::read_symlink("/proc/self/exe").parent_path();
  bool has_kernels = false;
  for (const fs::path& folder : {program_dir, program_dir.parent_path() / "lib"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      has_kernels = has_kernels || entry.path().filename().string().find("deskhand_cuda") != std::string::npos;
    }
  }
  if (!has_driver) {
    return {.state = State::Limited,
            .what = "no NVIDIA GPU: models run on the processor",
            .remedy = "the small model needs none; for MiniMax-M3 use a GPU, or a server by --model http://…"};
  }
  if (!has_kernels) {
    return {.state = State::Limited,
            .what = "an NVIDIA GPU, but Deskhand was built without CUDA",
            .remedy = "install the CUDA toolkit (nvcc) and build again"};
  }
  return {.what = "an NVIDIA GPU and the kernels for it"};
}

Finding small_model() {
  const auto model = load_model("");
  return {.what = model->info().name + " loads from " + model_folder("").string()};
}

Finding portal() {
  const QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) {
    return {.state = State::Limited, .what = "no D-Bus session", .remedy = "only needed for Wayland desktops"};
  }
  if (!bus.interface()->isServiceRegistered("org.freedesktop.portal.Desktop")) {
    return {.state = State::Limited,
            .what = "no desktop portal runs",
            .remedy = "only needed for Wayland desktops: install xdg-desktop-portal"};
  }
  return {.what = "a desktop portal runs"};
}

Finding record() {
  const auto recorder = agent::Recorder::open(agent::Recorder::default_path());
  const std::string path = agent::Recorder::default_path().string();
  if (!recorder->notice().empty()) return {.state = State::Limited, .what = recorder->notice()};
  return {.what = path + " can be read and written"};
}

Finding disk() {
  constexpr double kEnough_gib = 1;
  const std::string folder = agent::Recorder::default_path().parent_path().string();
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) {
    return {.state = State::Broken, .what = folder + " can't be looked at", .remedy = "make it a folder of yours"};
  }
  const double free_gib = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize) / (1 << 30);
  char text[64];
  std::snprintf(text, sizeof(text), "%.1f GiB free in ", free_gib);
  if (free_gib >= kEnough_gib) return {.what = text + folder};
  return {.state = State::Limited, .what = text + folder, .remedy = "free some: sessions record what was seen"};
}

Finding keyring() {
  if (is_installed("secret-tool")) return {.what = "secret-tool is there for keys and passwords"};
  return {.state = State::Limited,
          .what = "no secret-tool: keys and passwords come from files (mode 0600) or the environment",
          .remedy = "install libsecret-tools to keep them in the keyring"};
}

}  // namespace

std::vector<Finding> examine_machine() {
  std::vector<Finding> findings;
  findings.push_back(attempt("your display", false, "log in to an X11 session for --desktop mine", user_display));
  findings.push_back(attempt("input on it", false, "log in to an X11 session for --desktop mine", user_input));
  examine_private_desktop(findings);
  findings.push_back(attempt("programs", false, "see the message", programs));
  findings.push_back(attempt("small model", true, "install Deskhand again", small_model));
  findings.push_back(attempt("GPU", false, "see the message", gpu));
  findings.push_back(attempt("record", true, "see the message", record));
  findings.push_back(attempt("disk", true, "free some space", disk));
  findings.push_back(attempt("portal", false, "see the message", portal));
  findings.push_back(attempt("keyring", false, "see the message", keyring));
  return findings;
}

}  // namespace app
