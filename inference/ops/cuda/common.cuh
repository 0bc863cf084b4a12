#pragma once
// What all kernels share: number types, sums across a warp or a block, launches that are checked.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "inference/tensor.h"

namespace inference::ops::cuda {

using bf16 = __nv_bfloat16;
using f16 = __half;

// A code of MXFP8; its group's scale lies elsewhere.
struct E4m3 {
  std::uint8_t bits;
};

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xFFFFFFFF;

__device__ inline float to_float(float v) {
  return v;
}
__device__ inline float to_float(bf16 v) {
  return __bfloat162float(v);
}
__device__ inline float to_float(f16 v) {
  return __half2float(v);
}
__device__ inline float to_float(E4m3 v) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(v.bits, __NV_E4M3)));
}

template <typename T>
__device__ T from_float(float v);
template <>
__device__ inline float from_float<float>(float v) {
  return v;
}
template <>
__device__ inline bf16 from_float<bf16>(float v) {
  return __float2bfloat16_rn(v);
}

// E8M0: 2^(bits - 127); code 0 is a subnormal float.
__device__ inline float e8m0_to_float(std::uint8_t bits) {
  return __uint_as_float(bits == 0 ? 0x00400000U : static_cast<std::uint32_t>(bits) << 23);
}

// 2^v to 2 units in the last place; 0 below 2^-126.
__device__ inline float power_of_two(float v) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(v));
  return result;
}

__device__ inline float warp_sum(float v) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) v += __shfl_xor_sync(kAllLanes, v, offset);
  return v;
}
__device__ inline float warp_max(float v) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) v = fmaxf(v, __shfl_xor_sync(kAllLanes, v, offset));
  return v;
}

// Every thread of a block of at most 1024 gets the sum. Ends with all threads past the shared memory.
__device__ inline float block_sum(float v) {
  __shared__ float parts[kWarp];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  v = warp_sum(v);
  if (lane == 0) parts[warp] = v;
  __syncthreads();
  v = warp_sum(lane < static_cast<int>(blockDim.x) / kWarp ? parts[lane] : 0);
  __syncthreads();
  return v;
}

// How far a replay's positions are behind the recorded ones.
__device__ inline int shift_of(const int* shift) {
  return shift != nullptr ? *shift : 0;
}

inline void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw Error(message("the GPU failed (", what, "): ", cudaGetErrorString(status), "; start the program again"));
}

// Grants a kernel the shared memory that it asks for and launches it.
template <typename... Params, typename... Args>
void launch(const char* what, void (*kernel)(Params...), dim3 n_ctas, int n_threads, std::size_t smem_bytes,
            cudaStream_t stream, const Args&... args) {
  constexpr std::size_t kAlwaysGranted = 48 * 1024;
  if (smem_bytes > kAlwaysGranted) {
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(smem_bytes)),
               what);
  }
  kernel<<<n_ctas, static_cast<unsigned>(n_threads), smem_bytes, stream>>>(args...);
  check_cuda(cudaGetLastError(), what);
}

// Programmatic dependent launch: a kernel that was launched by launch_early may start while the one before it in the
// stream still runs, so it reads nothing of that one before wait_for_previous(). allow_next() lets the next one start;
// before wait_for_previous() only where that one reads nothing early of the kernels before this one, either.
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ inline void allow_next() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// `cluster`: so many CTAs along x share their shared memory.
template <typename... Params, typename... Args>
void launch_early(const char* what, void (*kernel)(Params...), dim3 n_ctas, int n_threads, std::size_t smem_bytes,
                  cudaStream_t stream, unsigned cluster, const Args&... args) {
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(smem_bytes)),
             what);
  // Kernels that overlap must want the same division of the multiprocessors' memory: changing it empties them.
  check_cuda(
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
      what);
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = n_ctas;
  config.blockDim = dim3(static_cast<unsigned>(n_threads));
  config.dynamicSmemBytes = smem_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = cluster > 1 ? 2 : 1;
  check_cuda(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...), what);
}

// Calls f with a value of the C++ type that a DType names.
template <typename F>
void with_float_type(DType type, const F& f) {
  INFERENCE_CHECK(type == DType::F32 || type == DType::BF16, "no activations or cache of ", dtype_name(type));
  if (type == DType::F32) {
    f(float{});
  } else {
    f(bf16{});
  }
}
template <typename F>
void with_weight_type(DType type, const F& f) {
  switch (type) {
    case DType::F32:
      return f(float{});
    case DType::F16:
      return f(f16{});
    case DType::BF16:
      return f(bf16{});
    case DType::F8E4M3:
      return f(E4m3{});
    default:
      INFERENCE_CHECK(false, "no weights of ", dtype_name(type));
  }
}

inline unsigned ceil_div(std::int64_t a, std::int64_t b) {
  return static_cast<unsigned>((a + b - 1) / b);
}

}  // namespace inference::ops::cuda
