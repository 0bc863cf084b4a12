#pragma once
// How a template fails: it doesn't parse, or it can't be rendered with this conversation.

#include <sstream>
#include <string>

#include "agent/error.h"

namespace agent::jinja {

// Joins its arguments as a stream would.
template <typename... Parts>
std::string sentence(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

class SyntaxError : public Error {
 public:
  SyntaxError(int line, const std::string& what)
      : Error(sentence("chat template, line ", line, ": ", what)), line_(line) {}
  int line() const { return line_; }

 private:
  int line_;
};

// The template can't go on with this context. `message` is Python's own sentence where Jinja has one; for
// raise_exception it is the sentence that the template's author wrote.
class RenderError : public Error {
 public:
  enum class Kind {
    Undefined,      // used something that isn't there
    Type,           // an operation that the value's type doesn't have
    Raised,         // the template called raise_exception
    LimitExceeded,  // too many steps, too deep or too much output
  };
  RenderError(Kind kind, const std::string& message)
      : Error("chat template: " + message), kind_(kind), message_(message) {}
  Kind kind() const { return kind_; }
  const std::string& message() const { return message_; }

 private:
  Kind kind_;
  std::string message_;
};

[[noreturn]] inline void type_error(const std::string& message) {
  throw RenderError(RenderError::Kind::Type, message);
}
[[noreturn]] inline void undefined_error(const std::string& message) {
  throw RenderError(RenderError::Kind::Undefined, message);
}
[[noreturn]] inline void limit_error(const std::string& message) {
  throw RenderError(RenderError::Kind::LimitExceeded, message);
}

}  // namespace agent::jinja
