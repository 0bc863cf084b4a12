#pragma once
// Scores of blocks in the order in which blocks are chosen.

#include "inference/ops/cuda/common.cuh"

namespace inference::ops::cuda {

// A score with its block as one number: of two, the greater is chosen first. Floats are mapped to integers of the same
// order; of equal scores the lower block is the greater number. 0: nothing to choose.
using Ranked = std::uint64_t;

__device__ inline std::uint32_t ordered(float score) {
  const std::uint32_t bits = __float_as_uint(score + 0.0F);  // -0 and 0 are equal scores
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}
__device__ inline Ranked ranked(float score, int block) {
  return static_cast<Ranked>(ordered(score)) << 32 | (0xFFFFFFFFU - static_cast<std::uint32_t>(block));
}
__device__ inline int block_of(Ranked value) {
  return static_cast<int>(0xFFFFFFFFU - static_cast<std::uint32_t>(value));
}

__device__ inline Ranked largest_of_warp(Ranked mine) {
  const auto high = static_cast<std::uint32_t>(mine >> 32);
  const std::uint32_t best_high = __reduce_max_sync(kAllLanes, high);
  const std::uint32_t low = high == best_high ? static_cast<std::uint32_t>(mine) : 0;
  return static_cast<Ranked>(best_high) << 32 | __reduce_max_sync(kAllLanes, low);
}

// Moves the top_k largest of a warp's values to shared memory, in order; zeros when there are fewer.
template <int kCount>  // a power of two
__device__ void take_largest(Ranked (&mine)[kCount], Ranked* to, int top_k) {
  for (int round = 0; round < top_k; ++round) {
    Ranked best[kCount / 2];
#pragma unroll
    for (int i = 0; i < kCount / 2; ++i) best[i] = max(mine[i], mine[i + kCount / 2]);
#pragma unroll
    for (int half = kCount / 4; half > 0; half /= 2) {
#pragma unroll
      for (int i = 0; i < half; ++i) best[i] = max(best[i], best[i + half]);
    }
    const Ranked winner = largest_of_warp(best[0]);
#pragma unroll
    for (int i = 0; i < kCount; ++i) mine[i] = mine[i] == winner ? 0 : mine[i];
    if (threadIdx.x % kWarp == 0) to[round] = winner;
  }
  __syncwarp();
}

// Writes the chosen blocks ascending, then -1. By one warp; `chosen` [top_k] lies in shared memory, zeros last.
__device__ inline void store_ascending(std::int32_t* block_ids, const Ranked* chosen, int top_k) {
  int n_chosen = 0;
  for (int first = 0; first < top_k; first += kWarp) {
    const int i = first + static_cast<int>(threadIdx.x) % kWarp;
    n_chosen += __popc(__ballot_sync(kAllLanes, i < top_k && chosen[i] != 0));
  }
  for (int i = threadIdx.x % kWarp; i < top_k; i += kWarp) {
    if (i >= n_chosen) {
      block_ids[i] = -1;
      continue;
    }
    int rank = 0;
    for (int j = 0; j < n_chosen; ++j) rank += block_of(chosen[j]) < block_of(chosen[i]);
    block_ids[rank] = block_of(chosen[i]);
  }
}

}  // namespace inference::ops::cuda
