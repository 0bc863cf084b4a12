#pragma once
// Byte pair encoding of one word: start from its bytes and keep joining the neighbours whose merge has the lowest rank,
// the leftmost first, until no neighbours can be joined.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace inference {

struct Merge {
  int32_t left;
  int32_t right;
  int32_t merged;
};

// Looks up a string_view without making a string of it.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using WordIds = std::unordered_map<std::string, int32_t, StringHash, std::equal_to<>>;

class Bpe {
 public:
  struct Rules {
    std::array<int32_t, 256> byte_ids;  // token of each single byte
    std::vector<Merge> merges;          // in order of rank; no pair twice
    WordIds whole_words;                // words that are one token whatever the merges say
  };
  // Memory of one caller, reused from word to word.
  class Scratch;

  explicit Bpe(Rules rules);

  // Appends the ids of `word`. O(n log n) in its length.
  void encode(std::string_view word, Scratch& scratch, std::vector<int32_t>& ids) const;

 private:
  struct Slot {
    uint64_t pair;  // left id << 32 | right id; kNoPair when free
    uint32_t rank;
    int32_t merged;
  };

  const Slot* find(int32_t left, int32_t right) const;
  void merge_all(Scratch& scratch) const;
  void propose(uint32_t at, Scratch& scratch) const;

  std::array<int32_t, 256> byte_ids_;
  WordIds whole_words_;
  std::vector<Slot> slots_;  // open addressing, size a power of two, at most half full
  int hash_shift_;
};

class Bpe::Scratch {
  friend class Bpe;
  // The symbols of the word as a linked list over the positions of their first bytes.
  struct Symbol {
    int32_t id;  // kGone once it was joined to the symbol before it
    uint32_t previous;
    uint32_t next;
  };
  struct Candidate {
    uint32_t rank;
    uint32_t at;  // position of the left symbol
    int32_t left;
    int32_t right;  // the pair when proposed: a symbol that changed since makes the candidate void
    int32_t merged;
  };
  std::vector<Symbol> symbols_;
  std::vector<Candidate> heap_;  // lowest rank, then leftmost, on top
};

}  // namespace inference
