#include "app/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "app/command.h"

namespace app {

void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // Nothing can be written there, so that the loss of the output shows; open() takes the lowest free number.
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDONLY);
  }
}

int status_after_output(int status) {
  errno = 0;
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (is_written || status != kExitDone) return status;
  std::fprintf(stderr, "deskhand: error: the output can't be written%s%s\n", errno != 0 ? ": " : "",
               errno != 0 ? std::strerror(errno) : "; is its disk full?");
  return kExitFailed;
}

}  // namespace app
