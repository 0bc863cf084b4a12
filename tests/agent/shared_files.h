#pragma once
// Files that tests read: our own beside them, and the vendor's, which may not be in this repository.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << "can't open " << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline nlohmann::ordered_json read_json(const std::filesystem::path& path) {
  return nlohmann::ordered_json::parse(read_file(path));
}

inline std::filesystem::path own_file(const std::string& name) {
  return std::filesystem::path(DESKHAND_SOURCE_DIR) / "tests/agent" / name;
}

// The vendor's template and prompts rendered with it.
inline std::filesystem::path vendor_file(const std::string& name) {
  return std::filesystem::path(DESKHAND_SHARED_DIR) / "m3" / name;
}
