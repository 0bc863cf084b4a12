#include "agent/disk_reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "agent/error.h"

namespace agent {

DiskReserve::DiskReserve(std::filesystem::path path, std::int64_t size_bytes)
    : path_(std::move(path)), size_bytes_(size_bytes), fd_(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (fd_ < 0) {
    throw Error("can't create " + path_.string() + ": " + std::strerror(errno) +
                "; check that its folder has room and "
                "may be written to");
  }
}

DiskReserve::~DiskReserve() {
  if (fd_ >= 0) close(fd_);
}

DiskReserve::DiskReserve(DiskReserve&& other) noexcept
    : path_(std::move(other.path_)), size_bytes_(other.size_bytes_), fd_(std::exchange(other.fd_, -1)) {}

void DiskReserve::hold() {
  struct stat state {};
  if (fstat(fd_, &state) == 0 && state.st_size >= size_bytes_) return;
  const int problem = posix_fallocate(fd_, 0, size_bytes_);
  if (problem == 0) return;
  release();  // what was got of it would only be missing elsewhere
  throw Error("there is no room to record what happens: " + std::to_string(size_bytes_ >> 10) + " KiB at " +
              path_.string() + " could not be set aside (" + std::strerror(problem) + "); free some disk space");
}

void DiskReserve::release() {
  while (ftruncate(fd_, 0) != 0 && errno == EINTR) {
  }
}

}  // namespace agent
