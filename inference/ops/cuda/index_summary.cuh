#pragma once
// How summaries of index keys lie in memory, and the rotation of keys and queries.

#include "inference/ops/cuda/common.cuh"
#include "inference/ops/cuda/index_summary.h"

namespace inference::ops::cuda {

constexpr int kRotatedPerLane = kSummaryDim / kWarp;  // dimensions 4 · lane …

// A warp's vector times the Hadamard matrix over sqrt(128): lengths and products stay.
__device__ inline void rotate(float (&x)[kRotatedPerLane]) {
  constexpr float kNorm = 0.08838834764831845F;
  const float a = x[0] + x[1], b = x[0] - x[1], c = x[2] + x[3], d = x[2] - x[3];
  x[0] = a + c, x[1] = b + d, x[2] = a - c, x[3] = b - d;
#pragma unroll
  for (int bit = 1; bit < kWarp; bit *= 2) {
    const bool is_upper = (threadIdx.x & static_cast<unsigned>(bit)) != 0;
#pragma unroll
    for (float& value : x) {
      const float other = __shfl_xor_sync(kAllLanes, value, bit);
      value = is_upper ? other - value : value + other;
    }
  }
#pragma unroll
  for (float& value : x) value *= kNorm;
}

// Where 16 codes of a key lie: as the lanes of a warp read them for the matrix instruction, 512 bytes at a time. A
// lane (g, t) holds pieces t and 4 + t of the g-th of 8 keys.
__device__ inline int summary_piece(int key, int piece) {
  return ((key / 8 * 2 + piece / 4) * 8 + key % 8) * 4 + piece % 4;
}

__device__ inline const SummaryLimits* limits_of(const void* summary) {
  return reinterpret_cast<const SummaryLimits*>(static_cast<const std::uint8_t*>(summary) + kSummaryKeyBytes);
}

}  // namespace inference::ops::cuda
