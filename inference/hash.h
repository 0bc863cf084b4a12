#pragma once
// Content hashes (XXH3, 128 bits): for pictures, model fingerprints and file checksums. Not for secrets.

#include <cstddef>
#include <cstdint>
#include <span>

namespace inference {

struct Hash128 {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Hash128&) const = default;
};

Hash128 hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);

// The same hash of bytes that come in pieces.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  void update(std::span<const std::byte> bytes);
  Hash128 digest() const;

 private:
  void* state_;
};

}  // namespace inference
