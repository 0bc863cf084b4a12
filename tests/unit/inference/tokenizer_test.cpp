#include "inference/tokenizer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "inference/utf8.h"
#include "tests/unit/inference/tokenizer_fixture.h"

namespace inference {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using testing::in_byte_alphabet;
using ::testing::IsEmpty;
using testing::m3_like_tokenizer_json;
using testing::m3_words;
using testing::naive_bpe;
using testing::TokenizerOnDisk;
using Origin = PromptSegment::Origin;

const Tokenizer& tokenizer() {
  static const Tokenizer loaded = TokenizerOnDisk(m3_like_tokenizer_json()).load();
  return loaded;
}

int32_t id_of(std::string_view bytes) {
  return m3_like_tokenizer_json()["model"]["vocab"].at(in_byte_alphabet(bytes)).get<int32_t>();
}

std::vector<int32_t> operator+(std::vector<int32_t> a, const std::vector<int32_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void append_utf8(char32_t code_point, std::string& out) {
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
    return;
  }
  const int n_more = code_point < 0x800 ? 1 : code_point < 0x10000 ? 2 : 3;
  out += static_cast<char>((0xF00u >> n_more & 0xF0u) | (n_more == 1 ? 0xC0u : 0u) | code_point >> 6 * n_more);
  for (int i = n_more - 1; i >= 0; --i) out += static_cast<char>(0x80 | (code_point >> 6 * i & 0x3F));
}

// Words the tokenizer knows, spaces, digits, and characters from all over Unicode.
std::string random_text(std::mt19937& random) {
  static constexpr const char* kUnits[] = {"the",    " the", "vector", "'s", "Größe", "лиса",   "狐狸",
                                           " ",      "\n",   "\r\n",   "12", "12345", "\u0301", "😀",
                                           "\u200d", "HTTP", "ae",     ".",  "/",     "\u3000"};
  std::string text;
  const size_t n_units = random() % 40;
  for (size_t i = 0; i < n_units; ++i) {
    const bool is_known = random() % 3 != 0;
    const auto code_point = static_cast<char32_t>(random() % (random() % 2 == 0 ? 0x300 : 0x20000));
    if (is_known) {
      text += kUnits[random() % std::size(kUnits)];
    } else if (code_point < 0xD800 || code_point > 0xDFFF) {
      append_utf8(code_point, text);
    }
  }
  return text;
}

std::string random_bytes(std::mt19937& random) {
  std::string bytes = random_text(random);
  for (char& byte : bytes) {
    if (random() % 8 == 0) byte = static_cast<char>(random());
  }
  return bytes;
}

TEST(Tokenizer, JoinsTheLowestRankedPairFirst) {
  std::mt19937 random(1);
  size_t n_joined = 0;
  for (int round = 0; round < 300; ++round) {
    const std::string text = random_text(random);
    std::vector<int32_t> expected;
    for (const std::string& word : m3_words(text)) expected = expected + naive_bpe(m3_like_tokenizer_json(), word);
    ASSERT_EQ(tokenizer().encode(text), expected) << text;
    n_joined += text.size() - expected.size();
  }
  EXPECT_GT(n_joined, 5000u) << "the texts must contain what the tokenizer learnt";
}

// Random rules over two letters: far more overlapping and competing merges than real text has.
TEST(Tokenizer, JoinsAsTheDefinitionSaysForAnyRules) {
  std::mt19937 random(2);
  for (int round = 0; round < 30; ++round) {
    json rules = m3_like_tokenizer_json();
    json& model = rules["model"];
    model["merges"] = json::array();
    std::vector<std::string> tokens = {"a", "b"};
    while (model["merges"].size() < 12) {
      const std::string left = tokens[random() % tokens.size()];
      const std::string right = tokens[random() % tokens.size()];
      const std::string merge = left + " " + right;
      if (left.size() + right.size() > 8 || std::count(model["merges"].begin(), model["merges"].end(), merge) > 0)
        continue;
      model["merges"].push_back(merge);
      model["vocab"].emplace(left + right, 3000 + tokens.size());
      tokens.push_back(left + right);
    }
    const Tokenizer two_letters = TokenizerOnDisk(rules).load();
    std::string word;
    for (size_t i = 0; i < 200; ++i) {
      word += random() % 2 == 0 ? 'a' : 'b';
      ASSERT_EQ(two_letters.encode(word), naive_bpe(rules, word)) << word << "\n" << model["merges"];
    }
  }
}

TEST(Tokenizer, GivesEveryByteStringBack) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const std::string bytes = random_bytes(random);
    ASSERT_EQ(tokenizer().decode(tokenizer().encode(bytes)), bytes);
    ASSERT_EQ(tokenizer().decode(tokenizer().encode_with_special(bytes)), bytes);
  }
  std::string all_bytes;
  for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
  EXPECT_EQ(tokenizer().decode(tokenizer().encode(all_bytes)), all_bytes);
  EXPECT_THAT(tokenizer().encode(""), IsEmpty());
}

