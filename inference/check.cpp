#include "inference/check.h"

#include <cstdio>
#include <cstdlib>

namespace inference {

void check_failed(const char* condition, const char* file, int line, const std::string& message) {
  std::fprintf(stderr, "%s:%d: internal error: %s (%s)\n", file, line, message.c_str(), condition);
  std::abort();
}

}  // namespace inference
