#include "tools/shell_host/terminal_wait.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "tools/process_tree.h"

namespace tools::shell_host {
namespace {

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
  const std::string call = read_proc_file("/proc/" + std::to_string(pid) + "/syscall");
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
