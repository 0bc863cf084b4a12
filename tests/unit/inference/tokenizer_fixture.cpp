#include "tests/unit/inference/tokenizer_fixture.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "inference/pre_tokenizer.h"

namespace inference::testing {
namespace {

using nlohmann::json;

constexpr size_t kMerges = 400;

constexpr std::string_view kTrainingText =
    "the quick brown fox jumps over the lazy dog. The dog doesn't mind; it's asleep, they'll say.\n"
    "#include <vector>\nint main(int argc, char** argv) {\n  return 0;\n}\n    std::vector<int32_t> encode(text);\n"
    "def load(path):\n    with open(path) as file:\n        return file.read()  # the whole file\n"
    "Größe über Straße. Быстрая лиса прыгает через собаку. 敏捷的狐狸跳过了懒狗。 これは日本語の文です。 한국어 "
    "문장입니다.\n"
    "e\u0301te\u0301 👩\u200d👩\u200d👧 😀😀 1234567890 2026-11-29 https://example.org/a/b\r\n\r\n\t\tHTTPServer getURL "
    "iPhone McDonald\n";

// The code point that stands for each byte: written out from the definition, apart from the product's own table.
std::string symbol_of(uint8_t byte) {
  const bool is_printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  uint32_t code_point = byte;
  if (!is_printable) {
    code_point = 256;
    for (uint32_t before = 0; before < byte; ++before) {
      if (before <= 32 || (before >= 127 && before <= 160) || before == 173) ++code_point;
    }
  }
  if (code_point < 0x80) return std::string(1, static_cast<char>(code_point));
  return {static_cast<char>(0xC0 | code_point >> 6), static_cast<char>(0x80 | (code_point & 0x3F))};
}

using Word = std::vector<std::string>;

void join_everywhere(Word& word, const std::pair<std::string, std::string>& pair) {
  for (size_t i = 0; i + 1 < word.size(); ++i) {
    if (word[i] != pair.first || word[i + 1] != pair.second) continue;
    word[i] += word[i + 1];
    word.erase(word.begin() + static_cast<ptrdiff_t>(i) + 1);
  }
}

// The most frequent pair is learnt first; equal ones in alphabetical order.
std::vector<std::pair<std::string, std::string>> learn_merges(std::vector<Word> words) {
  std::vector<std::pair<std::string, std::string>> merges;
  while (merges.size() < kMerges) {
    std::map<std::pair<std::string, std::string>, int> counts;
    for (const Word& word : words) {
      for (size_t i = 0; i + 1 < word.size(); ++i) ++counts[{word[i], word[i + 1]}];
    }
    const auto best = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best == counts.end()) break;
    merges.push_back(best->first);
    for (Word& word : words) join_everywhere(word, merges.back());
  }
  return merges;
}

json added_token(int32_t id, const std::string& content, bool is_special) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", is_special}};
}

json make_json() {
  std::vector<Word> words;
  for (const std::string& text : m3_words(kTrainingText)) {
    Word& word = words.emplace_back();
    for (const char byte : text) word.push_back(symbol_of(static_cast<uint8_t>(byte)));
  }
  json vocab = json::object();
  for (int byte = 0; byte < 256; ++byte) vocab[symbol_of(static_cast<uint8_t>(byte))] = 255 - byte;
  json merges = json::array();
  for (const auto& [left, right] : learn_merges(words)) {
    merges.push_back(left + " " + right);
    vocab.emplace(left + right, 256 + merges.size());  // two merges may make the same token
  }
  return {{"version", "1.0"},
          {"added_tokens",
           {added_token(2000, "]~!b[", true), added_token(2001, "]~b]", true), added_token(2002, "[e~[", true),
            added_token(2003, "<mm:think>", false), added_token(2004, "</mm:think>", false),
            added_token(2005, "]<]image[>[", true), added_token(2006, "]<]image[>[x", true)}},
          {"normalizer", nullptr},
          {"pre_tokenizer",
           {{"type", "Sequence"},
            {"pretokenizers",
             {{{"type", "Split"}, {"pattern", {{"Regex", kM3Pattern}}}, {"behavior", "Isolated"}, {"invert", false}},
              {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}}}}}},
          {"decoder", {{"type", "ByteLevel"}, {"add_prefix_space", true}}},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"byte_fallback", false},
            {"ignore_merges", false},
            {"vocab", vocab},
            {"merges", merges}}}};
}

}  // namespace

std::string in_byte_alphabet(std::string_view bytes) {
  std::string written;
  for (const char byte : bytes) written += symbol_of(static_cast<uint8_t>(byte));
  return written;
}

const json& m3_like_tokenizer_json() {
  static const json learnt = make_json();
  return learnt;
}

TokenizerOnDisk::TokenizerOnDisk(const json& tokenizer) {
  static std::atomic<int> n_made = 0;
  path_ = std::filesystem::path(::testing::TempDir()) /
          ("tokenizer-" + std::to_string(getpid()) + "-" + std::to_string(n_made++)) / "tokenizer.json";
  std::filesystem::create_directories(path_.parent_path());
  std::ofstream(path_, std::ios::binary) << tokenizer;
}

TokenizerOnDisk::~TokenizerOnDisk() {
  std::filesystem::remove_all(path_.parent_path());
}

std::vector<int32_t> naive_bpe(const json& tokenizer, std::string_view word) {
  Word symbols;
  for (const char byte : word) symbols.push_back(symbol_of(static_cast<uint8_t>(byte)));
  std::map<std::string, size_t> ranks;
  for (const json& merge : tokenizer["model"]["merges"]) ranks.emplace(merge.get<std::string>(), ranks.size());
  while (true) {
    std::optional<std::pair<size_t, size_t>> best;  // rank, position
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto rank = ranks.find(symbols[i] + " " + symbols[i + 1]);
      if (rank != ranks.end() && (!best || rank->second < best->first)) best = {rank->second, i};
    }
    if (!best) break;
    symbols[best->second] += symbols[best->second + 1];
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(best->second) + 1);
  }
  std::vector<int32_t> ids;
  for (const std::string& symbol : symbols) ids.push_back(tokenizer["model"]["vocab"][symbol].get<int32_t>());
  return ids;
}

std::vector<std::string> m3_words(std::string_view text) {
  std::vector<std::string> words;
  PreTokenizer({std::string(kM3Pattern)}).split(text, [&words](std::string_view word) { words.emplace_back(word); });
  return words;
}

}  // namespace inference::testing
