#pragma once
// A small tokenizer of M3's kind, trained in the test, and a slow twin of its merging to compare with.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "inference/tokenizer.h"

namespace inference::testing {

// The pattern of M3's tokenizer.
inline constexpr std::string_view kM3Pattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// The bytes in the alphabet of the file.
std::string in_byte_alphabet(std::string_view bytes);

// 256 bytes, some 400 merges learnt from a few lines of prose, code and other scripts, and added tokens from id 2000
// on:
//   2000 "]~!b["  2001 "]~b]"  2002 "[e~["  2003 "<mm:think>" (not special)  2004 "</mm:think>" (not special)
//   2005 "]<]image[>["  2006 "]<]image[>[x"
const nlohmann::json& m3_like_tokenizer_json();

// Writes the file into a directory of its own, which goes when this object goes.
class TokenizerOnDisk {
 public:
  explicit TokenizerOnDisk(const nlohmann::json& tokenizer);
  ~TokenizerOnDisk();

  const std::filesystem::path& path() const { return path_; }
  Tokenizer load() const { return Tokenizer::load(path_); }

 private:
  std::filesystem::path path_;
};

// BPE of one word as the definition says it: look for the best pair in the whole word, join it, start again.
std::vector<int32_t> naive_bpe(const nlohmann::json& tokenizer, std::string_view word);

// The words of a text by M3's pattern.
std::vector<std::string> m3_words(std::string_view text);

}  // namespace inference::testing
