#pragma once
// One UTF-8 character at the front of a byte string.

#include <cstdint>
#include <string>
#include <string_view>

namespace inference {

inline constexpr std::string_view kReplacementChar = "\xEF\xBF\xBD";  // U+FFFD

enum class Utf8Status {
  Valid,
  Invalid,     // n_bytes bytes that no continuation can make a character (a maximal subpart in Unicode's words)
  Incomplete,  // the text ends inside a character that more bytes could complete
};

struct Utf8Char {
  Utf8Status status;
  uint32_t n_bytes;     // 1..4
  char32_t code_point;  // when Valid
};

// `bytes` must not be empty.
Utf8Char first_utf8_char(std::string_view bytes);

// Length of the longest prefix that is whole valid characters.
size_t valid_utf8_prefix(std::string_view bytes);

// Appends `bytes` with U+FFFD for each invalid sequence. Returns how many bytes were left at the end because they begin
// a character that more bytes could complete (0..3).
size_t append_valid_utf8(std::string_view bytes, std::string& out);

}  // namespace inference
