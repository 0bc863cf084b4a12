#include "inference/utf8.h"

#include <cstring>

#include "inference/check.h"

namespace inference {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080u;

// The second byte's range depends on the first: it excludes overlong forms, surrogates and what lies beyond U+10FFFF.
bool second_byte_fits(uint8_t first, uint8_t second) {
  switch (first) {
    case 0xE0:
      return second >= 0xA0 && second <= 0xBF;
    case 0xED:
      return second >= 0x80 && second <= 0x9F;
    case 0xF0:
      return second >= 0x90 && second <= 0xBF;
    case 0xF4:
      return second >= 0x80 && second <= 0x8F;
    default:
      return second >= 0x80 && second <= 0xBF;
  }
}

}  // namespace

Utf8Char first_utf8_char(std::string_view bytes) {
  INFERENCE_CHECK(!bytes.empty(), "no bytes");
  const auto first = static_cast<uint8_t>(bytes[0]);
  if (first < 0x80) return {Utf8Status::Valid, 1, first};
  if (first < 0xC2 || first > 0xF4) return {Utf8Status::Invalid, 1, 0};
  const uint32_t n_bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t code_point = first & (0x7Fu >> n_bytes);
  for (uint32_t i = 1; i < n_bytes; ++i) {
    if (i == bytes.size()) return {Utf8Status::Incomplete, i, 0};
    const auto byte = static_cast<uint8_t>(bytes[i]);
    const bool fits = i == 1 ? second_byte_fits(first, byte) : (byte & 0xC0) == 0x80;
    if (!fits) return {Utf8Status::Invalid, i, 0};
    code_point = code_point << 6 | (byte & 0x3Fu);
  }
  return {Utf8Status::Valid, n_bytes, code_point};
}

size_t valid_utf8_prefix(std::string_view bytes) {
  size_t pos = 0;
  while (pos < bytes.size()) {
    uint64_t eight = kHighBits;
    if (pos + sizeof eight <= bytes.size()) std::memcpy(&eight, bytes.data() + pos, sizeof eight);
    if ((eight & kHighBits) == 0) {
      pos += sizeof eight;
      continue;
    }
    const Utf8Char next = first_utf8_char(bytes.substr(pos));
    if (next.status != Utf8Status::Valid) break;
    pos += next.n_bytes;
  }
  return pos;
}

size_t append_valid_utf8(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    const size_t n_valid = valid_utf8_prefix(bytes);
    out.append(bytes.substr(0, n_valid));
    bytes.remove_prefix(n_valid);
    if (bytes.empty()) break;
    const Utf8Char bad = first_utf8_char(bytes);
    if (bad.status == Utf8Status::Incomplete) break;
    out.append(kReplacementChar);
    bytes.remove_prefix(bad.n_bytes);
  }
  return bytes.size();
}

}  // namespace inference
