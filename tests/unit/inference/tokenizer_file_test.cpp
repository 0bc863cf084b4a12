#include "inference/tokenizer_file.h"

#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "inference/check.h"
#include "inference/tokenizer.h"
#include "tests/unit/inference/tokenizer_fixture.h"

namespace inference {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::in_byte_alphabet;
using testing::m3_like_tokenizer_json;

std::string problem_with(std::string_view content) {
  try {
    parse_tokenizer_file(content, "some/tokenizer.json");
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

struct Fault {
  const char* name;
  std::function<void(json&)> make;
  const char* key;
  const char* problem;
};

std::ostream& operator<<(std::ostream& out, const Fault& fault) {
  return out << fault.name;
}

json& step(json& root, size_t i) {
  return root["pre_tokenizer"]["pretokenizers"][i];
}
json& merge(json& root, size_t i) {
  return root["model"]["merges"][i];
}

// A file with one thing wrong.
const Fault kFaults[] = {
    {"NoModel", [](json& j) { j.erase("model"); }, "the file", "expected a key \"model\", found none"},
    {"NotAnObject", [](json& j) { j = json::array({1}); }, "the file", "expected an object, found an array of 1"},
    {"ModelIsAString", [](json& j) { j["model"] = "x"; }, "model", "expected an object, found \"x\""},
    {"NoModelType", [](json& j) { j["model"].erase("type"); }, "model", "expected a key \"type\", found none"},
    {"Unigram", [](json& j) { j["model"]["type"] = "Unigram"; }, "model.type", "expected \"BPE\", found \"Unigram\""},
    {"ByteFallback", [](json& j) { j["model"]["byte_fallback"] = true; }, "model.byte_fallback", "found true"},
    {"Prefix", [](json& j) { j["model"]["continuing_subword_prefix"] = "##"; }, "model.continuing_subword_prefix",
     "found \"##\""},
    {"Suffix", [](json& j) { j["model"]["end_of_word_suffix"] = "</w>"; }, "model.end_of_word_suffix",
     "found \"</w>\""},
    {"Dropout", [](json& j) { j["model"]["dropout"] = 0.1; }, "model.dropout", "expected null, found 0.1"},
    {"IgnoreMergesIsANumber", [](json& j) { j["model"]["ignore_merges"] = 1; }, "model.ignore_merges",
     "expected true or false, found 1"},
    {"NoVocab", [](json& j) { j["model"].erase("vocab"); }, "model", "expected a key \"vocab\""},
    {"VocabIsAnArray", [](json& j) { j["model"]["vocab"] = json::array(); }, "model.vocab",
     "expected an object, found an array of 0"},
    {"VocabIsEmpty", [](json& j) { j["model"]["vocab"] = json::object(); }, "model.vocab", "found none for byte 0"},
    {"NoByte", [](json& j) { j["model"]["vocab"].erase(in_byte_alphabet("\x0B")); }, "model.vocab",
     "found none for byte 11"},
    {"IdIsAString", [](json& j) { j["model"]["vocab"]["a"] = "7"; }, "model.vocab.a",
     "expected an id from 0 to 1048575, found \"7\""},
    {"IdIsNegative", [](json& j) { j["model"]["vocab"]["a"] = -1; }, "model.vocab.a", "found -1"},
    {"IdIsAFraction", [](json& j) { j["model"]["vocab"]["a"] = 1.5; }, "model.vocab.a", "found 1.5"},
    {"IdIsHuge", [](json& j) { j["model"]["vocab"]["a"] = 1 << 20; }, "model.vocab.a", "found 1048576"},
    {"IdIsBeyond64Bits", [](json& j) { j["model"]["vocab"]["a"] = UINT64_MAX; }, "model.vocab.a",
     "found 18446744073709551615"},
    {"IdTwice", [](json& j) { j["model"]["vocab"]["b"] = j["model"]["vocab"]["a"]; }, "model.vocab.b",
     "which \"a\" has too"},
    {"TokenInOtherAlphabet", [](json& j) { j["model"]["vocab"]["a b"] = 3000; }, "model.vocab.a b",
     "isn't written in the byte-level alphabet"},
    {"EmptyToken", [](json& j) { j["model"]["vocab"][""] = 3000; }, "model.vocab.",
     "isn't written in the byte-level alphabet"},
    {"NoMerges", [](json& j) { j["model"].erase("merges"); }, "model", "expected a key \"merges\""},
    {"MergesIsAnObject", [](json& j) { j["model"]["merges"] = json::object(); }, "model.merges", "expected an array"},
    {"MergeIsANumber", [](json& j) { merge(j, 3) = 5; }, "model.merges[3]",
     "expected \"left right\" or [\"left\", \"right\"], found 5"},
    {"MergeOfOne", [](json& j) { merge(j, 3) = "a"; }, "model.merges[3]",
     "expected two tokens with one space between, found \"a\""},
    {"MergeOfThree", [](json& j) { merge(j, 3) = "a b c"; }, "model.merges[3]", "one space between"},
    {"PairOfThree",
     [](json& j) {
       merge(j, 3) = {"a", "b", "c"};
     },
     "model.merges[3]", "found an array of 3"},
    {"PairOfNumbers",
     [](json& j) {
       merge(j, 3) = {1, 2};
     },
     "model.merges[3][0]", "expected a string, found 1"},
    {"MergeOfUnknown", [](json& j) { merge(j, 3) = "a nope"; }, "model.merges[3]", "found \"nope\""},
    {"MergeMakesUnknown", [](json& j) { merge(j, 3) = "q q"; }, "model.merges[3]", "found \"qq\""},
    {"MergeTwice", [](json& j) { merge(j, 3) = merge(j, 2); }, "model.merges[3]", "expected no pair twice"},
    {"MergeMakesAddedToken",
     [](json& j) {
       j["model"]["vocab"]["[e~["] = 2002;
       merge(j, 3) = "[e ~[";
     },
     "model.merges[3]", "that aren't added tokens"},
    {"AddedIsAnObject", [](json& j) { j["added_tokens"] = json::object(); }, "added_tokens", "expected an array"},
    {"AddedEntryIsAString", [](json& j) { j["added_tokens"][1] = "x"; }, "added_tokens[1]", "expected an object"},
    {"AddedWithoutContent", [](json& j) { j["added_tokens"][1].erase("content"); }, "added_tokens[1]",
     "expected a key \"content\""},
    {"AddedWithoutId", [](json& j) { j["added_tokens"][1].erase("id"); }, "added_tokens[1]", "expected a key \"id\""},
    {"AddedIsEmpty", [](json& j) { j["added_tokens"][1]["content"] = ""; }, "added_tokens[1].content",
     "expected some text"},
    {"AddedTwice", [](json& j) { j["added_tokens"][1]["content"] = "]~!b["; }, "added_tokens[1].content",
     "expected no content twice"},
    {"AddedIdTwice", [](json& j) { j["added_tokens"][1]["id"] = 2000; }, "added_tokens[1].id",
     "which \"]~!b[\" has too"},
    {"AddedIdOfOrdinary", [](json& j) { j["added_tokens"][1]["id"] = j["model"]["vocab"]["a"]; }, "model.vocab.a",
     "which \"]~b]\" has too"},
    {"AddedIdDiffers", [](json& j) { j["model"]["vocab"]["]~b]"] = 3000; }, "model.vocab.]~b]",
     "expected 2001 as in added_tokens, found 3000"},
    {"AddedIsAByte",
     [](json& j) {
       j["added_tokens"][1] = {{"content", "a"}, {"id", j["model"]["vocab"]["a"]}};
     },
     "model.vocab", "found none for byte 97"},
    {"AddedStripsLeft", [](json& j) { j["added_tokens"][1]["lstrip"] = true; }, "added_tokens[1].lstrip",
     "expected false"},
    {"AddedStripsRight", [](json& j) { j["added_tokens"][1]["rstrip"] = true; }, "added_tokens[1].rstrip",
     "expected false"},
    {"AddedSingleWord", [](json& j) { j["added_tokens"][1]["single_word"] = true; }, "added_tokens[1].single_word",
     "expected false"},
    {"AddedSpecialIsNull", [](json& j) { j["added_tokens"][1]["special"] = nullptr; }, "added_tokens[1].special",
     "expected true or false, found null"},
    {"Normalizer",
     [](json& j) {
       j["normalizer"] = {{"type", "NFC"}};
     },
     "normalizer", "expected null (no normalizer), found an object of 1"},
    {"OtherDecoder",
     [](json& j) {
       j["decoder"] = {{"type", "Metaspace"}};
     },
     "decoder.type", "expected \"ByteLevel\""},
    {"NoPreTokenizer", [](json& j) { j.erase("pre_tokenizer"); }, "the file", "expected a key \"pre_tokenizer\""},
    {"NullPreTokenizer", [](json& j) { j["pre_tokenizer"] = nullptr; }, "pre_tokenizer",
     "expected an object, found null"},
    {"Metaspace",
     [](json& j) {
       j["pre_tokenizer"] = {{"type", "Metaspace"}};
     },
     "pre_tokenizer.type", "expected \"ByteLevel\""},
    {"NoSteps", [](json& j) { j["pre_tokenizer"]["pretokenizers"] = json::array(); }, "pre_tokenizer.pretokenizers",
     "at least one step"},
    {"StepsWithoutByteLevel", [](json& j) { j["pre_tokenizer"]["pretokenizers"].erase(1); },
     "pre_tokenizer.pretokenizers[0].type", "expected \"ByteLevel\", found \"Split\""},
    {"StepOfOtherKind", [](json& j) { step(j, 0)["type"] = "Digits"; }, "pre_tokenizer.pretokenizers[0].type",
     "expected \"Split\""},
    {"SplitRemoves", [](json& j) { step(j, 0)["behavior"] = "Removed"; }, "pre_tokenizer.pretokenizers[0].behavior",
     "expected \"Isolated\""},
    {"SplitInverts", [](json& j) { step(j, 0)["invert"] = true; }, "pre_tokenizer.pretokenizers[0].invert",
     "expected false"},
    {"SplitByString",
     [](json& j) {
       step(j, 0)["pattern"] = {{"String", " "}};
     },
     "pre_tokenizer.pretokenizers[0].pattern", "expected a key \"Regex\""},
    {"BrokenPattern", [](json& j) { step(j, 0)["pattern"]["Regex"] = "(a"; }, "pre_tokenizer.pretokenizers[0].pattern",
     "missing closing parenthesis"},
    {"PrefixSpace", [](json& j) { step(j, 1)["add_prefix_space"] = true; },
     "pre_tokenizer.pretokenizers[1].add_prefix_space", "expected false"},
    {"NoPrefixSpaceKey", [](json& j) { step(j, 1).erase("add_prefix_space"); }, "pre_tokenizer.pretokenizers[1]",
     "expected a key \"add_prefix_space\""},
};

class TokenizerFileFault : public ::testing::TestWithParam<Fault> {};

TEST_P(TokenizerFileFault, IsNamedWithItsKey) {
  json root = m3_like_tokenizer_json();
  GetParam().make(root);
  const std::string where = std::string("tokenizer some/tokenizer.json: ") + GetParam().key + ": ";
  EXPECT_THAT(problem_with(root.dump()), AllOf(HasSubstr(where), HasSubstr(GetParam().problem)));
}

INSTANTIATE_TEST_SUITE_P(Each, TokenizerFileFault, ::testing::ValuesIn(kFaults),
                         [](const auto& info) { return info.param.name; });

TEST(TokenizerFile, AcceptsTheWholeOne) {
  EXPECT_EQ(problem_with(m3_like_tokenizer_json().dump()), "no error");
}

TEST(TokenizerFile, RefusesATextCutAnywhere) {
  const std::string whole = m3_like_tokenizer_json().dump();
  for (size_t n_bytes = 0; n_bytes < whole.size(); n_bytes += 1 + n_bytes / 16) {
    EXPECT_THAT(problem_with(whole.substr(0, n_bytes)), HasSubstr("the file: expected JSON")) << n_bytes;
  }
}

TEST(TokenizerFile, RefusesInvalidUtf8) {
  EXPECT_THAT(problem_with("{\"model\": \"\xFF\"}"), HasSubstr("expected JSON"));
}

TEST(TokenizerFile, SurvivesDeepNesting) {
  constexpr size_t kDepth = 1'000'000;
  EXPECT_THAT(problem_with(std::string(kDepth, '[')), HasSubstr("expected JSON"));
  EXPECT_THAT(problem_with(std::string(kDepth, '[') + std::string(kDepth, ']')), HasSubstr("expected an object"));
  std::string nested = R"({"model":)";
  for (size_t i = 0; i < kDepth; ++i) nested += R"({"model":)";
  EXPECT_THAT(problem_with(nested + "1" + std::string(kDepth + 1, '}')), HasSubstr("model: expected a key \"type\""));
}

TEST(TokenizerFile, KeepsMessagesShort) {
  json root = m3_like_tokenizer_json();
  root["model"]["type"] = std::string(1 << 20, 'x');
  EXPECT_LT(problem_with(root.dump()).size(), 400u);
  EXPECT_LT(problem_with("{\"" + std::string(1 << 20, 'x')).size(), 400u);
}

TEST(TokenizerFile, NamesAFileThatCannotBeRead) {
  try {
    Tokenizer::load("/nowhere/tokenizer.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "/nowhere/tokenizer.json: cannot be read: No such file or directory; check its name, and who may read it");
  }
}

}  // namespace
}  // namespace inference
