#pragma once
// All processes as /proc tells them, and who descends from whom. Also part of the helper programs.

#include <sys/types.h>

#include <string>
#include <vector>

namespace tools {

struct ProcessInfo {
  pid_t pid = 0, parent = 0, group = 0;
  char state = '?';
};

std::vector<ProcessInfo> all_processes();

// Every living process below `root`, without `root` itself. Zombies are left out.
std::vector<pid_t> descendants(pid_t root);

// The first KiB of a file of /proc; empty when it can't be read, as of a process that has just ended.
std::string read_proc_file(const std::string& path);

}  // namespace tools
