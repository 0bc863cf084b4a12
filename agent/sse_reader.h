#pragma once
// Server-sent events: cuts the stream of bytes into the data of its events, however the bytes are cut into pieces.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent {

class SseReader {
 public:
  explicit SseReader(std::size_t max_event_bytes = 8 << 20) : max_event_bytes_(max_event_bytes) {}

  // The events that are whole now. Throws Error when one is larger than the limit.
  std::vector<std::string> push(std::string_view bytes);
  // What stands at the end without the empty line that ends an event; some servers leave it out. Empty: nothing.
  std::string rest();

 private:
  void take_line(std::string_view line, std::vector<std::string>& events);

  std::size_t max_event_bytes_;
  std::string line_;  // not yet ended
  std::string data_;  // of the event that is being read
  bool has_data_ = false;
  bool after_cr_ = false;  // the line feed that may follow belongs to the same line end
  bool is_first_line_ = true;
};

}  // namespace agent
