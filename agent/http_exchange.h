#pragma once
// One HTTP request whose answer is taken in pieces as it comes. Ends within a few milliseconds of a stop, also when the
// server says nothing.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace agent {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::optional<std::string> body;   // posted; nothing: GET
  std::chrono::milliseconds connect_limit{15'000};
  std::chrono::milliseconds silence_limit{300'000};  // without a byte of the answer
  std::int64_t max_bytes = 64 << 20;                 // of the answer
};

struct HttpAnswer {
  enum class End {
    Complete,
    Stopped,      // by the stop token
    Enough,       // the taker had enough
    Unreachable,  // no connection could be made
    Silent,       // nothing came for too long
    Lost,         // the connection broke in the middle
    TooLarge,
  };
  End end = End::Lost;
  std::string problem;       // what the transfer ended with, in words
  int status = 0;            // 0: there was no answer
  std::string content_type;  // lower case, without parameters
  std::string location;      // where a redirection leads; it is never followed
  std::optional<double> retry_after_seconds;
  std::string other_body;  // of an answer that isn't a success: its beginning
};

// Gets the body of a success piece by piece; false: enough.
using BodyTaker = std::function<bool(std::string_view)>;

// Any thread. Expected failures are answers; what `take` throws comes through.
HttpAnswer exchange(const HttpRequest& request, const BodyTaker& take, const std::stop_token& stop);

}  // namespace agent
