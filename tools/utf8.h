#pragma once
// UTF-8 as code points, strictly: no overlong forms, no surrogates.

#include <optional>
#include <string>
#include <string_view>

namespace tools {

std::optional<std::u32string> decode_utf8(std::string_view bytes);
std::string encode_utf8(char32_t character);

// The characters to type for a text: each line end ("\n", "\r\n", "\r") one U+000A. Nothing when the bytes are not
// UTF-8 or hold a control character other than line end and tab.
std::optional<std::u32string> typeable(std::string_view utf8);

}  // namespace tools
