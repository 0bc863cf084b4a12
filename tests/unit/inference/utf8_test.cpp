#include "inference/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace inference {
namespace {

// The well-formed byte sequences, table 3-7 of the Unicode standard.
struct Row {
  uint8_t low[4];
  uint8_t high[4];
  size_t n_bytes;
};
constexpr Row kWellFormed[] = {
    {{0x00}, {0x7F}, 1},
    {{0xC2, 0x80}, {0xDF, 0xBF}, 2},
    {{0xE0, 0xA0, 0x80}, {0xE0, 0xBF, 0xBF}, 3},
    {{0xE1, 0x80, 0x80}, {0xEC, 0xBF, 0xBF}, 3},
    {{0xED, 0x80, 0x80}, {0xED, 0x9F, 0xBF}, 3},
    {{0xEE, 0x80, 0x80}, {0xEF, 0xBF, 0xBF}, 3},
    {{0xF0, 0x90, 0x80, 0x80}, {0xF0, 0xBF, 0xBF, 0xBF}, 4},
    {{0xF1, 0x80, 0x80, 0x80}, {0xF3, 0xBF, 0xBF, 0xBF}, 4},
    {{0xF4, 0x80, 0x80, 0x80}, {0xF4, 0x8F, 0xBF, 0xBF}, 4},
};

// How many bytes of `bytes` some row accepts as a beginning, and whether that row is then complete.
std::pair<size_t, bool> best_row(std::string_view bytes) {
  size_t best = 0;
  bool is_whole = false;
  for (const Row& row : kWellFormed) {
    size_t n = 0;
    while (n < row.n_bytes && n < bytes.size() && static_cast<uint8_t>(bytes[n]) >= row.low[n] &&
           static_cast<uint8_t>(bytes[n]) <= row.high[n]) {
      ++n;
    }
    if (n > best) {
      best = n;
      is_whole = n == row.n_bytes;
    }
  }
  return {best, is_whole};
}

void expect_as_in_table(std::string_view bytes) {
  const Utf8Char first = first_utf8_char(bytes);
  const auto [n_bytes, is_whole] = best_row(bytes);
  const Utf8Status expected = is_whole                                 ? Utf8Status::Valid
                              : n_bytes == bytes.size() && n_bytes > 0 ? Utf8Status::Incomplete
                                                                       : Utf8Status::Invalid;
  ASSERT_EQ(first.status, expected) << ::testing::PrintToString(bytes);
  ASSERT_EQ(first.n_bytes, std::max<size_t>(1, n_bytes)) << ::testing::PrintToString(bytes);
}

// Every first and second byte, with the bytes on the edges of the ranges after them.
TEST(Utf8, AcceptsExactlyTheWellFormedSequences) {
  constexpr std::string_view kEdges("\x00\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xFF", 10);
  for (int first = 0; first < 256; ++first) {
    std::string bytes(1, static_cast<char>(first));
    expect_as_in_table(bytes);
    for (int second = 0; second < 256; ++second) {
      bytes.resize(1);
      bytes += static_cast<char>(second);
      expect_as_in_table(bytes);
      for (const char third : kEdges) {
        expect_as_in_table(bytes + third);
        for (const char fourth : kEdges) expect_as_in_table(bytes + third + fourth);
      }
    }
  }
}

TEST(Utf8, ReadsCodePoints) {
  EXPECT_EQ(first_utf8_char("A").code_point, U'A');
  EXPECT_EQ(first_utf8_char("ß").code_point, U'ß');
  EXPECT_EQ(first_utf8_char("漢").code_point, U'漢');
  EXPECT_EQ(first_utf8_char("😀").code_point, U'😀');
}

TEST(Utf8, FindsTheValidPrefixWhereverItEnds) {
  for (size_t n_before = 0; n_before < 20; ++n_before) {
    const std::string before(n_before, 'x');
    EXPECT_EQ(valid_utf8_prefix(before), n_before);
    EXPECT_EQ(valid_utf8_prefix(before + "é" + before), 2 * n_before + 2);
    EXPECT_EQ(valid_utf8_prefix(before + "\xFF" + before), n_before);
    EXPECT_EQ(valid_utf8_prefix(before + "\xC3"), n_before);
  }
}

TEST(Utf8, ReplacesEachMaximalSubpartOnce) {
  std::string out;
  EXPECT_EQ(append_valid_utf8("a\xF0\x9F\x98z\xC0\xAF\xED\xA0\x80\xE2\x82", out), 2u);
  EXPECT_EQ(out, "a\uFFFDz\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
}

}  // namespace
}  // namespace inference
