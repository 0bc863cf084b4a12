#pragma once
// The GPU's memory, in the order of one stream.

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

namespace inference::ops::cuda {

void* allocate(cudaStream_t stream, std::size_t n_bytes);  // throws Error when there is not enough
void release(cudaStream_t stream, void* memory);

// Memory for what one operation leaves to the next kernel; grows and is never given back.
class Scratch {
 public:
  explicit Scratch(cudaStream_t stream) : stream_(stream) {}
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // At least so much; what was in it before is lost.
  template <typename T>
  T* of(std::size_t n) {
    return static_cast<T*>(bytes(n * sizeof(T)));
  }
  std::size_t n_bytes() const { return n_bytes_; }

 private:
  void* bytes(std::size_t n_bytes);

  cudaStream_t stream_;
  void* data_ = nullptr;
  std::size_t n_bytes_ = 0;
};

// A list that seldom changes, kept on both sides: uploaded only when it differs from the last one.
class MirroredList {
 public:
  explicit MirroredList(cudaStream_t stream) : stream_(stream), on_gpu_(stream) {}

  // The list's address on the GPU. The bytes are compared, not their address.
  template <typename T>
  const T* of(const std::vector<T>& list) {
    return static_cast<const T*>(bytes(list.data(), list.size() * sizeof(T)));
  }
  // Whether the last call of `of` uploaded.
  bool has_changed() const { return has_changed_; }

 private:
  const void* bytes(const void* data, std::size_t n_bytes);

  cudaStream_t stream_;
  Scratch on_gpu_;
  std::vector<std::byte> last_;
  void* address_ = nullptr;
  bool has_changed_ = false;
};

}  // namespace inference::ops::cuda