TEST(Tokenizer, GivesARepeatedWordTheSameIds) {
  const std::vector<int32_t> once = tokenizer().encode(" jumps over Straße 狐狸跳过了");
  std::string text;
  for (int i = 0; i < 5000; ++i) text += " jumps over Straße 狐狸跳过了";
  const std::vector<int32_t> ids = tokenizer().encode(text);
  ASSERT_EQ(ids.size(), once.size() * 5000);
  for (size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], once[i % once.size()]) << i;
}

TEST(Tokenizer, EncodesAMegabyteThatIsOneWord) {
  std::mt19937 random(4);
  std::string word;
  while (word.size() < (1 << 20)) word += static_cast<char>('a' + random() % 26);
  const std::vector<int32_t> ids = tokenizer().encode(word);
  EXPECT_LT(ids.size(), word.size());
  EXPECT_EQ(tokenizer().decode(ids), word);
}

TEST(Tokenizer, NeverParsesUserTextAsSpecial) {
  for (const char* content : {"]~!b[", "]~b]", "[e~[", "<mm:think>", "</mm:think>", "]<]image[>["}) {
    const int32_t id = tokenizer().special_id(content).value();
    EXPECT_THAT(tokenizer().encode(content), ::testing::Not(::testing::Contains(id)));
    EXPECT_THAT(tokenizer().encode_with_special(content), ElementsAre(id));
    EXPECT_EQ(tokenizer().decode(tokenizer().encode(content)), content);
  }
}

TEST(Tokenizer, FindsAddedTokensInMarkup) {
  const auto user = tokenizer().encode("user\nhi");
  EXPECT_EQ(tokenizer().encode_with_special("]~!b[]~b]user\nhi[e~["),
            (std::vector<int32_t>{2000, 2001} + user + std::vector<int32_t>{2002}));
  EXPECT_THAT(tokenizer().encode_with_special("]<]image[>[x]<]image[>["), ElementsAre(2006, 2005)) << "longest first";
  EXPECT_THAT(tokenizer().encode_with_special("]]~b]"), ElementsAre(id_of("]"), 2001))
      << "leftmost, after a false start";
}

TEST(Tokenizer, KeepsUserSegmentsText) {
  const PromptSegment segments[] = {
      {"]~b]user\n", Origin::Markup}, {"say [e~[ or <mm:think>", Origin::User}, {"[e~[\n", Origin::Markup}};
  const std::vector<int32_t> expected = std::vector<int32_t>{2001} +
                                        tokenizer().encode("user\nsay [e~[ or <mm:think>") +
                                        std::vector<int32_t>{2002} + tokenizer().encode("\n");
  EXPECT_EQ(tokenizer().encode(segments), expected);
}

TEST(Tokenizer, FindsNoAddedTokenAcrossSegments) {
  const PromptSegment segments[] = {
      {"]~", Origin::Markup}, {"b]", Origin::User}, {"[e", Origin::Markup}, {"~[", Origin::Markup}};
  EXPECT_EQ(tokenizer().encode(segments), tokenizer().encode("]~b][e~["));
}

// The reference tokenizes the rendered prompt as one string; so must we where nobody types special tokens.
TEST(Tokenizer, CutsWordsAcrossSegmentsAsInOneText) {
  const PromptSegment segments[] = {
      {"]~b]user\n", Origin::Markup}, {"\n\n  the", Origin::User}, {" dog", Origin::User}, {"s[e~[", Origin::Markup}};
  EXPECT_EQ(tokenizer().encode(segments), tokenizer().encode_with_special("]~b]user\n\n\n  the dogs[e~["));
}

