#pragma once
// The one way in which the engine reads a file.

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string_view>

namespace inference {

// A whole file mapped read-only. Throws Error naming the file where it can't be read, is longer than `most_bytes`, or
// is no regular file: a pipe or a device would make the reader wait, or never end.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path,
                      std::size_t most_bytes = std::numeric_limits<std::size_t>::max());
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace inference
