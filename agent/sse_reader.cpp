#include "agent/sse_reader.h"

#include "agent/error.h"

namespace agent {

std::vector<std::string> SseReader::push(std::string_view bytes) {
  std::vector<std::string> events;
  while (!bytes.empty()) {
    if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const std::size_t end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (line_.size() + data_.size() > max_event_bytes_) {
      throw Error("an event of the server's stream is larger than " + std::to_string(max_event_bytes_) + " bytes");
    }
    if (end == std::string_view::npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    take_line(line_, events);
    line_.clear();
  }
  return events;
}

void SseReader::take_line(std::string_view line, std::vector<std::string>& events) {
  if (is_first_line_ && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  is_first_line_ = false;
  if (line.empty()) {
    if (has_data_) events.push_back(std::move(data_));
    data_.clear();
    has_data_ = false;
  } else if (line == "data" || line.starts_with("data:")) {
    std::string_view value = line.substr(std::min<std::size_t>(5, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  }
}

std::string SseReader::rest() {
  std::vector<std::string> events;
  if (!line_.empty()) take_line(line_, events);
  line_.clear();
  has_data_ = false;
  return std::move(data_);
}

}  // namespace agent