TEST(Tokenizer, DecodesSpecialTokensOrLeavesThemOut) {
  const std::vector<int32_t> ids = tokenizer().encode_with_special("]~b]ai\n<mm:think>hm</mm:think>yes[e~[");
  EXPECT_EQ(tokenizer().decode(ids), "]~b]ai\n<mm:think>hm</mm:think>yes[e~[");
  EXPECT_EQ(tokenizer().decode(ids, SpecialTokens::Drop), "ai\n<mm:think>hm</mm:think>yes") << "by the flag `special`";
}

TEST(Tokenizer, TellsAboutItsTokens) {
  EXPECT_EQ(tokenizer().vocab_size(), 2007);
  EXPECT_EQ(tokenizer().special_id("[e~["), 2002);
  EXPECT_EQ(tokenizer().special_id("<mm:think>"), 2003);
  EXPECT_EQ(tokenizer().special_id("the"), std::nullopt);
  EXPECT_EQ(tokenizer().special_id(""), std::nullopt);
  EXPECT_TRUE(tokenizer().is_special(2002));
  EXPECT_FALSE(tokenizer().is_special(2003));
  EXPECT_FALSE(tokenizer().is_special(id_of("t")));
  EXPECT_EQ(tokenizer().token_bytes(id_of(" the")), " the");
  EXPECT_EQ(tokenizer().token_bytes(id_of("\xFF")), "\xFF");
}

TEST(Tokenizer, ShowsIdsWithoutATokenAsReplacementCharacters) {
  for (const int32_t id : {-1, 1999, 2007, 1 << 30}) {
    EXPECT_FALSE(tokenizer().has_token(id));
    EXPECT_FALSE(tokenizer().is_special(id));
    EXPECT_EQ(tokenizer().decode(std::vector<int32_t>{id, id_of("t")}), "\uFFFDt");
  }
}

TEST(Tokenizer, ReadsMergesAsPairsToo) {
  json pairs = m3_like_tokenizer_json();
  for (json& merge : pairs["model"]["merges"]) {
    const auto both = merge.get<std::string>();
    merge = {both.substr(0, both.find(' ')), both.substr(both.find(' ') + 1)};
  }
  const std::string text = "the quick brown vector<int32_t> Straße";
  EXPECT_EQ(TokenizerOnDisk(pairs).load().encode(text), tokenizer().encode(text));
}

TEST(Tokenizer, KeepsWholeWordsWhereMergesAreIgnored) {
  json whole_words = m3_like_tokenizer_json();
  whole_words["model"]["vocab"][in_byte_alphabet(" zqj")] = 3000;  // no merge makes it
  EXPECT_EQ(TokenizerOnDisk(whole_words).load().encode(" zqj").size(), 4u);
  whole_words["model"]["ignore_merges"] = true;
  const Tokenizer ignoring = TokenizerOnDisk(whole_words).load();
  EXPECT_THAT(ignoring.encode(" zqj"), ElementsAre(3000));
  EXPECT_EQ(ignoring.encode(" zqjx"), tokenizer().encode(" zqjx"));
}

// Some files list added tokens in the vocabulary too, where a whole word of the text could find them.
TEST(Tokenizer, NeverMakesAnAddedTokenOfAWholeWord) {
  json mirrored = m3_like_tokenizer_json();
  mirrored["model"]["ignore_merges"] = true;
  mirrored["model"]["vocab"]["]~!b["] = 2000;
  mirrored["added_tokens"].push_back({{"id", 2007}, {"content", "]~!"}, {"special", true}});
  mirrored["model"]["vocab"]["]~!"] = 2007;
  ASSERT_EQ(m3_words("]~!").size(), 1u);
  const Tokenizer loaded = TokenizerOnDisk(mirrored).load();
  EXPECT_THAT(loaded.encode("]~!"), ::testing::Not(::testing::Contains(2007)));
  EXPECT_THAT(loaded.encode_with_special("]~!"), ElementsAre(2007));
}

