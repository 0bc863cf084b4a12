#include "tools/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

namespace tools {

std::string read_proc_file(const std::string& path) {
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
    const std::string stat = read_proc_file("/proc/" + std::string(entry->d_name) + "/stat");
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

}  // namespace tools
