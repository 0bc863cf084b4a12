#include "tools/utf8.h"

namespace tools {
namespace {

// Length of the sequence that a lead byte starts, 0 for a byte that can't lead.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

}  // namespace

std::optional<std::u32string> decode_utf8(std::string_view bytes) {
  std::u32string characters;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[at]);
    const std::size_t length = sequence_length(lead);
    if (length == 0 || at + length > bytes.size()) return std::nullopt;
    char32_t character = length == 1 ? lead : lead & (0x7fU >> length);
    for (std::size_t tail_idx = 1; tail_idx < length; ++tail_idx) {
      const auto tail = static_cast<unsigned char>(bytes[at + tail_idx]);
      if ((tail & 0xc0) != 0x80) return std::nullopt;
      character = (character << 6) | (tail & 0x3fU);
    }
    const bool overlong = (length == 3 && character < 0x800) || (length == 4 && character < 0x10000);
    if (overlong || character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) return std::nullopt;
    characters.push_back(character);
    at += length;
  }
  return characters;
}

std::string encode_utf8(char32_t character) {
  const auto byte = [](char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  std::string bytes;
  if (character < 0x80) {
    bytes += byte(character);
  } else if (character < 0x800) {
    bytes += byte(0xc0 | (character >> 6));
  } else if (character < 0x10000) {
    bytes += byte(0xe0 | (character >> 12));
    bytes += byte(0x80 | ((character >> 6) & 0x3f));
  } else {
    bytes += byte(0xf0 | (character >> 18));
    bytes += byte(0x80 | ((character >> 12) & 0x3f));
    bytes += byte(0x80 | ((character >> 6) & 0x3f));
  }
  if (character >= 0x80) bytes += byte(0x80 | (character & 0x3f));
  return bytes;
}

std::optional<std::u32string> typeable(std::string_view utf8) {
  const std::optional<std::u32string> characters = decode_utf8(utf8);
  if (!characters) return std::nullopt;
  std::u32string typed;
  for (std::size_t at = 0; at < characters->size(); ++at) {
    const char32_t character = (*characters)[at];
    if (character == U'\r') {
      if (at + 1 < characters->size() && (*characters)[at + 1] == U'\n') continue;
      typed.push_back(U'\n');
    } else if (character == U'\n' || character == U'\t') {
      typed.push_back(character);
    } else if (character < 0x20 || (character >= 0x7f && character < 0xa0)) {
      return std::nullopt;
    } else {
      typed.push_back(character);
    }
  }
  return typed;
}

}  // namespace tools
