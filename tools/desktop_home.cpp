#include "tools/desktop_home.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "capture/error.h"
#include "tools/workspace.h"

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

// Where the user's files are: as the environment and as the system say, which differ under sudo.
std::vector<fs::path> user_homes() {
  std::vector<fs::path> homes;
  const passwd* entry = getpwuid(getuid());
  for (const char* name :
       {static_cast<const char*>(getenv("HOME")), entry ? static_cast<const char*>(entry->pw_dir) : nullptr}) {
    std::error_code error;
    const fs::path home = name ? fs::canonical(name, error) : fs::path();
    if (home.empty() || error || !fs::is_directory(home, error)) continue;
    if (std::find(homes.begin(), homes.end(), home) == homes.end()) homes.push_back(home);
  }
  return homes;
}

// Without its pipes, sockets and devices: every home has some, and they hold nothing. Throws filesystem_error.
void copy_folder(const fs::path& from, const fs::path& to) {
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const fs::path target = to / entry.path().filename();
    if (entry.is_symlink()) {
      fs::copy_symlink(entry.path(), target);
    } else if (entry.is_directory()) {
      fs::create_directory(target, entry.path());
      copy_folder(entry.path(), target);
    } else if (entry.is_regular_file()) {
      fs::copy_file(entry.path(), target, fs::copy_options::overwrite_existing);
    }
  }
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
    try {
      copy_folder(*options.home_template, made.home);
    } catch (const fs::filesystem_error& problem) {
      fail("cannot copy " + problem.path1().string() + " of the home template: " + problem.code().message());
    }
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

std::string guard_user_home(DesktopSupervisor& supervisor, const std::vector<fs::path>& writable) {
  const std::vector<fs::path> homes = user_homes();
  const std::string what_if_not = "programs on the private desktop can change files in your home, because ";
  if (std::find(homes.begin(), homes.end(), "/") != homes.end()) return what_if_not + "that is / itself";
  std::vector<fs::path> open = writable;
  open.push_back(supervisor.directory());  // the desktop's own home, should TMPDIR lie in the user's
  nlohmann::json read_only = nlohmann::json::array(), kept = nlohmann::json::array();
  for (const fs::path& home : homes) read_only.push_back(home.string());
  for (const fs::path& folder : open) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    const auto holds_it = [&](const fs::path& home) { return is_below(real, home); };
    if (!error && std::any_of(homes.begin(), homes.end(), holds_it)) kept.push_back(real.string());
  }
  const nlohmann::json answer = supervisor.ask({{"do", "guard"}, {"homes", read_only}, {"writable", kept}});
  if (!answer.contains("error")) return "";
  return what_if_not + "the kernel refuses to make it read-only for them (" + answer["error"].get<std::string>() +
         "). An administrator can allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, on Ubuntu "
         "kernel.apparmor_restrict_unprivileged_userns=0, in a container its security profile)";
}

}  // namespace tools
