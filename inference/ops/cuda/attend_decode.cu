// Attention of a few tokens to their chosen blocks on Hopper, in one launch: a cluster of CTAs per token and kv head,
// one chosen block each. Scores go from memory to the tensor cores, values through shared memory; the blocks' results
// are merged through the cluster's shared memory.

#include "inference/ops/cuda/attention.h"
#include "inference/ops/cuda/mma.cuh"

namespace inference::ops::cuda {
namespace {

constexpr int kDim = 128, kBlock = 128;
constexpr int kRows = 16;     // query heads of a kv head
constexpr int kCluster = 16;  // CTAs: chosen blocks of a token
constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;
constexpr int kKeysPerWarp = kBlock / kWarps, kDimsPerWarp = kDim / kWarps;
constexpr int kPieces = kDim / 8;                     // of 16 bytes in a row
[[maybe_unused]] constexpr int kLoads = kPieces / 4;  // per lane and row
[[maybe_unused]] constexpr int kDimsPerCta = kDim / kCluster;
constexpr std::int64_t kMostTokens = 15;
static_assert(kKeysPerWarp == 16 && kDimsPerWarp == 16);

struct Shape {
  bf16* out;      // [n_tokens, q_heads, kDim]
  const bf16* q;  // [n_tokens, q_heads, kDim]
  void* const* pages;
  const std::int32_t* block_ids;  // [n_tokens, kv_heads, top_k]
  int n_keys, n_tokens, q_heads, kv_heads, group_size, top_k;
  float scale_log2;
  const int* shift;  // of a replay, see recording.h
};

// One block's part of a token's attention, as the other CTAs of the cluster read it.
struct Part {
  float sums[kRows][kDim + 4];  // unnormalised
  float largest[kRows], totals[kRows];
};

struct Shared {
  bf16 values[kBlock][kDim + 8];  // 16 bytes more, so that ldmatrix meets no bank twice
  bf16 weights[kRows][kBlock + 8];
  float largest_of_warps[kWarps][kRows], totals_of_warps[kWarps][kRows];
  Part part;
};

#if __CUDA_ARCH__ >= 900

__device__ unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ void meet_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ float of_cta(const float* mine, unsigned rank) {
  std::uint32_t address;
  float value;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(mine)), "r"(rank));
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}

// Slots behind the last position hold anything, NaN too, which no weight of zero hides: zeros instead.
__device__ void copy_values(Shared& shared, const bf16* values, int n_there) {
#pragma unroll
  for (int i = 0; i < kBlock * kPieces / kThreads; ++i) {
    const int piece = threadIdx.x + i * kThreads, key = piece / kPieces, dim = piece % kPieces * 8;
    copy_async(&shared.values[key][dim], values + key * kDim + dim, key < n_there);
  }
  commit_copies();
}

// A warp's 16 keys against all query heads. Lane (g, t) has heads g and g + 8 and of each 8 keys the 2t-th and the
// next; keys and queries are read 16 bytes at a time, whose dimensions serve as neighbouring columns of two
// instructions.
__device__ void score(float (&scores)[2][4], const uint4 (&q)[2][kLoads], const uint4* keys) {
  const int lane = threadIdx.x % kWarp, g = lane / 4, t = lane % 4;
  uint4 loaded[2][kLoads];
#pragma unroll
  for (int part = 0; part < 2; ++part) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) loaded[part][i] = __ldcs(keys + (part * 8 + g) * kPieces + i * 4 + t);
  }
#pragma unroll
  for (int part = 0; part < 2; ++part) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const uint4 k = loaded[part][i];
      multiply_add(scores[part], {q[0][i].x, q[1][i].x, q[0][i].y, q[1][i].y}, k.x, k.y);
      multiply_add(scores[part], {q[0][i].z, q[1][i].z, q[0][i].w, q[1][i].w}, k.z, k.w);
    }
  }
}

