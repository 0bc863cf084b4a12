#pragma once
// The head and the tail of a long text within a budget, with the count of what lies between. Memory is bounded by the
// budget however long the text is.

#include <cstdint>
#include <string>
#include <string_view>

namespace tools {

struct ExcerptBudget {
  size_t head_bytes = 6000;
  size_t tail_bytes = 10000;
};

class OutputExcerpt {
 public:
  explicit OutputExcerpt(ExcerptBudget budget) : budget_(budget) {}
  void add(std::string_view text);
  // Counts bytes that belong between what was added and what will be added, but weren't looked at.
  void skip(uint64_t n_bytes);
  // Cut at code points, at line ends where one is near. `whole` names the place of the whole text.
  std::string text(std::string_view whole) const;
  uint64_t cut_bytes() const { return dropped_bytes_ + tail_overhang(); }

 private:
  size_t tail_overhang() const {
    return is_cut() && tail_.size() > budget_.tail_bytes ? tail_.size() - budget_.tail_bytes : 0;
  }
  bool is_cut() const { return dropped_bytes_ > 0 || tail_.size() > budget_.tail_bytes; }

  ExcerptBudget budget_;
  std::string head_, tail_;
  uint64_t dropped_bytes_ = 0;
};

// The largest part of `text` from its start (up to `n_bytes`) that doesn't split a code point.
std::string_view utf8_prefix(std::string_view text, size_t n_bytes);
// The same from its end.
std::string_view utf8_suffix(std::string_view text, size_t n_bytes);

}  // namespace tools
