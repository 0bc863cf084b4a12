#pragma once
// Files that come with the program: models, prompts.

#include <filesystem>

namespace app {

// A path below resources/: of an installed program in share/deskhand, else in the source tree.
std::filesystem::path resource_path(const std::filesystem::path& relative);

}  // namespace app
