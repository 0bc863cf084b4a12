#include "agent/process_mark.h"

#include <unistd.h>

#include <fstream>
#include <iterator>

namespace agent {
namespace {

// Since boot, in clock ticks; empty when there is no such process or it is a zombie.
std::string start_time(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string stat;  // a process that ends just now is a read error, which stream iterators would throw
  std::getline(file, stat, '\0');
  std::size_t at = stat.rfind(')');  // the program's name may hold anything, spaces too
  if (at == std::string::npos || stat.size() < at + 3 || stat[at + 2] == 'Z') return "";
  constexpr int kFieldsToStartTime = 20;  // state is field 3, starttime field 22 (proc(5))
  for (int n = 0; n < kFieldsToStartTime && at != std::string::npos; ++n) at = stat.find(' ', at + 1);
  return at == std::string::npos ? "" : stat.substr(at + 1, stat.find(' ', at + 1) - at - 1);
}

std::string mark_of(const std::string& pid) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  const std::string started = start_time(pid);
  return started.empty() ? "" : boot + " " + pid + " " + started;
}

}  // namespace

std::string own_process_mark() {
  return mark_of(std::to_string(getpid()));
}

bool is_process_alive(const std::string& mark) {
  const std::size_t begin = mark.find(' '), end = mark.rfind(' ');
  if (begin == std::string::npos || begin == end) return false;
  return mark == mark_of(mark.substr(begin + 1, end - begin - 1));
}

}  // namespace agent
