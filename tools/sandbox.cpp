#include "tools/sandbox.h"

#include <unistd.h>

#include <fstream>
#include <optional>

#include "tools/workspace.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_bwrap(const fs::path& given) {
  std::vector<fs::path> programs = {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"};
  if (!given.empty()) programs = {given};
  for (const fs::path& program : programs)
    if (access(program.c_str(), X_OK) == 0) return program;
  return std::nullopt;
}

std::optional<std::string> problem_with_root(const fs::path& root) {
  std::error_code error;
  if (!root.is_absolute()) return "the writable folder " + root.string() + " isn't an absolute path";
  for (const fs::path& part : root)
    if (part == "..") return "the writable folder " + root.string() + " contains \"..\"; give its plain path";
  if (!fs::exists(root, error)) return "the writable folder " + root.string() + " doesn't exist; create it first";
  if (!fs::is_directory(root, error)) return "the writable folder " + root.string() + " isn't a folder";
  if (fs::canonical(root, error) == "/") return "the writable folder can't be / itself; choose a project's folder";
  return std::nullopt;
}

class Arguments {
 public:
  void add(std::initializer_list<std::string> words) { words_.insert(words_.end(), words); }
  void bind(const char* kind, const fs::path& path) { add({kind, path.string(), path.string()}); }
  std::vector<std::string> take() { return std::move(words_); }

 private:
  std::vector<std::string> words_;
};

// Git runs programs named in its config and hooks, and the user runs git outside the sandbox. The folder itself is made
// a mount point, so it can't be renamed away and replaced.
void protect_git_folder(Arguments& arguments, const fs::path& git) {
  std::error_code error;
  if (!fs::exists(git / "HEAD", error)) return;
  fs::create_directory(git / "hooks", error);
  arguments.bind("--bind", git);
  for (const char* name : {"config", "config.worktree", "hooks"})
    if (fs::exists(git / name, error)) arguments.bind("--ro-bind", git / name);
}

// `.git` may be a folder, a file that names one (worktrees, submodules), or a link to either, whole or broken.
void protect_git(Arguments& arguments, const fs::path& root) {
  std::error_code error;
  const fs::path git = root / ".git";
  const fs::path resolved = fs::canonical(git, error);
  if (error) return;
  fs::path folder = resolved;
  if (fs::is_regular_file(resolved, error)) {
    std::string word, target;
    std::ifstream file(resolved);
    file >> word >> std::ws;
    std::getline(file, target);
    if (word != "gitdir:") return;
    if (!fs::is_symlink(git, error)) arguments.bind("--ro-bind", git);
    folder = fs::canonical(resolved.parent_path() / target, error);
    if (error) return;
  }
  // Outside the workspace it is read-only as all the rest.
  if (is_below(folder, root)) protect_git_folder(arguments, folder);
}

void hide(Arguments& arguments, const fs::path& path) {
  std::error_code error;
  const fs::path resolved = fs::canonical(path, error);
  if (error) return;
  if (fs::is_directory(resolved, error)) {
    arguments.add({"--tmpfs", resolved.string(), "--remount-ro", resolved.string()});
  } else {
    arguments.add({"--ro-bind", "/dev/null", resolved.string()});
  }
}

void allow_network(Arguments& arguments) {
  arguments.add({"--share-net"});
  // The resolver's file often lives below /run, which is hidden.
  std::error_code error;
  const fs::path resolver = fs::canonical("/etc/resolv.conf", error);
  if (!error && is_below(resolver, "/run")) arguments.bind("--ro-bind", resolver);
}

}  // namespace

std::vector<fs::path> private_paths(const fs::path& home) {
  std::vector<fs::path> paths;
  for (const char* name :
       {".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".pgpass", ".git-credentials",
        ".config/gcloud", ".config/gh", ".config/deskhand", ".local/share/keyrings", ".local/share/kwalletd",
        ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".password-store"})
    paths.push_back(home / name);
  return paths;
}

std::variant<std::vector<std::string>, SandboxRefusal> sandbox_command(const SandboxPolicy& policy,
                                                                       const std::vector<std::string>& command) {
  const auto bwrap = find_bwrap(policy.bwrap);
  if (!bwrap)
    return SandboxRefusal{"bubblewrap isn't installed; install it (apt install bubblewrap) or turn the sandbox off"};
  for (const fs::path& root : policy.writable)
    if (const auto problem = problem_with_root(root)) return SandboxRefusal{*problem};

  Arguments arguments;
  arguments.add({bwrap->string(), "--unshare-all", "--unshare-user", "--disable-userns", "--as-pid-1", "--cap-drop",
                 "ALL", "--clearenv", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"});
  if (policy.network == Network::Allowed) allow_network(arguments);
  arguments.add({"--bind", policy.scratch.string(), "/tmp"});
  for (const fs::path& root : policy.writable) arguments.bind("--bind", fs::canonical(root));
  for (const fs::path& root : policy.writable) protect_git(arguments, fs::canonical(root));
  for (const fs::path& path : policy.hidden) hide(arguments, path);
  // The host program may lie in a hidden or writable place.
  arguments.bind("--ro-bind", command.front());
  arguments.add({"--"});
  std::vector<std::string> words = arguments.take();
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::string explain_sandbox_failure(const std::string& bwrap_errors) {
  std::string text = "the sandbox can't start: ";
  text += bwrap_errors.empty() ? std::string("bubblewrap ended without a word") : bwrap_errors;
  while (text.ends_with('\n')) text.pop_back();
  if (bwrap_errors.find("namespace") != std::string::npos || bwrap_errors.find("ermission") != std::string::npos ||
      bwrap_errors.find("ermitted") != std::string::npos || bwrap_errors.find("uid map") != std::string::npos) {
    text +=
        ". The kernel refuses user namespaces here. An administrator can allow them (sysctl "
        "kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0, in a container "
        "its security profile), or turn the sandbox off in the settings";
  }
  return text;
}

}  // namespace tools
