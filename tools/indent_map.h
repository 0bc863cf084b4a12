#pragma once
// How the indentation of a patch relates to that of the file it matched: the same everywhere, deeper or shallower by a
// fixed prefix, or tabs for spaces. Learned from the matched lines, used for the added ones.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/text_lines.h"

namespace tools {

class IndentMap {
 public:
  // None when the matched lines contradict each other, or are all blank.
  static std::optional<IndentMap> make(const std::vector<TextLine>& file, size_t first,
                                       const std::vector<std::string_view>& wanted);
  // The line with the indentation that the file would give it; none when that can't be told.
  std::optional<std::string> translate(std::string_view line) const;

 private:
  std::optional<std::string> translate_indent(std::string_view indent) const;
  std::optional<std::string> by_prefix(std::string_view indent) const;
  std::optional<std::string> by_unit(std::string_view indent) const;

  std::map<std::string_view, std::string_view> pairs_;  // patch's indentation → file's
};

}  // namespace tools
