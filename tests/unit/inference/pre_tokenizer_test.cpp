#include "inference/pre_tokenizer.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "inference/check.h"
#include "tests/unit/inference/tokenizer_fixture.h"

namespace inference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::m3_words;

std::vector<std::string> words_by(const std::vector<std::string>& patterns, std::string_view text) {
  std::vector<std::string> words;
  PreTokenizer(patterns).split(text, [&words](std::string_view word) { words.emplace_back(word); });
  return words;
}

// Expected by hand from the pattern's words, not from a run.

TEST(PreTokenizer, KeepsASpaceWithTheWordAfterIt) {
  EXPECT_THAT(m3_words("Hello world"), ElementsAre("Hello", " world"));
  EXPECT_THAT(m3_words("a  b"), ElementsAre("a", " ", " b"));
  EXPECT_THAT(m3_words("\tx"), ElementsAre("\tx"));
}

TEST(PreTokenizer, KeepsContractionsWithTheirWord) {
  EXPECT_THAT(m3_words("it's they'LL don't"), ElementsAre("it's", " they'LL", " don't"));
  EXPECT_THAT(m3_words("it's's"), ElementsAre("it's", "'s"));
  EXPECT_THAT(m3_words("a'x"), ElementsAre("a", "'x"));
  EXPECT_THAT(m3_words("a'\u017f"), ElementsAre("a'\u017f")) << "long s is an s without case";
}

TEST(PreTokenizer, CutsWhereLowerCaseTurnsToUpper) {
  EXPECT_THAT(m3_words("getURLfrom HTTPServer"), ElementsAre("get", "URLfrom", " HTTPServer"));
  EXPECT_THAT(m3_words("iPhoneX"), ElementsAre("i", "Phone", "X"));
  EXPECT_THAT(m3_words("\u01C5en"), ElementsAre("\u01C5en")) << "title case counts as upper";
}

TEST(PreTokenizer, CutsDigitsInGroupsOfThree) {
  EXPECT_THAT(m3_words("1234567"), ElementsAre("123", "456", "7"));
  EXPECT_THAT(m3_words("x12 y"), ElementsAre("x", "12", " y"));
  EXPECT_THAT(m3_words("\u0661\u0662\u0663\u0664"), ElementsAre("\u0661\u0662\u0663", "\u0664"));
  EXPECT_THAT(m3_words(" 1"), ElementsAre(" ", "1"));
}

TEST(PreTokenizer, KeepsLineEndsTogether) {
  EXPECT_THAT(m3_words("a\r\n\r\nb"), ElementsAre("a", "\r\n\r\n", "b"));
  EXPECT_THAT(m3_words("a \n  b"), ElementsAre("a", " \n", " ", " b"));
  EXPECT_THAT(m3_words("x;\n\ny"), ElementsAre("x", ";\n\n", "y"));
  EXPECT_THAT(m3_words("//path/\n"), ElementsAre("//", "path", "/\n"));
}

TEST(PreTokenizer, KeepsTrailingSpacesTogether) {
  EXPECT_THAT(m3_words("end   "), ElementsAre("end", "   "));
  EXPECT_THAT(m3_words("   x"), ElementsAre("  ", " x"));
  EXPECT_THAT(m3_words("\u3000\u3000y"), ElementsAre("\u3000", "\u3000y"));
}

TEST(PreTokenizer, KnowsLettersAndMarksOfOtherScripts) {
  EXPECT_THAT(m3_words("漢字かな交じり。文"), ElementsAre("漢字かな交じり", "。文"));
  EXPECT_THAT(m3_words("e\u0301te\u0301 x"), ElementsAre("e\u0301te\u0301", " x")) << "combining marks stay";
  EXPECT_THAT(m3_words("नमस्ते दुनिया"), ElementsAre("नमस्ते", " दुनिया"));
  EXPECT_THAT(m3_words("Быстрая Лиса"), ElementsAre("Быстрая", " Лиса"));
}

TEST(PreTokenizer, KeepsJoinedEmojiTogether) {
  EXPECT_THAT(m3_words("a 👩\u200d👩\u200d👧!b"), ElementsAre("a", " 👩\u200d👩\u200d👧!", "b"));
}

// PCRE2's own \s has the Mongolian vowel separator, the engines that patterns are written for don't.
TEST(PreTokenizer, TakesWhiteSpaceAsUnicodeDoes) {
  EXPECT_THAT(words_by({R"(\s+)"}, "a\u180Eb"), ElementsAre("a\u180Eb"));
  EXPECT_THAT(words_by({R"([^\S\n]+)"}, "a\u180E \u0085\nb"), ElementsAre("a\u180E", " \u0085", "\nb"));
  for (const char* space : {"\t", "\v", "\f", "\u0085", "\u00A0", "\u1680", "\u2003", "\u2028", "\u202F", "\u205F"}) {
    EXPECT_THAT(words_by({R"(\s+)"}, std::string("a") + space + "b"), ElementsAre("a", space, "b"));
  }
  EXPECT_THAT(words_by({R"(\\s)"}, R"(a\sb b)"), ElementsAre("a", R"(\s)", "b b"))
      << "an escaped backslash is no class";
}

TEST(PreTokenizer, MakesPiecesOfGapsToo) {
  EXPECT_THAT(words_by({R"(\d)"}, "ab1c22d"), ElementsAre("ab", "1", "c", "2", "2", "d"));
  EXPECT_THAT(words_by({}, "ab 1"), ElementsAre("ab 1"));
}

TEST(PreTokenizer, CutsPiecesOfOnePatternByTheNext) {
  EXPECT_THAT(words_by({R"(\d+)", std::string(kGpt2Pattern)}, "it's 12 x34"),
              ElementsAre("it", "'s", " ", "12", " x", "34"));
}

TEST(PreTokenizer, MakesPiecesOfInvalidBytes) {
  EXPECT_THAT(m3_words("ab\xFF\xFE"
                       "cd \xE2\x82"),
              ElementsAre("ab", "\xFF\xFE", "cd", " ", "\xE2\x82"));
}

TEST(PreTokenizer, CutsAMegabyteWithoutASingleBreak) {
  constexpr size_t kMegabyte = 1 << 20;
  for (const char* unit : {"a", "A", " ", "\n", "=", "\u6f22", "\u0301"}) {
    std::string text;
    while (text.size() < kMegabyte) text += unit;
    EXPECT_THAT(m3_words(text), ElementsAre(text));
  }
  std::string pairs;
  while (pairs.size() < kMegabyte) pairs += "ab";
  EXPECT_THAT(words_by({"(?:ab|c)+"}, pairs), ElementsAre(pairs)) << "a group keeps a way back for each round";
}

TEST(PreTokenizer, RefusesPatternsItCannotHonour) {
  const auto problem = [](const std::string& pattern) -> std::string {
    try {
      PreTokenizer({pattern});
      return "no error";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_THAT(problem("(a"), HasSubstr("\"(a\": missing closing parenthesis"));
  EXPECT_THAT(problem("a*"), HasSubstr("can match an empty text"));
  EXPECT_THAT(problem(R"(\w+)"), HasSubstr(R"(\w differs between regex engines)"));
  EXPECT_THAT(problem(R"(a\)"), HasSubstr("\\ at end of pattern"));
  EXPECT_THAT(problem(R"(\p{Klingon})"), HasSubstr("unknown property"));
}

}  // namespace
}  // namespace inference
