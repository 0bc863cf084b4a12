#include "tools/text_lines.h"

#include <algorithm>
#include <cstring>

namespace tools {
namespace {

constexpr std::string_view kBlanks = " \t";

// Length of the code point that starts `bytes`, or 0 when it is broken.
size_t code_point_bytes(std::string_view bytes) {
  const auto at = [bytes](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xF0 && first < 0xF5   ? 4
                      : first >= 0xE0 && first < 0xF0 ? 3
                      : first >= 0xC2 && first < 0xE0 ? 2
                                                      : 0;
  if (size == 0 || bytes.size() < size) return 0;
  for (size_t i = 1; i < size; ++i)
    if ((at(i) & 0xC0) != 0x80) return 0;
  const bool is_overlong = (first == 0xE0 && at(1) < 0xA0) || (first == 0xF0 && at(1) < 0x90);
  const bool is_outside = (first == 0xED && at(1) >= 0xA0) || (first == 0xF4 && at(1) >= 0x90);
  return is_overlong || is_outside ? 0 : size;
}

}  // namespace

std::vector<TextLine> split_lines(std::string_view bytes) {
  std::vector<TextLine> lines;
  const bool has_newline = bytes.find('\n') != std::string_view::npos;
  const char end_byte = has_newline ? '\n' : '\r';
  while (!bytes.empty()) {
    const size_t end = bytes.find(end_byte);
    if (end == std::string_view::npos) {
      lines.push_back({bytes, {}});
      break;
    }
    const bool is_crlf = has_newline && end > 0 && bytes[end - 1] == '\r';
    const size_t text_size = is_crlf ? end - 1 : end;
    lines.push_back({bytes.substr(0, text_size), bytes.substr(text_size, end + 1 - text_size)});
    bytes.remove_prefix(end + 1);
  }
  return lines;
}

std::string_view usual_line_end(const std::vector<TextLine>& lines) {
  size_t n_lf = 0, n_crlf = 0, n_cr = 0;
  for (const TextLine& line : lines) {
    if (line.end == "\n") ++n_lf;
    if (line.end == "\r\n") ++n_crlf;
    if (line.end == "\r") ++n_cr;
  }
  if (n_crlf > n_lf) return "\r\n";
  return n_cr > 0 ? "\r" : "\n";
}

Encoding detect_encoding(std::string_view bytes) {
  if (bytes.starts_with(std::string_view("\xFF\xFE\0\0", 4)) || bytes.starts_with(std::string_view("\0\0\xFE\xFF", 4)))
    return Encoding::Utf32;
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return Encoding::Utf16;
  const bool has_bom = bytes.starts_with(kUtf8Bom);
  size_t n_controls = 0;
  for (const unsigned char c : bytes) {
    if (c == 0) return Encoding::Binary;
    if (c < 0x20 && !std::strchr("\t\n\v\f\r\b\x1b", c)) ++n_controls;
  }
  // A few stray control bytes occur in real texts; more than one in thirty doesn't.
  if (n_controls * 30 > bytes.size()) return Encoding::Binary;
  if (!is_utf8(bytes)) return Encoding::SingleByte;
  return has_bom ? Encoding::Utf8Bom : Encoding::Utf8;
}

const char* encoding_name(Encoding encoding) {
  switch (encoding) {
    case Encoding::Utf8:
      return "UTF-8";
    case Encoding::Utf8Bom:
      return "UTF-8 with byte-order mark";
    case Encoding::Utf16:
      return "UTF-16";
    case Encoding::Utf32:
      return "UTF-32";
    case Encoding::SingleByte:
      return "not UTF-8 (a legacy encoding)";
    case Encoding::Binary:
      return "binary";
  }
  return "";
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t size = code_point_bytes(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

bool is_ascii(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string_view trim_right(std::string_view text) {
  const size_t last = text.find_last_not_of(kBlanks);
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

std::string_view indentation(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of(kBlanks), text.size()));
}

std::string_view trim(std::string_view text) {
  text.remove_prefix(indentation(text).size());
  return trim_right(text);
}

}  // namespace tools
