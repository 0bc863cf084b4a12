#pragma once
// A patch's lines with a place in it; shared by the two parsers.

#include <string_view>
#include <vector>

#include "tools/patch.h"

namespace tools {

class PatchReader {
 public:
  explicit PatchReader(std::string_view text) {
    while (!text.empty()) {
      const size_t end = text.find('\n');
      lines_.push_back(text.substr(0, end));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
  }
  bool is_at_end() const { return next_ >= lines_.size(); }
  std::string_view peek(size_t ahead = 0) const {
    return next_ + ahead < lines_.size() ? lines_[next_ + ahead] : std::string_view();
  }
  std::string_view take() { return lines_[next_++]; }
  size_t position() const { return next_; }
  void go_back_to(size_t position) { next_ = position; }
  size_t line_number() const { return next_ + 1; }  // of the line that comes next

 private:
  std::vector<std::string_view> lines_;
  size_t next_ = 0;
};

std::variant<std::vector<FilePatch>, PatchError> parse_codex_patch(PatchReader reader);
std::variant<std::vector<FilePatch>, PatchError> parse_unified_diff(PatchReader reader);

}  // namespace tools
