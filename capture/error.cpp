#include "capture/error.h"

#include <cstdio>
#include <cstdlib>

namespace capture {

void abort_on_bug(const char* condition, const std::string& message, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s is false: %s\n", file, line, condition, message.c_str());
  std::abort();
}

}  // namespace capture
