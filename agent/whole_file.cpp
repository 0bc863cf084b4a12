#include "agent/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QSaveFile>
#include <array>
#include <cerrno>
#include <cstring>

#include "agent/error.h"

namespace agent {
namespace {

[[noreturn]] void fail_to_read(const std::filesystem::path& path) {
  throw Error(path.string() + ": can't be read: " + std::strerror(errno) + "; check its name, and who may read it");
}

}  // namespace

tools::FileDescriptor open_file(const std::filesystem::path& path) {
  struct stat status {};
  const auto check = [&](int result) {
    if (result != 0) fail_to_read(path);
    if (S_ISDIR(status.st_mode)) throw Error(path.string() + ": is a folder; name a file in it");
    if (!S_ISREG(status.st_mode)) {
      throw Error(path.string() +
                  ": is a pipe, a socket or a device; put what comes from it into a file, and name that one");
    }
  };
  // Before it is opened, which some devices take for a command; after it, should it be another one since.
  check(::stat(path.c_str(), &status));
  tools::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  check(file ? ::fstat(file.get(), &status) : -1);
  return file;
}

std::string read_file(const std::filesystem::path& path, std::size_t most_bytes) {
  const tools::FileDescriptor file = open_file(path);
  std::string bytes;
  std::array<char, 65536> piece{};
  while (const ssize_t n = ::read(file.get(), piece.data(), piece.size())) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_to_read(path);
    bytes.append(piece.data(), static_cast<std::size_t>(n));
    if (bytes.size() > most_bytes) {
      throw Error(path.string() + ": has more than the " + std::to_string(most_bytes >> 20) +
                  " MiB that are read of such a file; name another one");
    }
  }
  return bytes;
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  QSaveFile file(QString::fromStdString(path.native()));
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes.data(), static_cast<qint64>(bytes.size())) < 0 ||
      !file.commit()) {
    throw Error("can't write " + path.string() + ": " + file.errorString().toStdString() +
                "; check that its folder exists, has room and may be written to");
  }
}

}  // namespace agent
