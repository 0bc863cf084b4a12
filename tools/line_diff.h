#pragma once
// What differs between two texts, for people to read and `patch` to apply.

#include <string>
#include <string_view>

namespace tools {

// A unified diff with three lines of context, with "--- a/PATH" and "+++ b/PATH" before it; empty when the texts are
// equal. A text that isn't there: null data, shown as /dev/null.
std::string unified_diff(const std::string& path, std::string_view before, std::string_view after);

}  // namespace tools
