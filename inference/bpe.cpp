#include "inference/bpe.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "inference/check.h"

namespace inference {
namespace {

constexpr uint64_t kNoPair = std::numeric_limits<uint64_t>::max();
constexpr int32_t kGone = -1;
constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

uint64_t pair_key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

// Fibonacci hashing: the high bits of the product are well mixed.
size_t slot_of(uint64_t key, int shift) {
  return (key ^ key >> 29) * 0x9E3779B97F4A7C15u >> shift;
}

// For a heap with the candidate to take first on top.
constexpr auto kComesLater = [](const auto& a, const auto& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.at > b.at;
};

}  // namespace

Bpe::Bpe(Rules rules) : byte_ids_(rules.byte_ids), whole_words_(std::move(rules.whole_words)) {
  const size_t n_slots = std::bit_ceil(std::max<size_t>(2, 2 * rules.merges.size()));
  hash_shift_ = 64 - std::countr_zero(n_slots);
  slots_.assign(n_slots, Slot{.pair = kNoPair, .rank = 0, .merged = 0});
  uint32_t rank = 0;
  for (const Merge& merge : rules.merges) {
    const uint64_t key = pair_key(merge.left, merge.right);
    size_t at = slot_of(key, hash_shift_);
    while (slots_[at].pair != kNoPair) {
      INFERENCE_CHECK(slots_[at].pair != key, "merge ", rank, " repeats an earlier pair");
      at = (at + 1) & (n_slots - 1);
    }
    slots_[at] = {.pair = key, .rank = rank++, .merged = merge.merged};
  }
}

const Bpe::Slot* Bpe::find(int32_t left, int32_t right) const {
  const uint64_t key = pair_key(left, right);
  for (size_t at = slot_of(key, hash_shift_);; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].pair == key) return &slots_[at];
    if (slots_[at].pair == kNoPair) return nullptr;
  }
}

void Bpe::encode(std::string_view word, Scratch& scratch, std::vector<int32_t>& ids) const {
  if (!whole_words_.empty()) {
    if (const auto whole = whole_words_.find(word); whole != whole_words_.end()) {
      ids.push_back(whole->second);
      return;
    }
  }
  INFERENCE_CHECK(word.size() < kNone, "a word of ", word.size(), " bytes");
  const auto n_bytes = static_cast<uint32_t>(word.size());
  scratch.symbols_.resize(n_bytes);
  for (uint32_t i = 0; i < n_bytes; ++i) {
    scratch.symbols_[i] = {.id = byte_ids_[static_cast<uint8_t>(word[i])],
                           .previous = i == 0 ? kNone : i - 1,
                           .next = i + 1 == n_bytes ? kNone : i + 1};
  }
  merge_all(scratch);
  for (uint32_t i = 0; i < n_bytes; ++i) {
    if (scratch.symbols_[i].id != kGone) ids.push_back(scratch.symbols_[i].id);
  }
}

void Bpe::propose(uint32_t at, Scratch& scratch) const {
  const auto& left = scratch.symbols_[at];
  if (left.next == kNone) return;
  const int32_t right_id = scratch.symbols_[left.next].id;
  const Slot* merge = find(left.id, right_id);
  if (merge == nullptr) return;
  scratch.heap_.push_back({.rank = merge->rank, .at = at, .left = left.id, .right = right_id, .merged = merge->merged});
}

void Bpe::merge_all(Scratch& scratch) const {
  auto& symbols = scratch.symbols_;
  auto& heap = scratch.heap_;
  heap.clear();
  for (uint32_t at = 0; at < symbols.size(); ++at) propose(at, scratch);
  std::make_heap(heap.begin(), heap.end(), kComesLater);
  const auto propose_one = [&](uint32_t at) {
    const size_t n_before = heap.size();
    propose(at, scratch);
    if (heap.size() > n_before) std::push_heap(heap.begin(), heap.end(), kComesLater);
  };
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), kComesLater);
    const Scratch::Candidate best = heap.back();
    heap.pop_back();
    auto& left = symbols[best.at];
    if (left.id != best.left || left.next == kNone || symbols[left.next].id != best.right) continue;
    left.id = best.merged;
    symbols[left.next].id = kGone;
    left.next = symbols[left.next].next;
    if (left.next != kNone) symbols[left.next].previous = best.at;
    propose_one(best.at);
    if (left.previous != kNone) propose_one(left.previous);
  }
}

}  // namespace inference
