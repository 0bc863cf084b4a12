#include "agent/jinja/text.h"

#include <algorithm>
#include <utility>

namespace agent::jinja {

void Text::append(std::string_view bytes, Origin origin) {
  if (bytes.empty()) return;
  bytes_.append(bytes);
  if (!runs_.empty() && runs_.back().origin == origin)
    runs_.back().end = bytes_.size();
  else
    runs_.push_back({bytes_.size(), origin});
}

void Text::append(const Text& other, std::size_t begin, std::size_t n_bytes) {
  const std::size_t end = begin + std::min(n_bytes, other.size() - begin);
  auto run = std::upper_bound(other.runs_.begin(), other.runs_.end(), begin,
                              [](std::size_t position, const Run& candidate) { return position < candidate.end; });
  const std::string_view bytes = other.bytes_;
  while (begin < end) {
    const std::size_t run_end = std::min(run->end, end);
    append(bytes.substr(begin, run_end - begin), run->origin);
    begin = run_end;
    ++run;
  }
}

Text Text::substr(std::size_t begin, std::size_t n_bytes) const {
  Text part;
  part.append(*this, begin, n_bytes);
  return part;
}

Text Text::with_bytes(std::string bytes) const {
  Text changed = *this;
  changed.bytes_ = std::move(bytes);
  return changed;
}

std::vector<Segment> Text::segments() const {
  std::vector<Segment> segments;
  std::size_t begin = 0;
  for (const Run& run : runs_) {
    segments.push_back({bytes_.substr(begin, run.end - begin), run.origin == Origin::Template});
    begin = run.end;
  }
  return segments;
}

std::vector<std::size_t> code_point_offsets(std::string_view bytes) {
  std::vector<std::size_t> offsets;
  offsets.reserve(bytes.size() + 1);
  for (std::size_t i = 0; i < bytes.size();) {
    offsets.push_back(i);
    const auto lead = static_cast<unsigned char>(bytes[i]);
    const std::size_t length = lead >= 0xF0 && lead < 0xF8 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    std::size_t n = 1;
    while (n < length && lead < 0xF8 && i + n < bytes.size() && (bytes[i + n] & 0xC0) == 0x80) ++n;
    i += n == length ? n : 1;
  }
  offsets.push_back(bytes.size());
  return offsets;
}

unsigned code_point(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0) < 0x80 ? byte(0) : 0xFFFD;
  unsigned value = byte(0) & (0xFF >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) value = value << 6 | (byte(i) & 0x3F);
  return value;
}

bool is_white_space(unsigned code_point) {
  switch (code_point) {
    case 0x20:
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000:
      return true;
    default:
      return (code_point >= 0x09 && code_point <= 0x0D) || (code_point >= 0x1C && code_point <= 0x1F) ||
             (code_point >= 0x2000 && code_point <= 0x200A);
  }
}

}  // namespace agent::jinja
