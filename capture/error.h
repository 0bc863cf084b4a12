#pragma once
// How capture and tools report trouble. A bug aborts; a job that can't go on throws Error; an expected outcome is a
// value.

#include <stdexcept>
#include <string>

namespace capture {

// The job can't go on. The message says what failed, on what, and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Prints the broken assumption with its place and aborts.
[[noreturn]] void abort_on_bug(const char* condition, const std::string& message, const char* file, int line);

}  // namespace capture

// An assumption whose failure is a bug; checked in release builds too.
#define CAPTURE_CHECK(condition, message) \
  ((condition) ? void(0) : ::capture::abort_on_bug(#condition, (message), __FILE__, __LINE__))
