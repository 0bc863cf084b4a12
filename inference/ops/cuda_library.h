#pragma once
// How the engine finds the GPU's operations: a shared library beside the program, which exports one function.

#include <cstddef>

#include "inference/ops/ops.h"

namespace inference::ops {

inline constexpr const char* kCudaLibrary = "libdeskhand_cuda.so";
inline constexpr const char* kOpenCudaDevice = "deskhand_open_cuda_device";

// Null when there is no GPU with needed_bytes of free memory; `reason` then says why.
using OpenCudaDevice = Device*(DType activation_type, std::size_t needed_bytes, char* reason, std::size_t reason_size);

}  // namespace inference::ops
