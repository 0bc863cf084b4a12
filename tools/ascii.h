#pragma once
// Letters of ASCII alone, whatever the locale says of other bytes.

#include <string>
#include <string_view>

namespace tools {

inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return lower;
}

}  // namespace tools
