#pragma once
// For a text that isn't in a file: the place that is most like it, to show what is really there.

#include <string>
#include <string_view>
#include <vector>

#include "tools/text_lines.h"

namespace tools {

// A sentence and numbered lines, or a sentence alone when nothing is alike. Linear in the file's size.
std::string describe_nearest(const std::vector<TextLine>& file, const std::vector<std::string_view>& wanted);

}  // namespace tools
