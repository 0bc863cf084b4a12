// Any bytes survive every way of encoding, streams show what the whole shows, and nobody can type an added token.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inference/check.h"
#include "inference/tokenizer.h"
#include "inference/utf8.h"
#include "tests/unit/inference/tokenizer_fixture.h"

using namespace inference;

namespace {

constexpr int32_t kFirstAddedId = 2000;

void check_stream(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  const std::string bytes = tokenizer.decode(ids);
  std::string whole;
  if (append_valid_utf8(bytes, whole) > 0) whole += kReplacementChar;
  TokenStream stream(tokenizer);
  std::string streamed;
  for (const int32_t id : ids) {
    const std::string piece = stream.push(id);
    INFERENCE_CHECK(valid_utf8_prefix(piece) == piece.size(), "half a character");
    streamed += piece;
  }
  streamed += stream.flush();
  INFERENCE_CHECK(streamed == whole, "the stream differs");
}

// The text cut in three by its first two bytes: markup, user, markup.
void check_segments(const Tokenizer& tokenizer, std::string_view text) {
  const size_t first = std::min<size_t>(static_cast<uint8_t>(text[0]), text.size());
  const size_t second = std::min<size_t>(first + static_cast<uint8_t>(text[1]), text.size());
  using Origin = PromptSegment::Origin;
  const PromptSegment segments[] = {{text.substr(0, first), Origin::Markup},
                                    {text.substr(first, second - first), Origin::User},
                                    {text.substr(second), Origin::Markup}};
  const std::vector<int32_t> ids = tokenizer.encode(segments);
  INFERENCE_CHECK(tokenizer.decode(ids) == text, "segments don't survive");
  const auto n_added = [](const std::vector<int32_t>& of) {
    return std::count_if(of.begin(), of.end(), [](int32_t id) { return id >= kFirstAddedId; });
  };
  const auto n_in_markup = n_added(tokenizer.encode_with_special(segments[0].text)) +
                           n_added(tokenizer.encode_with_special(segments[2].text));
  INFERENCE_CHECK(n_added(ids) == n_in_markup, "an added token outside the markup");
  INFERENCE_CHECK(n_added(tokenizer.encode(text)) == 0, "an added token in plain text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Tokenizer tokenizer =
      inference::testing::TokenizerOnDisk(inference::testing::m3_like_tokenizer_json()).load();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<int32_t> ids = tokenizer.encode(text);
  INFERENCE_CHECK(tokenizer.decode(ids) == text, "plain text doesn't survive");
  const std::vector<int32_t> markup_ids = tokenizer.encode_with_special(text);
  INFERENCE_CHECK(tokenizer.decode(markup_ids) == text, "markup doesn't survive");
  check_stream(tokenizer, ids);
  // The input as ids: whatever a model may choose.
  std::vector<int32_t> any_ids;
  for (size_t i = 0; i + 1 < size; i += 2) any_ids.push_back((data[i] | data[i + 1] << 8) % 2100);
  check_stream(tokenizer, any_ids);
  if (size >= 2) check_segments(tokenizer, text);
  return 0;
}
