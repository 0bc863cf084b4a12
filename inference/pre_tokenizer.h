#pragma once
// Cuts text into the words that BPE never joins across, by the checkpoint's own patterns.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace inference {

// GPT-2's split, which a ByteLevel pre-tokenizer with `use_regex` stands for.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

class SplitPattern;

// Immutable: any number of threads may use one.
class PreTokenizer {
 public:
  using PieceVisitor = std::function<void(std::string_view piece)>;

  // Each pattern cuts the pieces of the one before it; its matches and the gaps between them are pieces. Without a
  // pattern the whole text is one piece. Throws Error for a pattern that can't be compiled or isn't supported.
  explicit PreTokenizer(const std::vector<std::string>& patterns);
  ~PreTokenizer();

  // Visits the pieces in order; none is empty and together they are `text`, which may hold invalid UTF-8: each run
  // of invalid bytes is a piece, and the text on either side of it is cut as if it stood alone.
  void split(std::string_view text, const PieceVisitor& visit) const;

 private:
  std::vector<std::unique_ptr<const SplitPattern>> patterns_;
};

}  // namespace inference
