#pragma once
// How the project fails. A bug: CHECK. The job can't go on: throw Error. Everything else is a value.

#include <sstream>
#include <stdexcept>
#include <string>

namespace inference {

// What failed, on what, and what to do about it: a sentence for the user.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& message);

// Joins its arguments as a stream would: message("expected ", 4, ", found ", n).
template <typename... Args>
std::string message(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

}  // namespace inference

// A broken invariant of our own: prints the message and aborts, in release builds too.
#define INFERENCE_CHECK(condition, ...) \
  ((condition) ? (void)0 : ::inference::check_failed(#condition, __FILE__, __LINE__, ::inference::message(__VA_ARGS__)))
