#include "tools/shell_host/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

namespace tools::shell_host {
namespace {

struct ProcessInfo {
  pid_t pid = 0, parent = 0, group = 0;
  char state = '?';
};

std::string read_small_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  char bytes[1024];
  const ssize_t size = read(fd, bytes, sizeof bytes);
  close(fd);
  return size > 0 ? std::string(bytes, static_cast<size_t>(size)) : std::string();
}

std::vector<ProcessInfo> all_processes() {
  std::vector<ProcessInfo> found;
  std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (!proc) return found;
  while (const dirent* entry = readdir(proc.get())) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    const std::string stat = read_small_file("/proc/" + std::string(entry->d_name) + "/stat");
    // The name stands in parentheses and may hold anything, parentheses included.
    const size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) continue;
    ProcessInfo info;
    info.pid = pid;
    if (std::sscanf(stat.c_str() + name_end + 1, " %c %d %d", &info.state, &info.parent, &info.group) == 3)
      found.push_back(info);
  }
  return found;
}

bool is_terminal(pid_t pid, unsigned long fd) {
  struct stat file;
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
  if (stat(path.c_str(), &file) != 0 || !S_ISCHR(file.st_mode)) return false;
  const unsigned type = major(file.st_rdev);
  return (type >= 136 && type <= 143) || file.st_rdev == makedev(5, 0);  // /dev/pts/N or /dev/tty
}

bool waits_for_events(long call) {
  switch (call) {
#ifdef SYS_poll
    case SYS_poll:
    case SYS_select:
    case SYS_epoll_wait:
#endif
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
      return true;
    default:
      return false;
  }
}

TerminalWait process_wait(pid_t pid, bool is_line_mode) {
  const std::string call = read_small_file("/proc/" + std::to_string(pid) + "/syscall");
  if (call.empty()) return TerminalWait::Unknown;
  long number = 0;
  unsigned long fd = 0;
  if (std::sscanf(call.c_str(), "%ld %lx", &number, &fd) < 2) return TerminalWait::No;
  if (number == SYS_read && is_terminal(pid, fd)) return TerminalWait::Reading;
  // An event loop alone says nothing (a server has one too), but one that took the terminal out of line mode wants
  // keys.
  if (!is_line_mode && waits_for_events(number)) return TerminalWait::Reading;
  return TerminalWait::No;
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  std::multimap<pid_t, const ProcessInfo*> children;
  const std::vector<ProcessInfo> processes = all_processes();
  for (const ProcessInfo& process : processes) children.emplace(process.parent, &process);
  std::vector<pid_t> found, to_visit{root};
  while (!to_visit.empty()) {
    const auto [first, last] = children.equal_range(to_visit.back());
    to_visit.pop_back();
    for (auto child = first; child != last; ++child) {
      to_visit.push_back(child->second->pid);
      if (child->second->state != 'Z') found.push_back(child->second->pid);
    }
  }
  return found;
}

TerminalWait terminal_wait(int master) {
  const pid_t foreground = tcgetpgrp(master);
  termios modes;
  if (foreground <= 0 || tcgetattr(master, &modes) != 0) return TerminalWait::No;
  TerminalWait result = TerminalWait::No;
  for (const ProcessInfo& process : all_processes()) {
    if (process.group != foreground || process.state == 'Z') continue;
    const TerminalWait wait = process_wait(process.pid, (modes.c_lflag & ICANON) != 0);
    if (wait == TerminalWait::Reading) return wait;
    if (wait == TerminalWait::Unknown) result = wait;
  }
  return result;
}

}  // namespace tools::shell_host
