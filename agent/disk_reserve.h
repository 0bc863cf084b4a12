#pragma once
// Room on the disk set aside before an action, so that what came of it can be written even when the disk has filled up
// meanwhile.

#include <cstdint>
#include <filesystem>

namespace agent {

class DiskReserve {
 public:
  // A file beside the record. Processes share it. Nothing is set aside yet.
  DiskReserve(std::filesystem::path path, std::int64_t size_bytes);
  ~DiskReserve();
  DiskReserve(DiskReserve&& other) noexcept;
  DiskReserve& operator=(DiskReserve&&) = delete;

  void hold();  // throws Error when the disk lacks the room
  void release();

 private:
  std::filesystem::path path_;
  std::int64_t size_bytes_;
  int fd_ = -1;
};

}  // namespace agent
