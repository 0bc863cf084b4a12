#pragma once
// Whole files through descriptors.

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tools {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// None on a read error.
std::optional<std::string> read_bytes(int fd);
bool write_bytes(int fd, std::string_view bytes, off_t offset);
// A private file that is on the disk when this returns.
bool store_file(const std::filesystem::path& path, std::string_view bytes);
bool sync_folder(const std::filesystem::path& path);

}  // namespace tools
