#pragma once
// Files that are written whole or not at all: whoever reads them meanwhile, and whoever comes after a crash, finds the
// old or the new.

#include <filesystem>
#include <string>

namespace agent {

void write_file(const std::filesystem::path& path, const std::string& bytes);  // throws Error

}  // namespace agent
