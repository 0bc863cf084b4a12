#include "inference/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "inference/check.h"

namespace inference {
namespace {

// What is wrong with it; empty: nothing. `result` is that of the call that told the status.
std::string problem_with(int result, const struct stat& status, std::size_t most_bytes) {
  if (result != 0) return message("cannot be read: ", std::strerror(errno), "; check its name, and who may read it");
  if (S_ISDIR(status.st_mode)) return "is a folder where a file is expected";
  if (!S_ISREG(status.st_mode)) return "is a pipe, a socket or a device; put a regular file in its place";
  if (static_cast<std::size_t>(status.st_size) <= most_bytes) return "";
  return message("has ", status.st_size, " bytes, more than the ", most_bytes, " that such a file may have");
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path, std::size_t most_bytes) {
  struct stat status {};
  // Before it is opened, which some devices take for a command; after it, should it be another one since.
  std::string problem = problem_with(::stat(path.c_str(), &status), status, most_bytes);
  if (!problem.empty()) throw Error(message(path.string(), ": ", problem));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  problem = problem_with(descriptor < 0 ? -1 : ::fstat(descriptor, &status), status, most_bytes);
  void* mapped = nullptr;
  if (problem.empty() && status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED) problem = message("cannot be mapped: ", std::strerror(errno));
  }
  if (descriptor >= 0) ::close(descriptor);
  if (!problem.empty()) throw Error(message(path.string(), ": ", problem));
  data_ = static_cast<const std::byte*>(mapped);
  // A token reads weights page after page: with pages of 4 KiB that is bound by address translation as much as by
  // memory. Where the kernel can't cache this file in larger ones the advice is ignored.
  if (data_ != nullptr) ::madvise(mapped, size_, MADV_HUGEPAGE);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace inference