TEST(Tokenizer, SplitsByGpt2sPatternWhereByteLevelStandsAlone) {
  json gpt2 = m3_like_tokenizer_json();
  gpt2["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}};
  gpt2["model"]["vocab"]["12"] = 3000;
  gpt2["model"]["vocab"]["1234"] = 3001;
  gpt2["model"]["vocab"]["34"] = 3002;
  gpt2["model"]["merges"] = {"1 2", "3 4", "12 34"};
  EXPECT_THAT(TokenizerOnDisk(gpt2).load().encode("1234"), ElementsAre(3001)) << "digits are not cut in threes";
}

TEST(Tokenizer, ServesManyThreads) {
  const std::string text = "the quick brown fox 狐狸 it's\n12345 std::vector<int32_t>";
  const std::vector<int32_t> expected = tokenizer().encode(text);
  std::vector<int> n_same(4, 0);
  {
    std::vector<std::jthread> threads;
    for (int& count : n_same) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) count += tokenizer().encode(text) == expected ? 1 : 0;
      });
    }
  }
  EXPECT_THAT(n_same, ::testing::Each(200));
}

TEST(Tokenizer, KeepsWorkingAfterAMove) {
  Tokenizer first = TokenizerOnDisk(m3_like_tokenizer_json()).load();
  const Tokenizer second = std::move(first);
  EXPECT_EQ(second.decode(second.encode("the fox")), "the fox");
}

// An oracle apart from the product's decoder: the whole text's invalid parts replaced at once.
std::string shown(std::string_view bytes) {
  std::string text;
  const size_t n_left = append_valid_utf8(bytes, text);
  return n_left == 0 ? text : text + "\uFFFD";
}

TEST(TokenStream, NeverReturnsHalfACharacter) {
  TokenStream stream(tokenizer());
  EXPECT_EQ(stream.push(id_of("\xF0")), "");
  EXPECT_EQ(stream.push(id_of("\x9F")), "");
  EXPECT_EQ(stream.push(id_of("\x98")), "");
  EXPECT_EQ(stream.push(id_of("\x80")), "😀");
  EXPECT_EQ(stream.push(id_of(" the")), " the");
  EXPECT_EQ(stream.flush(), "");
}

TEST(TokenStream, ReplacesWhatNothingCanComplete) {
  TokenStream stream(tokenizer());
  EXPECT_EQ(stream.push(id_of("\xE2")), "");
  EXPECT_EQ(stream.push(id_of("t")), "\uFFFDt") << "as soon as it is certain";
  EXPECT_EQ(stream.push(id_of("\xFF")), "\uFFFD");
  EXPECT_EQ(stream.push(id_of("\xE2")), "");
  EXPECT_EQ(stream.push(id_of("\x82")), "");
  EXPECT_EQ(stream.flush(), "\uFFFD") << "one for the unfinished character";
  EXPECT_EQ(stream.flush(), "");
  EXPECT_EQ(stream.push(id_of("\xAC")), "\uFFFD") << "a new text owes nothing to the last";
}

TEST(TokenStream, EndsACharacterAtASpecialToken) {
  TokenStream keeping(tokenizer());
  EXPECT_EQ(keeping.push(id_of("\xE2")), "");
  EXPECT_EQ(keeping.push(2002), "\uFFFD[e~[");
  TokenStream dropping(tokenizer(), SpecialTokens::Drop);
  EXPECT_EQ(dropping.push(2002), "");
  EXPECT_EQ(dropping.push(2003), "<mm:think>");
}

TEST(TokenStream, GivesTheSameTextHoweverItIsCut) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    const std::string bytes = random_bytes(random);
    std::vector<int32_t> ids = tokenizer().encode(bytes);
    if (round % 2 == 0) {
      ids.clear();
      for (const char byte : bytes) ids.push_back(id_of(std::string(1, byte)));
    }
    TokenStream stream(tokenizer());
    std::string text;
    for (const int32_t id : ids) {
      const std::string piece = stream.push(id);
      ASSERT_EQ(valid_utf8_prefix(piece), piece.size());
      text += piece;
    }
    ASSERT_EQ(text + stream.flush(), shown(bytes));
  }
}

}  // namespace
}  // namespace inference
