#pragma once
// The GPU itself: whether it can be used, what it is, the stream that all operations go through.

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

namespace inference::ops::cuda {

inline constexpr double kGiB = 1024.0 * 1024 * 1024;

// Throws Error unless the call succeeded.
void check(cudaError_t status, const char* what);

// Empty, or why there is no GPU with so much free memory.
std::string refusal(std::size_t needed_bytes);

cudaDeviceProp gpu_properties();

// Destroyed after all that lives in its order.
struct Stream {
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t stream;
};

}  // namespace inference::ops::cuda
