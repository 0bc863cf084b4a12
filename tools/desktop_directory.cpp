#include "tools/desktop_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "capture/error.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail(const std::string& what, const fs::path& where) {
  throw capture::Error("cannot start a private desktop: " + what + " " + where.string() + ": " + strerror(errno) +
                       "; check that the temporary directory is writable and not full");
}

// The user's own folder for all desktops: nobody else may own or read it.
fs::path base_directory() {
  fs::path base = fs::temp_directory_path() / ("deskhand-" + std::to_string(getuid()));
  if (mkdir(base.c_str(), 0700) != 0 && errno != EEXIST) fail("cannot make the directory", base);
  struct stat info = {};
  if (lstat(base.c_str(), &info) != 0) fail("cannot look at the directory", base);
  if (!S_ISDIR(info.st_mode) || info.st_uid != getuid() || (info.st_mode & 0077) != 0)
    throw capture::Error("cannot start a private desktop: " + base.string() +
                         " is not a directory that belongs to this user alone; remove it or run chmod 700 on it");
  return base;
}

void remove_content(int parent_fd, const char* name, dev_t device) {
  struct stat info = {};
  if (fstatat(parent_fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || info.st_dev != device) return;
  if (!S_ISDIR(info.st_mode)) {
    unlinkat(parent_fd, name, 0);
    return;
  }
  fchmodat(parent_fd, name, 0700, 0);
  const int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  DIR* entries = fdopendir(fd);
  if (entries == nullptr) {
    close(fd);
    return;
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(entries))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) names.emplace_back(entry->d_name);
  for (const std::string& child : names) remove_content(fd, child.c_str(), device);
  closedir(entries);
  unlinkat(parent_fd, name, AT_REMOVEDIR);
}

void remove_abandoned(const fs::path& base) {
  for (const fs::directory_entry& entry : fs::directory_iterator(base)) {
    const Fd lock(open((entry.path() / "lock").c_str(), O_RDWR | O_CLOEXEC));
    if (lock.get() < 0 && errno != ENOENT && errno != ENOTDIR) continue;  // unknown is not abandoned
    if (lock.get() >= 0 && flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
    remove_desktop_directory(entry.path());
  }
}

}  // namespace

void remove_desktop_directory(const fs::path& path) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) == 0) remove_content(AT_FDCWD, path.c_str(), info.st_dev);
}

DesktopDirectory create_desktop_directory() {
  const fs::path base = base_directory();
  // One at a time, so that nobody mistakes a directory whose lock is still to come for an abandoned one.
  const Fd guard(open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (guard.get() < 0 || flock(guard.get(), LOCK_EX) != 0) fail("cannot lock the directory", base);
  remove_abandoned(base);
  std::string name = (base / "XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) fail("cannot make a directory in", base);
  DesktopDirectory made{.path = name, .lock_fd = -1};
  made.lock_fd = open((made.path / "lock").c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made.lock_fd < 0 || flock(made.lock_fd, LOCK_EX) != 0) fail("cannot lock", made.path);
  return made;
}

}  // namespace tools
