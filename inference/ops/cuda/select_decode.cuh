#pragma once
// How select_decode.cu rates blocks: what its CTAs hold, the token's queries as the matrix
// instructions take them, and the scan over keys or their summaries.

#include "inference/ops/cuda/choose_decode.cuh"
#include "inference/ops/cuda/hopper.cuh"
#include "inference/ops/cuda/index_summary.cuh"

namespace inference::ops::cuda {
namespace {

using namespace hopper;

constexpr int kHeads = kScoredHeads;
constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;
constexpr int kStages = 2;  // per warp
constexpr int kUnitBytes = 8192;
constexpr int kPiecesPerKey = kDim * 2 / 16;                // of 16 bytes
[[maybe_unused]] constexpr int kLoads = kPiecesPerKey / 4;  // per lane and key
[[maybe_unused]] constexpr int kCodeLoads = kDim / 16 / 4;
[[maybe_unused]] constexpr int kUnitKeys = kUnitBytes / (kDim * 2), kUnitCodeKeys = kUnitBytes / kDim;
[[maybe_unused]] constexpr int kAgain =
    kWarps * kStages * kUnitBytes / kBlockBytes;  // blocks that are looked at again at a time
constexpr int kMaxLocal = 64;                     // blocks of a CTA
constexpr int kFewestSummarized = 2048;           // blocks from which on summaries save more than the second look costs
constexpr std::size_t kSharedBytes = std::size_t{kWarps} * kStages * kUnitBytes;

struct Shape {
  void* const* pages;
  const bf16* q;  // [n_heads, kDim]
  BlockScores* scores;
  int n_heads, top_k, init_blocks, local_blocks;
  int own, n_blocks;  // the token's block, and 0 … own
  std::int64_t position;
  const int* shift;  // of a replay, see recording.h

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  // How many of blocks 0 … n - 1 are this CTA's.
  __device__ int n_local(int n) const {
    return n > static_cast<int>(blockIdx.x) ? (n - static_cast<int>(blockIdx.x) - 1) / static_cast<int>(gridDim.x) + 1
                                            : 0;
  }
  __device__ bool is_forced(int block) const {
    return block > own - local_blocks || block < init_blocks;
  }
#endif
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// Integers in the order of floats, and back.
__device__ int in_order(float value) {
  const int bits = __float_as_int(value);
  return bits ^ (bits >> 31 & 0x7FFFFFFF);
}
__device__ float from_order(int value) {
  return __int_as_float(value ^ (value >> 31 & 0x7FFFFFFF));
}

struct Shared {
  std::uint64_t full[kWarps][kStages], again[kAgain];
  const std::uint8_t* pages[kMaxLocal];  // of the CTA's blocks: blockIdx.x, blockIdx.x + gridDim.x, …
  SummaryLimits limits[kMaxLocal];
  int best[kMaxLocal][kHeads];       // in_order() of scores, or products with codes
  float highest[kMaxLocal][kHeads];  // upper bounds of scores
  std::uint32_t lowest[kHeads];      // ordered() best lower bounds
  std::uint32_t second_of_warps[kWarps][kHeads];
  std::uint32_t threshold[kHeads];
  int candidates[kMaxLocal];
  int n_candidates;
  float lengths[kHeads], steps[kHeads];             // of the queries
  alignas(16) std::int8_t codes[2 * kHeads][kDim];  // of a rotated query: its upper, then its lower 8 bits
};

// A lane's part of the queries, columns of the matrix instruction. The order of a product's terms is free, so a piece's
// dimensions serve as neighbouring columns of two instructions, for keys alike.
struct Queries {
  uint4 pieces[kLoads];  // column g: head g
};
struct CodedQueries {
  uint4 pieces[kCodeLoads];  // column g: upper (even) or lower (odd) half of head g / 2
};

__device__ Queries load_queries_of(const Shape& shape) {
  const int lane = threadIdx.x % kWarp, g = lane / 4, t = lane % 4;
  Queries loaded;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    loaded.pieces[i] =
        g < shape.n_heads ? reinterpret_cast<const uint4*>(shape.q)[g * kPiecesPerKey + i * 4 + t] : uint4{};
  }
  return loaded;
}

// Rotates the queries and rounds them to two times 8 bits: q ≈ step · (upper + lower / 254).
__device__ void code_queries(Shared& shared, const Shape& shape) {
  const int head = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (head >= kHeads) return;
  float x[kRotatedPerLane];
  float largest = 0, squares = 0;
#pragma unroll
  for (int j = 0; j < kRotatedPerLane; ++j)
    x[j] = head < shape.n_heads ? to_float(shape.q[head * kDim + lane * kRotatedPerLane + j]) : 0;
  rotate(x);
#pragma unroll
  for (const float value : x) {
    largest = fmaxf(largest, fabsf(value));
    squares += value * value;
  }
  largest = warp_max(largest);
  squares = warp_sum(squares);
  const bool is_finite = isfinite(squares);
  const float step = is_finite ? fmaxf(largest / 127, 1e-30F) : 1e-30F;
  std::uint32_t upper = 0, lower = 0;
#pragma unroll
  for (int j = 0; j < kRotatedPerLane; ++j) {
    const float high = is_finite ? fminf(fmaxf(rintf(x[j] / step), -127.0F), 127.0F) : 0;
    const float low = is_finite ? fminf(fmaxf(rintf((x[j] - high * step) / step * 254), -127.0F), 127.0F) : 0;
    upper |= (static_cast<std::uint32_t>(static_cast<int>(high)) & 0xFF) << 8 * j;
    lower |= (static_cast<std::uint32_t>(static_cast<int>(low)) & 0xFF) << 8 * j;
  }
  reinterpret_cast<std::uint32_t*>(shared.codes[2 * head])[lane] = upper;
  reinterpret_cast<std::uint32_t*>(shared.codes[2 * head + 1])[lane] = lower;
  if (lane == 0) {
    shared.lengths[head] = is_finite ? 1.0001F * sqrtf(squares) : INFINITY;
    shared.steps[head] = step / 254;
  }
}

__device__ void multiply_add_codes(int (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The best products of kUnitKeys keys [kUnitKeys, kDim]; results in `best`, by one lane per two heads.
__device__ void rate_keys(int (&best)[kHeads], const Queries& queries, const uint4* keys) {
  const int lane = threadIdx.x % kWarp, g = lane / 4, t = lane % 4;
  float two[2] = {-INFINITY, -INFINITY};  // of heads 2t and 2t + 1; NaN loses
#pragma unroll
  for (int strip = 0; strip < kUnitKeys; strip += 16) {
    float c[4] = {};
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const uint4 a = keys[(strip + g) * kPiecesPerKey + i * 4 + t];
      const uint4 b = keys[(strip + g + 8) * kPiecesPerKey + i * 4 + t];
      multiply_add(c, {a.x, b.x, a.y, b.y}, queries.pieces[i].x, queries.pieces[i].y);
      multiply_add(c, {a.z, b.z, a.w, b.w}, queries.pieces[i].z, queries.pieces[i].w);
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) two[r] = fmaxf(two[r], fmaxf(c[r], c[2 + r]));
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    for (int offset = 4; offset < kWarp; offset *= 2)
      two[r] = fmaxf(two[r], __shfl_xor_sync(kAllLanes, two[r], offset));
    if (lane < kHeads / 2) atomicMax(&best[2 * lane + r], in_order(two[r]));
  }
}

// The same of the codes of kUnitCodeKeys keys, in units of step / 254 of key and query.
__device__ void rate_codes(int (&best)[kHeads], const CodedQueries& queries, const uint4* codes) {
  const int lane = threadIdx.x % kWarp;
  int most = INT32_MIN;  // of head t
#pragma unroll
  for (int strip = 0; strip < kUnitCodeKeys / 16; ++strip) {
    int c[4] = {};
#pragma unroll
    for (int i = 0; i < kCodeLoads; ++i) {
      const uint4 a = codes[(2 * strip * kCodeLoads + i) * kWarp + lane];
      const uint4 b = codes[((2 * strip + 1) * kCodeLoads + i) * kWarp + lane];
      multiply_add_codes(c, {a.x, b.x, a.y, b.y}, queries.pieces[i].x, queries.pieces[i].y);
      multiply_add_codes(c, {a.z, b.z, a.w, b.w}, queries.pieces[i].z, queries.pieces[i].w);
    }
    most = max(most, max(c[0] * 254 + c[1], c[2] * 254 + c[3]));
  }
  for (int offset = 4; offset < kWarp; offset *= 2) most = max(most, __shfl_xor_sync(kAllLanes, most, offset));
  if (lane < kHeads) atomicMax(&best[lane], most);
}

// A warp's units are warp, warp + kWarps, … of the CTA's; the first were copied before the queries were known.
template <bool kSummaries>
struct Scan {
  static constexpr int kUnitsPerBlock = kBlock / (kSummaries ? kUnitCodeKeys : kUnitKeys);
  static constexpr int kOffset = kSummaries ? kBlockBytes : 0;  // of summaries behind a page's keys
  std::uint8_t* stages;                                         // of this warp
  std::uint64_t* full;
  const Shared& shared;
  int n_units;

  __device__ void copy(int i) const {  // the warp's i-th unit
    const int unit = threadIdx.x / kWarp + i * kWarps;
    if (threadIdx.x % kWarp != 0 || unit >= n_units) return;
    copy_bulk(stages + i % kStages * kUnitBytes,
              shared.pages[unit / kUnitsPerBlock] + kOffset + unit % kUnitsPerBlock * kUnitBytes, kUnitBytes,
              &full[i % kStages]);
  }
  template <typename Q>
  __device__ void run(int (*best)[kHeads], const Q& queries) const {
    for (int i = 0; threadIdx.x / kWarp + i * kWarps < n_units; ++i) {
      const int unit = threadIdx.x / kWarp + i * kWarps;
      wait(&full[i % kStages], parity(i, kStages));
      const auto* stage = reinterpret_cast<const uint4*>(stages + i % kStages * kUnitBytes);
      if constexpr (kSummaries) {
        rate_codes(best[unit / kUnitsPerBlock], queries, stage);
      } else {
        rate_keys(best[unit / kUnitsPerBlock], queries, stage);
      }
      __syncwarp();
      copy(i + kStages);
    }
  }
};

#endif  // __CUDA_ARCH_FEAT_SM90_ALL

}  // namespace
}  // namespace inference::ops::cuda
