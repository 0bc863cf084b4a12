#pragma once
// Files that are read whole, and files that are written whole or not at all: whoever reads them meanwhile, and whoever
// comes after a crash, finds the old or the new.

#include <cstddef>
#include <filesystem>
#include <string>

#include "tools/file_bytes.h"

namespace agent {

// For reading. Throws Error naming it where it can't be, or is no regular file: a pipe or a device would make the
// reader wait, or never end.
tools::FileDescriptor open_file(const std::filesystem::path& path);

// Of settings, templates and the like; and of a picture, or a recording with all of its own.
inline constexpr std::size_t kMostText_bytes = std::size_t{64} << 20, kMostPictures_bytes = std::size_t{1} << 30;

// Throws Error as open_file does, and where there is more: such a file is another one than is meant.
std::string read_file(const std::filesystem::path& path, std::size_t most_bytes = kMostText_bytes);

void write_file(const std::filesystem::path& path, const std::string& bytes);  // throws Error

}  // namespace agent
