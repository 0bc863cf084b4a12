#pragma once
// Finds the tokens that stand for a fixed spelling rather than for ordinary text.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inference {

struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool is_special = false;
};

class AddedTokens {
 public:
  explicit AddedTokens(const std::vector<AddedToken>& tokens);

  struct Found {
    size_t begin;  // bytes from the start of the whole text
    size_t end;
    int32_t id;
  };
  // Appends what occurs in `text`, which begins at byte `offset` of a whole text. Leftmost first, then longest.
  void find_all(std::string_view text, size_t offset, std::vector<Found>& found) const;

  std::optional<int32_t> id(std::string_view content) const;

 private:
  using Candidates = std::vector<AddedToken>;

  const AddedToken* at_front(std::string_view text) const;

  std::array<Candidates, 256> by_first_byte_;  // each longest first
};

}  // namespace inference
