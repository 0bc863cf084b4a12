#include "inference/ops/cuda/address_space.h"

#include <cuda_runtime.h>

#include <array>
#include <bit>
#include <cstdint>

#include "inference/check.h"
#include "inference/ops/cuda/gpu.h"

namespace inference::ops::cuda {
namespace {

CUtensorMap make_address_space(cuuint32_t box_rows) {
  // The runtime has no function for it, and linking the driver would keep the library from loading without one.
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = {};
  constexpr unsigned kFirstVersion = 12000;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, kFirstVersion, cudaEnableDefault, &found),
        "tensor map");
  INFERENCE_CHECK(function != nullptr, "the GPU's driver makes no tensor maps");
  constexpr cuuint64_t kHalf = kMapRowBytes / 2, kUpper = cuuint64_t{1} << kMapUpperBits;
  constexpr cuuint64_t kHalfValues = kHalf / 2, kRows = kUpper / kMapRowBytes;
  const cuuint64_t dims[] = {kHalfValues, kRows, 2, kMapUppers};
  const cuuint64_t strides[] = {kMapRowBytes, kHalf, kUpper};  // bytes, of all dimensions but the first
  const cuuint32_t box[] = {kHalfValues, box_rows, 1, 1}, steps[] = {1, 1, 1, 1};
  CUtensorMap map = {};
  const CUresult status = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
      &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, nullptr, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  INFERENCE_CHECK(status == CUDA_SUCCESS, "the GPU's driver refuses a tensor map: ", static_cast<int>(status));
  return map;
}

}  // namespace

const CUtensorMap& address_space(int box_rows) {
  static const std::array<CUtensorMap, 8> maps = [] {
    std::array<CUtensorMap, 8> all = {};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = make_address_space(1U << i);
    return all;
  }();
  INFERENCE_CHECK(std::has_single_bit(static_cast<unsigned>(box_rows)) && box_rows <= 128, "no map of such boxes");
  return maps[static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(box_rows)))];
}

}  // namespace inference::ops::cuda
