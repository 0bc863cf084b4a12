#pragma once
// The contents of a Hugging Face tokenizer.json, checked.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "inference/added_tokens.h"
#include "inference/bpe.h"

namespace inference {

struct TokenizerFile {
  WordIds vocab;               // bytes of each ordinary token → id; has every single byte; without the added tokens
  std::vector<Merge> merges;   // of ordinary tokens, in order of rank, no pair twice
  bool ignore_merges = false;  // a word that is a token stays whole even if the merges would not make it
  std::vector<AddedToken> added_tokens;  // no content and no id twice; no id of `vocab`
  std::vector<std::string> patterns;     // of the pre-tokenizer, in order
};

// Accepts what a byte-level BPE needs and refuses what it would have to ignore (normalizers, other pre-tokenizers,
// added tokens that strip spaces …): a tokenizer that differs a little makes a model that is wrong a little.
// `post_processor` is the exception: it adds tokens that here the chat template writes itself.
// Both throw Error naming the file, the key, what was expected and what was found.
TokenizerFile read_tokenizer_file(const std::filesystem::path& path);
// `path` only names the file in messages.
TokenizerFile parse_tokenizer_file(std::string_view content, const std::filesystem::path& path);

}  // namespace inference
