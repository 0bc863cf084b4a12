#pragma once
// A string of a template's world that remembers, byte for byte, whether the template's author or the user wrote it.
// Every string operation of the interpreter keeps that knowledge, so that user text is never read as special tokens.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent::jinja {

enum class Origin { Template, Data };

// A run of output from one hand. Neighbours differ in `from_template`.
struct Segment {
  std::string text;
  bool from_template = false;
  bool operator==(const Segment&) const = default;
};

class Text {
 public:
  Text() = default;
  Text(std::string_view bytes, Origin origin) { append(bytes, origin); }

  const std::string& str() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }  // bytes
  bool empty() const { return bytes_.empty(); }

  void append(std::string_view bytes, Origin origin);
  void append(const Text& other) { append(other, 0, other.size()); }
  void append(const Text& other, std::size_t begin, std::size_t n_bytes);
  Text substr(std::size_t begin, std::size_t n_bytes = std::string::npos) const;

  // The same origins over other bytes of the same length, for changes of case.
  Text with_bytes(std::string bytes) const;

  std::vector<Segment> segments() const;

  // Equality is that of the bytes: who wrote a string makes no difference to a template.
  bool operator==(const Text& other) const { return bytes_ == other.bytes_; }

 private:
  struct Run {
    std::size_t end;  // one past the run's last byte
    Origin origin;
  };

  std::string bytes_;
  std::vector<Run> runs_;  // ascending, neighbours of different origin, the last ends at size()
};

// Byte offsets of the code points' first bytes, and size() at the end: Python counts strings in code points.
// A byte that belongs to no valid sequence counts as one.
std::vector<std::size_t> code_point_offsets(std::string_view bytes);

// The code point of one sequence between two of those offsets; U+FFFD for a stray byte.
unsigned code_point(std::string_view sequence);
bool is_white_space(unsigned code_point);  // as Python's str.isspace

}  // namespace agent::jinja