// By all threads: scores of a warp's keys become weights, in shared memory.
__device__ void soften(Shared& shared, float (&scores)[2][4], int n_seen, float scale_log2) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float best = -INFINITY;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      float& value = scores[e / 2][2 * r + e % 2];
      value = warp * kKeysPerWarp + e / 2 * 8 + 2 * t + e % 2 < n_seen ? value * scale_log2 : -INFINITY;
      best = fmaxf(best, value);
    }
    best = fmaxf(best, __shfl_xor_sync(kAllLanes, best, 1));
    best = fmaxf(best, __shfl_xor_sync(kAllLanes, best, 2));
    if (t == 0) shared.largest_of_warps[warp][g + 8 * r] = best;
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int head = g + 8 * r;
    float best = -INFINITY, total = 0;
#pragma unroll
    for (int i = 0; i < kWarps; ++i) best = fmaxf(best, shared.largest_of_warps[i][head]);
    const float zero = best == -INFINITY ? 0 : best;
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const float first = power_of_two(scores[part][2 * r] - zero),
                  second = power_of_two(scores[part][2 * r + 1] - zero);
      total += first + second;
      *reinterpret_cast<std::uint32_t*>(&shared.weights[head][warp * kKeysPerWarp + part * 8 + 2 * t]) =
          pack(first, second);
    }
    total += __shfl_xor_sync(kAllLanes, total, 1);
    total += __shfl_xor_sync(kAllLanes, total, 2);
    if (t == 0) shared.totals_of_warps[warp][head] = total;
    if (t == 0 && warp == 0) shared.part.largest[head] = best;
  }
}

// A warp adds up 16 dimensions of all keys' values.
__device__ void add_values(Shared& shared) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, g = lane / 4, t = lane % 4;
  float sums[2][4] = {};
#pragma unroll
  for (int key = 0; key < kBlock; key += 16) {
    std::uint32_t w[4], v[4];
    load_matrices(w, &shared.weights[lane % 16][key + lane / 16 * 8]);
    load_matrices_transposed(v, &shared.values[key + lane % 16][warp * kDimsPerWarp + lane / 16 * 8]);
    multiply_add(sums[0], w, v[0], v[1]);
    multiply_add(sums[1], w, v[2], v[3]);
  }
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    shared.part.sums[g + e % 4 / 2 * 8][warp * kDimsPerWarp + e / 4 * 8 + 2 * t + e % 2] = sums[e / 4][e % 4];
  }
  if (threadIdx.x >= kRows) return;
  float total = 0;
  for (int i = 0; i < kWarps; ++i) total += shared.totals_of_warps[i][threadIdx.x];
  shared.part.totals[threadIdx.x] = total;
}

// Each CTA merges kDimsPerCta dimensions of all heads from the cluster's parts.
__device__ void merge(const Part& mine, const Shape& shape, int token) {
  static_assert(kRows * kDimsPerCta <= kThreads);
  const int head = threadIdx.x / kDimsPerCta,
            dim = static_cast<int>(cluster_rank()) * kDimsPerCta + threadIdx.x % kDimsPerCta;
  if (head >= shape.group_size) return;
  float largest[kCluster], best = -INFINITY, sum = 0, total = 0;
#pragma unroll
  for (unsigned i = 0; i < kCluster; ++i) {
    largest[i] = of_cta(&mine.largest[head], i);
    best = fmaxf(best, largest[i]);
  }
#pragma unroll
  for (unsigned i = 0; i < kCluster; ++i) {
    const float share = power_of_two(largest[i] - best);
    sum += share * of_cta(&mine.sums[head][dim], i);
    total += share * of_cta(&mine.totals[head], i);
  }
  const std::int64_t row = static_cast<std::int64_t>(token) * shape.q_heads + blockIdx.y * shape.group_size + head;
  shape.out[row * kDim + dim] = __float2bfloat16_rn(sum / total);
}

#endif  // __CUDA_ARCH__ >= 900

