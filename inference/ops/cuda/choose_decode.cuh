#pragma once
// How the scores of a token's blocks pass from the kernel that rates them to the one that chooses, and the choice.

#include <type_traits>

#include "inference/ops/cuda/ranked.cuh"

namespace inference::ops::cuda {

constexpr int kScoredHeads = 4;   // index queries of a token
constexpr int kMostChoices = 16;  // per head
constexpr int kChoosingWarps = 8;
constexpr int kChoosers = kChoosingWarps * kWarp;  // threads of a CTA that chooses
constexpr int kMostScores = 33 * kChoosers;        // blocks
constexpr int kMostScoringCtas = 256;

// What kernels and CTAs tell each other, in the GPU's memory.
struct BlockScores {
  unsigned n_arrived;                                          // zero before a rating; who chooses sets it back
  std::uint32_t best_of_ctas[kMostScoringCtas][kScoredHeads];  // ordered() lower bounds
  std::uint32_t of_heads[kScoredHeads][kMostScores];           // ordered(), at slot_of(block); 0: not to be chosen
};

// Eight neighbouring blocks go to eight warps, so that each warp has its share of the best blocks where scores rise or
// fall slowly; which of the eight goes to which warp changes, so that no period of eight blocks is one warp's.
__device__ inline int turned(int eight) {
  return (eight ^ eight >> 3 ^ eight >> 6 ^ eight >> 9) & 7;
}
__device__ inline int slot_of(int block) {
  const int eight = block / 8;
  return eight / kWarp * kChoosers + ((block ^ turned(eight)) & 7) * kWarp + eight % kWarp;
}
// The block of a thread's i-th slot, i * kChoosers + threadIdx.x.
__device__ inline int block_at(int i) {
  const int eight = i * kWarp + static_cast<int>(threadIdx.x) % kWarp;
  return eight * 8 + ((static_cast<int>(threadIdx.x) / kWarp) ^ turned(eight));
}

constexpr int kMostFinalists = 256;

// In shared memory.
struct Choosing {
  Ranked chosen[kMostChoices];  // best first, zeros last
  Ranked best_of_warps[2][kChoosingWarps];
  Ranked finalists[kMostFinalists];
  int n_finalists;
};

// A thread's part of a head's scores.
template <int kCount>
struct ScoresOfThread {
  std::uint32_t scores[kCount];

  // How many of the thread's slots, from the first on, have a block.
  __device__ static int n_there(int n_blocks) {
    const int eight = n_blocks / 8, warp = threadIdx.x / kWarp;
    return (eight + ((warp ^ turned(eight)) < n_blocks % 8) - static_cast<int>(threadIdx.x % kWarp) + kWarp - 1) /
           kWarp;
  }
  __device__ void load(const std::uint32_t* of_head, int n_blocks) {
    const int n = n_there(n_blocks);
#pragma unroll
    for (int i = 0; i < kCount; ++i) scores[i] = i < n ? __ldcg(of_head + i * kChoosers + threadIdx.x) : 0;
  }
  __device__ static Ranked value(std::uint32_t score, int i) {
    return score == 0 ? 0 : static_cast<Ranked>(score) << 32 | (0xFFFFFFFFU - static_cast<std::uint32_t>(block_at(i)));
  }
  __device__ Ranked best() const {
    std::uint32_t most = 0;
    int at = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (scores[i] > most) most = scores[i], at = i;  // of equals the lower block
    }
    return value(most, at);
  }
  __device__ Ranked best_below(Ranked limit) const {
    Ranked most = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const Ranked here = value(scores[i], i);
      if (here < limit && here > most) most = here;
    }
    return most;
  }
};

// By kChoosers threads: the top_k best. Each warp's second best thread gives the least of 16 different scores, a
// threshold that few blocks reach; these are ranked by counting.
template <int kCount>
__device__ void choose(Choosing& shared, const ScoresOfThread<kCount>& mine, int top_k) {
  static_assert(2 * kChoosingWarps >= kMostChoices);
  constexpr Ranked kNoLimit = ~Ranked{0};
  const int thread = static_cast<int>(threadIdx.x), warp = thread / kWarp, lane = thread % kWarp;
  const Ranked best = mine.best();
  const Ranked first = largest_of_warp(best), second = largest_of_warp(best == first ? 0 : best);
  if (lane == 0) shared.best_of_warps[0][warp] = second;
  if (thread < kMostChoices) shared.chosen[thread] = 0;
  if (thread == 0) shared.n_finalists = 0;
  __syncthreads();
  Ranked least = kNoLimit;
#pragma unroll
  for (const Ranked of_warp : shared.best_of_warps[0]) least = min(least, of_warp);
  least = max(least, Ranked{1});  // a warp without two: all take part
  if (best >= least) {
    const std::uint32_t least_score = max(static_cast<std::uint32_t>(least >> 32), 1U);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (mine.scores[i] < least_score) continue;
      const Ranked value = mine.value(mine.scores[i], i);
      if (value < least) continue;
      const int place = atomicAdd(&shared.n_finalists, 1);
      if (place < kMostFinalists) shared.finalists[place] = value;
    }
  }
  __syncthreads();
  const int n = shared.n_finalists;
  if (n <= kMostFinalists) {
    constexpr int kSharers = 4;  // lanes that count for the same finalist
    for (int i = thread / kSharers; i < (n + 7) / 8 * 8; i += kChoosers / kSharers) {
      const Ranked value = i < n ? shared.finalists[i] : 0;
      int place = 0;
#pragma unroll 4
      for (int j = lane % kSharers; j < n; j += kSharers) place += shared.finalists[j] > value;
      place += __shfl_xor_sync(kAllLanes, place, 1);
      place += __shfl_xor_sync(kAllLanes, place, 2);
      if (lane % kSharers == 0 && i < n && place < top_k) shared.chosen[place] = value;
    }
  } else {
    Ranked limit = kNoLimit;
    for (int round = 0; round < top_k; ++round) {
      const Ranked of_warp = largest_of_warp(mine.best_below(limit));
      Ranked(&of_warps)[kChoosingWarps] = shared.best_of_warps[1 - round % 2];
      if (lane == 0) of_warps[warp] = of_warp;
      __syncthreads();
      limit = 0;
#pragma unroll
      for (const Ranked other : of_warps) limit = max(limit, other);
      if (thread == 0) shared.chosen[round] = limit;
    }
  }
  __syncthreads();
}

// By a whole warp: the n-th of the chosen blocks in ascending order, -1 if there are fewer.
__device__ inline int nth_chosen(const Choosing& shared, int n) {
  const int lane = threadIdx.x % kWarp;
  const Ranked mine = lane < kMostChoices ? shared.chosen[lane] : 0;
  int place = 0;
#pragma unroll
  for (const Ranked other : shared.chosen) place += other != 0 && block_of(other) < block_of(mine);
  const unsigned holder = __ballot_sync(kAllLanes, mine != 0 && place == n);
  return holder == 0 ? -1 : __shfl_sync(kAllLanes, block_of(mine), __ffs(static_cast<int>(holder)) - 1);
}

// Calls f with the number of scores per thread as a constant.
template <typename F>
void with_scores_per_thread(std::int64_t n_blocks, const F& f) {
  if (n_blocks <= 4 * kChoosers) return f(std::integral_constant<int, 4>{});
  if (n_blocks <= 8 * kChoosers) return f(std::integral_constant<int, 8>{});
  f(std::integral_constant<int, kMostScores / kChoosers>{});
}

}  // namespace inference::ops::cuda
