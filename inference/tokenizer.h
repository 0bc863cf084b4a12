#pragma once
// Text to token ids and back: byte-level BPE as described by a checkpoint's tokenizer.json.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace inference {

class AddedTokens;
class Bpe;
class PreTokenizer;

// One stretch of a prompt. Markup comes from the chat template: added tokens in it are recognised. User text (whatever
// was not written by the template: user, tool output, files) stays text even where it spells an added token.
struct PromptSegment {
  enum class Origin { Markup, User };
  std::string_view text;
  Origin origin = Origin::User;
};

enum class SpecialTokens { Keep, Drop };

// The vocabulary with its rules. Immutable after load: any number of threads may use one.
//
// Every byte string survives: decode(encode(bytes)) == bytes. Where the bytes aren't UTF-8, each run of invalid bytes
// is a word of its own and the valid text around it is split as if it stood alone.
//
// "Added token" means each entry of added_tokens (`<mm:think>`, `]~b]`); "special" those among them with the flag
// `special`. No added token ever comes out of ordinary text.
class Tokenizer {
 public:
  // Throws Error naming the file, the key, what was expected and what was found.
  static Tokenizer load(const std::filesystem::path& tokenizer_json);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // All of `text` as ordinary text. Adds no beginning-of-text token (nor does any other function here).
  std::vector<int32_t> encode(std::string_view text) const;
  // All of `text` as markup: added tokens are recognised, the longest first where several begin at the same place.
  std::vector<int32_t> encode_with_special(std::string_view text) const;
  // The segments as one text. An added token never spans two segments, but ordinary words do, as in training: where no
  // user text spells an added token the ids equal encode_with_special(all segments joined).
  std::vector<int32_t> encode(std::span<const PromptSegment> segments) const;

  // The exact bytes of the tokens; may be invalid UTF-8 (see TokenStream for text to show). An id without a token
  // (a model may have more embedding rows than there are tokens) becomes U+FFFD. Drop leaves out special tokens.
  std::string decode(std::span<const int32_t> ids, SpecialTokens special = SpecialTokens::Keep) const;

  // The added token, special or not, that is spelt exactly so.
  std::optional<int32_t> special_id(std::string_view content) const;
  bool is_special(int32_t id) const;
  bool has_token(int32_t id) const;
  // Lives as long as the tokenizer. U+FFFD for an id without a token.
  std::string_view token_bytes(int32_t id) const;
  // One more than the highest id; there may be holes below.
  int vocab_size() const { return static_cast<int>(tokens_.size()); }

 private:
  struct Token {
    size_t begin_bytes = 0;  // in bytes_
    uint32_t n_bytes = 0;    // 0: no such token
    bool is_special = false;
  };

  Tokenizer();

  std::string bytes_;          // of all tokens, one after the other
  std::vector<Token> tokens_;  // [vocab_size]
  std::unique_ptr<const AddedTokens> added_tokens_;
  std::unique_ptr<const PreTokenizer> pre_tokenizer_;
  std::unique_ptr<const Bpe> bpe_;
};

// Turns tokens into text as they arrive. Whatever it has returned so far is valid UTF-8: bytes of an unfinished
// character are held until the next tokens complete it, and U+FFFD stands for bytes that nothing can complete.
// All pieces and flush() together are the text of the whole, however it was cut into tokens.
// The tokenizer must outlive the stream.
class TokenStream {
 public:
  explicit TokenStream(const Tokenizer& tokenizer, SpecialTokens special = SpecialTokens::Keep)
      : tokenizer_(tokenizer), special_(special) {}

  // The text that became certain with this token; often empty inside a character.
  [[nodiscard]] std::string push(int32_t id);
  // The end of the text: an unfinished character becomes U+FFFD. The stream can then be used for a new text.
  [[nodiscard]] std::string flush();

 private:
  const Tokenizer& tokenizer_;
  SpecialTokens special_;
  std::string held_;  // 0..3 bytes that begin a character
};

}  // namespace inference
