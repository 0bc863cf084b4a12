#include "tools/desktop_home.h"

#include <cstdlib>

#include "capture/error.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& why) {
  throw capture::Error("cannot start a private desktop: " + why);
}

// Of the program's own environment only what says where programs, texts and the network are: no secrets, no session.
Environment inherited_environment() {
  static constexpr const char* kNames[] = {
      "PATH",     "LANG",          "LANGUAGE",        "LC_ALL",         "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC",
      "LC_TIME",  "LC_COLLATE",    "LC_MONETARY",     "LC_PAPER",       "TZ",       "USER",        "LOGNAME",
      "SHELL",    "http_proxy",    "https_proxy",     "ftp_proxy",      "no_proxy", "HTTP_PROXY",  "HTTPS_PROXY",
      "NO_PROXY", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "FONTCONFIG_FILE"};
  Environment environment;
  for (const char* name : kNames)
    if (const char* value = getenv(name)) environment[name] = value;
  environment.try_emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
  // Programs of a C locale could not show or take text beyond ASCII.
  if (!environment.contains("LC_ALL") && !environment.contains("LC_CTYPE")) environment.try_emplace("LANG", "C.UTF-8");
  return environment;
}

}  // namespace

DesktopHome make_desktop_home(const fs::path& directory, const DesktopOptions& options) {
  DesktopHome made{.home = directory / "home", .runtime = directory / "runtime"};
  std::error_code error;
  fs::create_directories(directory / "log", error);
  fs::create_directories(made.runtime, error);
  fs::permissions(made.runtime, fs::perms::owner_all, error);
  fs::create_directories(made.home, error);
  if (options.home_template) {
    fs::copy(*options.home_template, made.home,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks | fs::copy_options::overwrite_existing,
             error);
    if (error) fail("cannot copy the home template " + options.home_template->string() + ": " + error.message());
  }
  for (const char* name : {".config", ".cache", ".local/share", ".local/state", "Desktop", "Documents", "Downloads"})
    if (!error) fs::create_directories(made.home / name, error);
  if (options.link_user_home) {
    const char* user_home = getenv("HOME");
    if (user_home == nullptr) fail("the user's home is wanted on it, but HOME is not set");
    if (!error) fs::create_directory_symlink(user_home, made.home / "user-home", error);
  }
  if (error) fail("cannot make its home " + made.home.string() + ": " + error.message());
  return made;
}

Environment desktop_environment(const DesktopHome& home, const fs::path& directory) {
  Environment environment = inherited_environment();
  const auto set = [&](const char* name, const std::string& value) { environment[name] = value; };
  set("HOME", home.home);
  set("XDG_CONFIG_HOME", home.home / ".config");
  set("XDG_CACHE_HOME", home.home / ".cache");
  set("XDG_DATA_HOME", home.home / ".local/share");
  set("XDG_STATE_HOME", home.home / ".local/state");
  set("XDG_RUNTIME_DIR", home.runtime);
  set("XDG_SESSION_TYPE", "x11");
  set("XAUTHORITY", directory / "Xauthority");
  set("GDK_BACKEND", "x11");
  set("QT_QPA_PLATFORM", "xcb");
  // Makes every toolkit show its widgets on the accessibility bus.
  set("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
  set("QT_ACCESSIBILITY", "1");
  set("GTK_MODULES", "gail:atk-bridge");
  set("ACCESSIBILITY_ENABLED", "1");
  // A FUSE mount in the runtime directory would outlive its server.
  set("GVFS_DISABLE_FUSE", "1");
  return environment;
}

}  // namespace tools
