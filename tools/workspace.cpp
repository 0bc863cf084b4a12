#include "tools/workspace.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "capture/error.h"
#include "tools/text_lines.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

// Opens `relative` below `folder` without following any link: what was resolved is what is opened.
int open_beneath(const fs::path& folder, const fs::path& relative, int flags, mode_t mode) {
  const int base = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (base < 0) return -1;
  open_how how{};
  how.flags = static_cast<__u64>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const int fd =
      static_cast<int>(syscall(SYS_openat2, base, relative.empty() ? "." : relative.c_str(), &how, sizeof how));
  const int error = errno;
  close(base);
  errno = error;
  return fd;
}

}  // namespace

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

const int Workspace::kFolder = O_PATH | O_DIRECTORY;

Workspace::Workspace(const fs::path& root, std::vector<fs::path> readable) {
  std::error_code missing;
  root_ = fs::canonical(root, missing);
  if (missing || !fs::is_directory(root_, missing))
    throw capture::Error("the workspace " + root.string() + " isn't a folder that can be opened; choose another");
  for (const fs::path& folder : readable) {
    std::error_code error;
    fs::path real = fs::canonical(folder, error);
    if (!error) readable_.push_back(std::move(real));
  }
}

Workspace::~Workspace() = default;

std::variant<fs::path, Workspace::Refusal> Workspace::resolve(const std::string& path, Use use) const {
  if (path.empty() || path.find('\0') != std::string::npos) return Refusal{"the path is empty or contains a NUL byte"};
  std::error_code error;
  const fs::path whole = root_ / path;  // an absolute path replaces the root
  fs::path real = fs::weakly_canonical(whole, error);
  if (error) return Refusal{path + " can't be resolved: " + error.message()};
  if (!real.has_filename()) real = real.parent_path();  // "new/" and the like
  if (!is_utf8(real.native())) return Refusal{path + " leads to a name that isn't UTF-8"};
  // A broken link resolves to itself; whatever it points to, nothing may be made through it.
  if (fs::is_symlink(fs::symlink_status(real, error)))
    return Refusal{path + " is a link to something that doesn't exist"};
  if (is_below(real, root_)) {
    const fs::path inside = real.lexically_relative(root_);
    if (use == Use::Write && std::find(inside.begin(), inside.end(), ".git") != inside.end())
      return Refusal{path + " lies in .git, which only git may change; use the shell's git"};
    return real;
  }
  const bool is_readable =
      std::any_of(readable_.begin(), readable_.end(), [&](const fs::path& folder) { return is_below(real, folder); });
  if (use == Use::Read && is_readable) return real;
  return Refusal{path + " lies outside the workspace " + root_.string() +
                 (real == whole ? "" : " (it leads to " + real.string() + ")")};
}

bool Workspace::contains(const std::string& path) const {
  const auto resolved = resolve(path, Use::Read);
  return std::holds_alternative<fs::path>(resolved) && is_below(std::get<fs::path>(resolved), root_);
}

int Workspace::open(const fs::path& resolved, int flags, mode_t mode) const {
  if (is_below(resolved, root_)) return open_beneath(root_, resolved.lexically_relative(root_), flags, mode);
  for (const fs::path& folder : readable_)
    if (is_below(resolved, folder)) return open_beneath(folder, resolved.lexically_relative(folder), flags, mode);
  errno = EACCES;
  return -1;
}

std::string Workspace::name(const fs::path& resolved) const {
  return is_below(resolved, root_) && resolved != root_ ? resolved.lexically_relative(root_).string()
                                                        : resolved.string();
}

}  // namespace tools