// Grid: chosen block, kv head, token.
__global__ __launch_bounds__(kThreads) void attend_kernel(Shape shape) {
#if __CUDA_ARCH__ >= 900  // never launched on other GPUs
  extern __shared__ __align__(16) std::uint8_t dynamic[];
  Shared& shared = *reinterpret_cast<Shared*>(dynamic);
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, g = lane / 4, t = lane % 4;
  const int choice = static_cast<int>(cluster_rank()), token = blockIdx.z;
  wait_for_previous();
  allow_next();  // not before: launches would pile up and hold what the next one needs
  const std::int64_t choices = (static_cast<std::int64_t>(token) * shape.kv_heads + blockIdx.y) * shape.top_k;
  const int block = choice < shape.top_k ? shape.block_ids[choices + choice] : -1;
  const int n_keys = shape.n_keys + shift_of(shape.shift);
  const int n_seen = block < 0 ? 0 : n_keys - shape.n_tokens + token + 1 - block * kBlock;
  if (n_seen > 0) {
    const bf16* keys = static_cast<const bf16*>(shape.pages[block]) + blockIdx.y * kBlock * kDim;
    copy_values(shared, keys + static_cast<std::int64_t>(shape.kv_heads) * kBlock * kDim, n_seen);
    const auto* q = reinterpret_cast<const uint4*>(shape.q) +
                    (static_cast<std::int64_t>(token) * shape.q_heads + blockIdx.y * shape.group_size) * kPieces;
    uint4 queries[2][kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      queries[0][i] = q[min(g, shape.group_size - 1) * kPieces + i * 4 + t];
      queries[1][i] = q[min(g + 8, shape.group_size - 1) * kPieces + i * 4 + t];
    }
    float scores[2][4] = {};
    score(scores, queries, reinterpret_cast<const uint4*>(keys + warp * kKeysPerWarp * kDim));
    soften(shared, scores, n_seen, shape.scale_log2);
    wait_copies<0>();
    __syncthreads();
    add_values(shared);
  } else {
    for (int i = threadIdx.x; i < kRows * kDim; i += kThreads) shared.part.sums[i / kDim][i % kDim] = 0;
    if (threadIdx.x < kRows) {
      shared.part.largest[threadIdx.x] = -INFINITY;
      shared.part.totals[threadIdx.x] = 0;
    }
  }
  meet_cluster();
  merge(shared.part, shape, token);
  meet_cluster();  // nobody leaves while others read its part
#endif
}

}  // namespace

bool attends_in_clusters(const AttentionCall& call) {
  const int group_size = call.heads.q_heads / call.heads.kv_heads;
  return call.block_ids != nullptr && call.activation_type == DType::BF16 && call.source.dtype == DType::BF16 &&
         call.source.pages != nullptr && call.heads.head_dim == kDim && call.source.page_size == kBlock &&
         group_size <= kRows && call.top_k <= kCluster && call.n_tokens <= kMostTokens;
}

void attend_in_clusters(cudaStream_t stream, const AttentionCall& call) {
  INFERENCE_CHECK(attends_in_clusters(call), "no cluster kernel for this attention");
  const Shape shape = {.out = static_cast<bf16*>(call.out),
                       .q = static_cast<const bf16*>(call.q),
                       .pages = call.source.pages,
                       .block_ids = call.block_ids,
                       .n_keys = static_cast<int>(call.n_keys),
                       .n_tokens = static_cast<int>(call.n_tokens),
                       .q_heads = call.heads.q_heads,
                       .kv_heads = call.heads.kv_heads,
                       .group_size = call.heads.q_heads / call.heads.kv_heads,
                       .top_k = call.top_k,
                       .scale_log2 = 1.4426950408889634F / sqrtf(static_cast<float>(kDim)),
                       .shift = call.replay.shift};
  const dim3 n_ctas(kCluster, static_cast<unsigned>(call.heads.kv_heads), static_cast<unsigned>(call.n_tokens));
  check_cuda(cudaFuncSetAttribute(attend_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "clusters");
  launch_early("attend_in_clusters", attend_kernel, n_ctas, kThreads, sizeof(Shared), stream, kCluster, shape);
}

}  // namespace inference::ops::cuda
