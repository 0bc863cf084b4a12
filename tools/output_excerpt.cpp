#include "tools/output_excerpt.h"

#include <algorithm>

namespace tools {
namespace {

constexpr size_t kNearLineEnd_bytes = 200;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::string_view utf8_prefix(std::string_view text, size_t n_bytes) {
  if (text.size() <= n_bytes) return text;
  while (n_bytes > 0 && is_continuation(text[n_bytes])) --n_bytes;
  return text.substr(0, n_bytes);
}

std::string_view utf8_suffix(std::string_view text, size_t n_bytes) {
  if (text.size() <= n_bytes) return text;
  size_t start = text.size() - n_bytes;
  while (start < text.size() && is_continuation(text[start])) ++start;
  return text.substr(start);
}

void OutputExcerpt::add(std::string_view text) {
  if (dropped_bytes_ == 0 && tail_.empty() && head_.size() < budget_.head_bytes) {
    const std::string_view first = utf8_prefix(text, budget_.head_bytes - head_.size());
    head_ += first;
    text.remove_prefix(first.size());
  }
  tail_ += text;
  if (tail_.size() <= 2 * budget_.tail_bytes + 65536) return;
  const size_t kept = utf8_suffix(tail_, budget_.tail_bytes).size();
  dropped_bytes_ += tail_.size() - kept;
  tail_.erase(0, tail_.size() - kept);
}

void OutputExcerpt::skip(uint64_t n_bytes) {
  dropped_bytes_ += tail_.size() + n_bytes;
  tail_.clear();
}

std::string OutputExcerpt::text(std::string_view whole) const {
  if (!is_cut()) return head_ + tail_;
  std::string_view head = head_, tail = utf8_suffix(tail_, budget_.tail_bytes);
  const size_t last_line = head.rfind('\n');
  if (last_line != std::string_view::npos && head.size() - last_line < kNearLineEnd_bytes)
    head = head.substr(0, last_line + 1);
  const size_t first_line = tail.find('\n');
  if (first_line < kNearLineEnd_bytes && first_line + 1 < tail.size()) tail = tail.substr(first_line + 1);
  const uint64_t n_cut = dropped_bytes_ + (head_.size() - head.size()) + (tail_.size() - tail.size());
  std::string text(head);
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += "[... " + std::to_string(n_cut) + " bytes cut here; the whole output: " + std::string(whole) + " ...]\n";
  return text.append(tail);
}

}  // namespace tools
