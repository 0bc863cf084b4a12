#pragma once
// Lines of a file as bytes: what they say and how they end. Nothing here decodes or changes a byte.

#include <string>
#include <string_view>
#include <vector>

namespace tools {

struct TextLine {
  std::string_view text;  // without its end
  std::string_view end;   // "\n", "\r\n", "\r" (only in files without any newline), or "" on a last line without one
};

// Views into `bytes`.
std::vector<TextLine> split_lines(std::string_view bytes);

// The commonest line end; "\n" where there is none.
std::string_view usual_line_end(const std::vector<TextLine>& lines);

enum class Encoding {
  Utf8,        // ASCII too
  Utf8Bom,     // starts with a byte-order mark
  Utf16,       // with a byte-order mark
  Utf32,       // with a byte-order mark
  SingleByte,  // ASCII and other bytes: Latin-1, Shift-JIS, GBK …
  Binary,
};

Encoding detect_encoding(std::string_view bytes);
const char* encoding_name(Encoding encoding);
bool is_utf8(std::string_view bytes);
bool is_ascii(std::string_view bytes);

inline constexpr std::string_view kUtf8Bom = "\xEF\xBB\xBF";

// Without spaces and tabs at the end, at both ends; the spaces and tabs at the start.
std::string_view trim_right(std::string_view text);
std::string_view trim(std::string_view text);
std::string_view indentation(std::string_view text);

}  // namespace tools
