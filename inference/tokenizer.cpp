#include "inference/tokenizer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "inference/added_tokens.h"
#include "inference/bpe.h"
#include "inference/check.h"
#include "inference/pre_tokenizer.h"
#include "inference/tokenizer_file.h"
#include "inference/utf8.h"

namespace inference {
namespace {

// Encodes the words of one text. Words recur, so it remembers where a word was last seen and copies its ids from there:
// the text and the ids it wrote are its memory, and nothing is shared between calls or threads.
class WordEncoder {
 public:
  WordEncoder(const Bpe& bpe, size_t text_bytes)
      : bpe_(bpe), seen_(std::clamp(std::bit_ceil(text_bytes / kBytesPerSlot), kMinSlots, kMaxSlots)) {
    ids_.reserve(text_bytes / 3);
  }

  // The word must stay where it is until the end.
  void encode(std::string_view word) {
    if (word.size() > kMaxSeenBytes) {
      bpe_.encode(word, scratch_, ids_);
      return;
    }
    Seen& seen = seen_[std::hash<std::string_view>()(word) & (seen_.size() - 1)];
    const size_t first_id = ids_.size();
    if (seen.word == word) {
      ids_.resize(first_id + seen.n_ids);
      std::copy_n(ids_.begin() + static_cast<ptrdiff_t>(seen.first_id), seen.n_ids,
                  ids_.begin() + static_cast<ptrdiff_t>(first_id));
    } else {
      bpe_.encode(word, scratch_, ids_);
    }
    seen = {.word = word, .first_id = first_id, .n_ids = ids_.size() - first_id};
  }

  void append(int32_t id) { ids_.push_back(id); }

  std::vector<int32_t> take_ids() { return std::move(ids_); }

 private:
  struct Seen {
    std::string_view word;
    size_t first_id = 0;  // in ids_
    size_t n_ids = 0;
  };

  static constexpr size_t kMaxSeenBytes = 64;
  static constexpr size_t kBytesPerSlot = 16;
  static constexpr size_t kMinSlots = 64;
  static constexpr size_t kMaxSlots = 1 << 16;

  const Bpe& bpe_;
  std::vector<Seen> seen_;  // by hash of the word, the latest one wins; size a power of two
  std::vector<int32_t> ids_;
  Bpe::Scratch scratch_;
};

std::vector<int32_t> encode_around(std::string_view text, const std::vector<AddedTokens::Found>& found,
                                   const PreTokenizer& pre_tokenizer, const Bpe& bpe) {
  WordEncoder words(bpe, text.size());
  const PreTokenizer::PieceVisitor encode_word = [&words](std::string_view word) { words.encode(word); };
  size_t done = 0;
  for (const AddedTokens::Found& token : found) {
    pre_tokenizer.split(text.substr(done, token.begin - done), encode_word);
    words.append(token.id);
    done = token.end;
  }
  pre_tokenizer.split(text.substr(done), encode_word);
  return words.take_ids();
}

}  // namespace

Tokenizer::Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::load(const std::filesystem::path& tokenizer_json) {
  TokenizerFile file = read_tokenizer_file(tokenizer_json);
  Tokenizer tokenizer;
  const auto add = [&tokenizer](std::string_view bytes, int32_t id, bool is_special) {
    if (tokenizer.tokens_.size() <= static_cast<size_t>(id)) tokenizer.tokens_.resize(static_cast<size_t>(id) + 1);
    tokenizer.tokens_[static_cast<size_t>(id)] = {.begin_bytes = tokenizer.bytes_.size(),
                                                  .n_bytes = static_cast<uint32_t>(bytes.size()),
                                                  .is_special = is_special};
    tokenizer.bytes_.append(bytes);
  };
  for (const auto& [bytes, id] : file.vocab) add(bytes, id, false);
  for (const AddedToken& token : file.added_tokens) add(token.content, token.id, token.is_special);

  Bpe::Rules rules{.byte_ids = {}, .merges = std::move(file.merges), .whole_words = {}};
  for (int byte = 0; byte < 256; ++byte) {
    rules.byte_ids[static_cast<size_t>(byte)] = file.vocab.at(std::string(1, static_cast<char>(byte)));
  }
  if (file.ignore_merges) rules.whole_words = std::move(file.vocab);
  tokenizer.added_tokens_ = std::make_unique<AddedTokens>(file.added_tokens);
  tokenizer.pre_tokenizer_ = std::make_unique<PreTokenizer>(file.patterns);
  tokenizer.bpe_ = std::make_unique<Bpe>(std::move(rules));
  return tokenizer;
}

std::vector<int32_t> Tokenizer::encode(std::string_view text) const {
  return encode_around(text, {}, *pre_tokenizer_, *bpe_);
}

std::vector<int32_t> Tokenizer::encode_with_special(std::string_view text) const {
  std::vector<AddedTokens::Found> found;
  added_tokens_->find_all(text, 0, found);
  return encode_around(text, found, *pre_tokenizer_, *bpe_);
}

std::vector<int32_t> Tokenizer::encode(std::span<const PromptSegment> segments) const {
  std::string whole;
  std::vector<AddedTokens::Found> found;
  for (const PromptSegment& segment : segments) {
    if (segment.origin == PromptSegment::Origin::Markup) added_tokens_->find_all(segment.text, whole.size(), found);
    whole += segment.text;
  }
  return encode_around(whole, found, *pre_tokenizer_, *bpe_);
}

std::string Tokenizer::decode(std::span<const int32_t> ids, SpecialTokens special) const {
  std::string bytes;
  for (const int32_t id : ids) {
    if (special == SpecialTokens::Drop && is_special(id)) continue;
    bytes += token_bytes(id);
  }
  return bytes;
}

std::optional<int32_t> Tokenizer::special_id(std::string_view content) const {
  return added_tokens_->id(content);
}

bool Tokenizer::is_special(int32_t id) const {
  return has_token(id) && tokens_[static_cast<size_t>(id)].is_special;
}

bool Tokenizer::has_token(int32_t id) const {
  return id >= 0 && id < vocab_size() && tokens_[static_cast<size_t>(id)].n_bytes > 0;
}

std::string_view Tokenizer::token_bytes(int32_t id) const {
  if (!has_token(id)) return kReplacementChar;
  const Token& token = tokens_[static_cast<size_t>(id)];
  return std::string_view(bytes_).substr(token.begin_bytes, token.n_bytes);
}

std::string TokenStream::push(int32_t id) {
  if (special_ == SpecialTokens::Drop && tokenizer_.is_special(id)) return {};
  held_ += tokenizer_.token_bytes(id);
  std::string text;
  const size_t n_held = append_valid_utf8(held_, text);
  held_.erase(0, held_.size() - n_held);
  return text;
}

std::string TokenStream::flush() {
  const bool is_cut = !held_.empty();
  held_.clear();
  return std::string(is_cut ? kReplacementChar : "");
}

}  // namespace inference
