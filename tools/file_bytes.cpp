#include "tools/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace tools {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) close(fd_);
}

std::optional<std::string> read_bytes(int fd) {
  struct stat file;
  if (fstat(fd, &file) != 0) return std::nullopt;
  std::string bytes(static_cast<size_t>(std::max<off_t>(file.st_size, 4096)), '\0');
  size_t done = 0;
  while (true) {
    const ssize_t size = pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size == 0) break;
    done += static_cast<size_t>(size);
    if (done == bytes.size()) bytes.resize(bytes.size() * 2);
  }
  bytes.resize(done);
  return bytes;
}

bool write_bytes(int fd, std::string_view bytes, off_t offset) {
  while (!bytes.empty()) {
    const ssize_t size = pwrite(fd, bytes.data(), bytes.size(), offset);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(size));
    offset += size;
  }
  return true;
}

bool store_file(const std::filesystem::path& path, std::string_view bytes) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  return file && write_bytes(file.get(), bytes, 0) && fsync(file.get()) == 0;
}

bool sync_folder(const std::filesystem::path& path) {
  const FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder && fsync(folder.get()) == 0;
}

}  // namespace tools
