#include "tools/desktop_supervisor/home_guard.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace desktop_supervisor {
namespace {

// To mount, to enter other namespaces, to look through other processes, to open files past their paths, to reach the
// disk.
constexpr int kWaysOut[] = {CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_SYS_CHROOT, CAP_DAC_READ_SEARCH,
                            CAP_MKNOD,     CAP_SYS_MODULE, CAP_SYS_RAWIO,  CAP_SYS_BOOT,
                            CAP_BPF,       CAP_PERFMON,    CAP_SETPCAP,    CAP_SETFCAP};

std::string failed(const std::string& what) {
  return what + ": " + strerror(errno);
}

bool write_file(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return written;
}

// Mounting needs the rights of an administrator, which everybody has in a user namespace of his own.
std::optional<std::string> enter_namespaces() {
  if (unshare(CLONE_NEWNS) == 0) return std::nullopt;
  const std::string uid = std::to_string(geteuid()), gid = std::to_string(getegid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return failed("a user namespace");
  if (!write_file("/proc/self/setgroups", "deny") || !write_file("/proc/self/uid_map", uid + " " + uid + " 1") ||
      !write_file("/proc/self/gid_map", gid + " " + gid + " 1"))
    return failed("the user's number in the user namespace");
  return std::nullopt;
}

int copy_of_mounts(const std::string& folder) {
  return open_tree(AT_FDCWD, folder.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

bool mount_at(int mounts_fd, const std::string& folder) {
  const bool done = move_mount(mounts_fd, "", AT_FDCWD, folder.c_str(), MOVE_MOUNT_F_EMPTY_PATH) == 0;
  close(mounts_fd);
  return done;
}

std::optional<std::string> mount_homes(const HomeGuard& guard) {
  // Else the mounts would show outside too.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return failed("private mounts");
  std::vector<int> writable;  // copied while they can still be written
  for (const std::string& folder : guard.writable) {
    writable.push_back(copy_of_mounts(folder));
    if (writable.back() < 0) return failed("a mount of " + folder);
  }
  for (const std::string& home : guard.homes) {
    mount_attr read_only{.attr_set = MOUNT_ATTR_RDONLY, .attr_clr = 0, .propagation = 0, .userns_fd = 0};
    const int mounts = copy_of_mounts(home);
    if (mounts < 0 || mount_setattr(mounts, "", AT_EMPTY_PATH | AT_RECURSIVE, &read_only, sizeof read_only) != 0 ||
        !mount_at(mounts, home))
      return failed("a read-only mount of " + home);
  }
  for (size_t i = 0; i < writable.size(); ++i)
    if (!mount_at(writable[i], guard.writable[i])) return failed("a mount of " + guard.writable[i]);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> enter(const HomeGuard& guard) {
  if (guard.homes.empty()) return std::nullopt;
  if (auto problem = enter_namespaces()) return problem;
  if (auto problem = mount_homes(guard)) return problem;
  // From the next exec on nobody has or gains the rights by which an administrator's programs could undo it.
  for (const int capability : kWaysOut) prctl(PR_CAPBSET_DROP, capability);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("giving up rights");
  return std::nullopt;
}

std::optional<std::string> try_to_enter(const HomeGuard& guard) {
  int told[2];
  if (pipe2(told, O_CLOEXEC) != 0) return failed("a pipe");
  const pid_t child = fork();
  if (child < 0) return failed("a process");
  if (child == 0) {
    const std::string problem = enter(guard).value_or("");
    (void)!write(told[1], problem.data(), problem.size());
    _exit(0);
  }
  close(told[1]);
  std::string problem;
  char buffer[512];
  for (ssize_t n_bytes; (n_bytes = read(told[0], buffer, sizeof buffer)) > 0;)
    problem.append(buffer, static_cast<size_t>(n_bytes));
  close(told[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (problem.empty() && status != 0) problem = "the trial ended by signal " + std::to_string(WTERMSIG(status));
  if (problem.empty()) return std::nullopt;
  return problem;
}

}  // namespace desktop_supervisor
