#include "inference/added_tokens.h"

#include <algorithm>

namespace inference {

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens) {
  for (const AddedToken& token : tokens) by_first_byte_[static_cast<uint8_t>(token.content.at(0))].push_back(token);
  for (Candidates& candidates : by_first_byte_) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const AddedToken& a, const AddedToken& b) { return a.content.size() > b.content.size(); });
  }
}

const AddedToken* AddedTokens::at_front(std::string_view text) const {
  for (const AddedToken& token : by_first_byte_[static_cast<uint8_t>(text[0])]) {
    if (text.starts_with(token.content)) return &token;
  }
  return nullptr;
}

void AddedTokens::find_all(std::string_view text, size_t offset, std::vector<Found>& found) const {
  for (size_t pos = 0; pos < text.size();) {
    const AddedToken* token = at_front(text.substr(pos));
    if (token == nullptr) {
      ++pos;
      continue;
    }
    const size_t end = pos + token->content.size();
    found.push_back({.begin = offset + pos, .end = offset + end, .id = token->id});
    pos = end;
  }
}

std::optional<int32_t> AddedTokens::id(std::string_view content) const {
  if (content.empty()) return std::nullopt;
  for (const AddedToken& token : by_first_byte_[static_cast<uint8_t>(content[0])]) {
    if (token.content == content) return token.id;
  }
  return std::nullopt;
}

}  // namespace inference
