#include "inference/ops/cuda/memory.h"

#include <algorithm>
#include <cstring>

#include "inference/check.h"

namespace inference::ops::cuda {

void* allocate(cudaStream_t stream, std::size_t n_bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMallocAsync(&memory, std::max<std::size_t>(n_bytes, 1), stream);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // the GPU itself is well
    throw Error(message("out of GPU memory: ", n_bytes, " bytes were asked for"));
  }
  if (status != cudaSuccess) throw Error(message("the GPU failed (allocation): ", cudaGetErrorString(status)));
  return memory;
}

void release(cudaStream_t stream, void* memory) {
  cudaFreeAsync(memory, stream);
}

Scratch::~Scratch() {
  if (data_ != nullptr) release(stream_, data_);
}

void* Scratch::bytes(std::size_t n_bytes) {
  if (n_bytes <= n_bytes_) return data_;
  void* fresh = allocate(stream_, n_bytes);
  if (data_ != nullptr) release(stream_, data_);
  data_ = fresh;
  n_bytes_ = n_bytes;
  return data_;
}

const void* MirroredList::bytes(const void* data, std::size_t n_bytes) {
  has_changed_ = last_.size() != n_bytes || (n_bytes > 0 && std::memcmp(last_.data(), data, n_bytes) != 0);
  if (!has_changed_ && address_ != nullptr) return address_;
  has_changed_ = true;
  address_ = on_gpu_.of<std::byte>(std::max<std::size_t>(n_bytes, 1));
  const auto* from = static_cast<const std::byte*>(data);
  last_.assign(from, from + n_bytes);
  const cudaError_t status = cudaMemcpyAsync(address_, last_.data(), n_bytes, cudaMemcpyHostToDevice, stream_);
  if (status != cudaSuccess) throw Error(message("the GPU failed (upload): ", cudaGetErrorString(status)));
  return address_;
}

}  // namespace inference::ops::cuda
