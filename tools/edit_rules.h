#pragma once
// What may not be written into a file, whatever the place.

#include <optional>
#include <string>
#include <string_view>

#include "tools/patch.h"

namespace tools {

// Why the added text would damage the file whose bytes are `before`: a placeholder where code should stand ("... rest
// of the code ..."), or characters of another encoding. None when it is fine.
std::optional<std::string> problem_with_added(std::string_view before, std::string_view added);

// The added lines of a patch, one after another.
std::string added_text(const std::vector<Hunk>& hunks);

// Does the line stand for code that was left out?
bool is_placeholder(std::string_view line);

}  // namespace tools
