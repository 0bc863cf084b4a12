// Attention of a few tokens to their chosen blocks on Hopper, in one launch: a cluster of CTAs per token and kv head,
// one chosen block each. For a single token they also choose, each for itself, by the scores of rate_blocks_for_decode.
// Keys and values are copied to shared memory; each CTA sends the others what they need of its block's results, and
// merges an equal part of the dimensions.

#include "inference/ops/cuda/attention.h"
#include "inference/ops/cuda/choose_decode.cuh"
#include "inference/ops/cuda/mma.cuh"

namespace inference::ops::cuda {
namespace {

constexpr int kDim = 128, kBlock = 128;
constexpr int kRows = 16;     // query heads of a kv head
constexpr int kCluster = 16;  // CTAs: chosen blocks of a token
constexpr int kWarps = kChoosingWarps;
constexpr int kThreads = kWarps * kWarp;
constexpr int kKeysPerWarp = kBlock / kWarps, kDimsPerWarp = kDim / kWarps;
constexpr int kPieces = kDim / 8;                     // of 16 bytes in a row
[[maybe_unused]] constexpr int kLoads = kPieces / 4;  // per lane and row
constexpr int kDimsPerCta = kDim / kCluster;
constexpr int kNearPages = 1024;  // whose addresses are at hand before the choice
constexpr std::int64_t kMostTokens = 15;
static_assert(kKeysPerWarp == 16 && kDimsPerWarp == 2 * kDimsPerCta && kRows == kCluster);

struct Shape {
  bf16* out;      // [n_tokens, q_heads, kDim]
  const bf16* q;  // [n_tokens, q_heads, kDim]
  void* const* pages;
  std::int32_t* block_ids;  // [n_tokens, kv_heads, top_k]; written where they are chosen here
  BlockScores* scores;      // null: blocks are chosen
  int n_keys, n_tokens, q_heads, kv_heads, group_size, top_k;
  float scale_log2;
  const int* shift;  // of a replay, see recording.h
};

// What the cluster's CTAs send each other.
struct Received {
  float sums[kCluster][kRows][kDimsPerCta];  // unnormalised; by sender
  float2 states[kCluster][kRows];            // largest score, total weight
};

struct Shared {
  bf16 values[kBlock][kDim + 8];  // 16 bytes more, so that ldmatrix meets no bank twice
  union {
    uint4 keys[kBlock][kPieces];      // pieces of odd keys are exchanged, see key_piece
    bf16 weights[kRows][kBlock + 8];  // when all have read their keys
  };
  float largest_of_warps[kWarps][kRows], totals_of_warps[kWarps][kRows];
  Received received;
};
struct SharedOfChooser : Shared {
  Choosing choosing;
  const void* pages[kNearPages];
};

#if __CUDA_ARCH__ >= 900

__device__ unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ void arrive_at_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ void wait_for_cluster() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// Writes to where `mine` would be in another CTA.
__device__ void send(const void* mine, int cta, float first, float second) {
  std::uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(mine)), "r"(cta));
  asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(first), "f"(second) : "memory");
}

// Where a piece of a key lies: lanes that read the same pieces of two neighbouring keys meet no bank twice.
__device__ unsigned key_piece(unsigned key, unsigned piece) {
  return piece ^ (key % 2 * 4);
}

// A warp copies the 16 keys that it scores.
__device__ void copy_keys(Shared& shared, const bf16* keys) {
  constexpr unsigned kRowsAtOnce = kWarp / kPieces;
  const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const unsigned row = warp * kKeysPerWarp + lane / kPieces, piece = lane % kPieces;
  const bf16* from = keys + row * kDim + piece * 8;
  uint4* to = &shared.keys[row][key_piece(row, piece)];
#pragma unroll
  for (unsigned i = 0; i < kKeysPerWarp; i += kRowsAtOnce) copy_async(to + i * kPieces, from + i * kDim, true);
  commit_copies();
}

// Slots behind the last position hold anything, NaN too, which no weight of zero hides: zeros instead.
__device__ void copy_values(Shared& shared, const bf16* values, int n_there) {
  constexpr int kRowsAtOnce = kThreads / kPieces;
  const unsigned row = threadIdx.x / kPieces, dim = threadIdx.x % kPieces * 8;
  const bf16* from = values + row * kDim + dim;
  bf16* to = &shared.values[row][dim];
#pragma unroll
  for (int i = 0; i < kBlock; i += kRowsAtOnce) {
    copy_async(to + i * (kDim + 8), from + i * kDim, static_cast<int>(row) + i < n_there);
  }
  commit_copies();
}

struct Queries {
  uint4 pieces[2][kLoads];  // of heads g and g + 8
};
__device__ Queries load_queries(const Shape& shape, int token) {
  const int lane = threadIdx.x % kWarp, g = lane / 4, t = lane % 4;
  const auto* q = reinterpret_cast<const uint4*>(shape.q) +
                  (static_cast<std::int64_t>(token) * shape.q_heads + blockIdx.y * shape.group_size) * kPieces;
  Queries loaded;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    loaded.pieces[0][i] = q[min(g, shape.group_size - 1) * kPieces + i * 4 + t];
    loaded.pieces[1][i] = q[min(g + 8, shape.group_size - 1) * kPieces + i * 4 + t];
  }
  return loaded;
}

// A warp's 16 keys against all query heads. Lane (g, t) gets the scores of heads g and g + 8 and of each 8 keys the
// 2t-th and the next; keys and queries are read 16 bytes at a time, whose dimensions serve as neighbouring columns of
// two instructions.
__device__ void score(float (&scores)[2][4], const Queries& q, const Shared& shared) {
  const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    const unsigned key = warp * kKeysPerWarp + part * 8 + g;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const uint4 k = shared.keys[key][key_piece(key, i * 4 + t)], first = q.pieces[0][i], second = q.pieces[1][i];
      multiply_add(scores[part], {first.x, second.x, first.y, second.y}, k.x, k.y);
      multiply_add(scores[part], {first.z, second.z, first.w, second.w}, k.z, k.w);
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
  }
}

// A warp adds up 16 dimensions of all keys' values: two CTAs' part.
__device__ void add_values(float (&sums)[2][4], const Shared& shared) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
#pragma unroll
  for (int key = 0; key < kBlock; key += 16) {
    std::uint32_t w[4], v[4];
    load_matrices(w, &shared.weights[lane % 16][key + lane / 16 * 8]);
    load_matrices_transposed(v, &shared.values[key + lane % 16][warp * kDimsPerWarp + lane / 16 * 8]);
    multiply_add(sums[0], w, v[0], v[1]);
    multiply_add(sums[1], w, v[2], v[3]);
  }
}

// To each CTA the states of all heads, and its dimensions of them.
__device__ void send_states(const Shared& shared, bool has_block) {
  const int cta = threadIdx.x / kRows, head = threadIdx.x % kRows;
  float best = -INFINITY, total = 0;
  if (has_block) {
    for (int i = 0; i < kWarps; ++i) {
      best = fmaxf(best, shared.largest_of_warps[i][head]);
      total += shared.totals_of_warps[i][head];
    }
  }
  send(&shared.received.states[cluster_rank()][head], cta, best, total);
}
__device__ void send_sums(const Shared& shared, const float (&sums)[2][4]) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int part = 0; part < 2; ++part) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      send(&shared.received.sums[cluster_rank()][g + 8 * r][2 * t], 2 * warp + part, sums[part][2 * r],
           sums[part][2 * r + 1]);
    }
  }
}

// Each CTA merges kDimsPerCta dimensions of all heads.
__device__ void merge(const Received& received, const Shape& shape, int token) {
  static_assert(kRows * kDimsPerCta <= kThreads);
  const int head = threadIdx.x / kDimsPerCta, dim = threadIdx.x % kDimsPerCta;
  if (head >= shape.group_size) return;
  float best = -INFINITY, sum = 0, total = 0;
#pragma unroll
  for (int i = 0; i < kCluster; ++i) best = fmaxf(best, received.states[i][head].x);
#pragma unroll
  for (int i = 0; i < kCluster; ++i) {
    const float2 state = received.states[i][head];
    const float share = power_of_two(state.x - best);
    sum += share * received.sums[i][head][dim];
    total += share * state.y;
  }
  const std::int64_t row = static_cast<std::int64_t>(token) * shape.q_heads + blockIdx.y * shape.group_size + head;
  shape.out[row * kDim + static_cast<int>(cluster_rank()) * kDimsPerCta + dim] = __float2bfloat16_rn(sum / total);
}

// By all threads: this CTA's block, or -1.
template <int kScores>
__device__ int choose_block(SharedOfChooser& shared, const Shape& shape, int n_blocks) {
  const int rank = static_cast<int>(cluster_rank());
  std::int32_t* ids = shape.block_ids + blockIdx.y * shape.top_k;
  if (n_blocks <= shape.top_k) {
    __syncthreads();  // pages are there
    const int i = static_cast<int>(threadIdx.x);
    if (rank == 0 && i < shape.top_k) ids[i] = i < n_blocks ? i : -1;
    return rank < n_blocks ? rank : -1;
  }
  if (rank == 0 && blockIdx.y == 0 && threadIdx.x == 0) shape.scores->n_arrived = 0;
  ScoresOfThread<kScores> mine;
  mine.load(shape.scores->of_heads[blockIdx.y], n_blocks);
  choose(shared.choosing, mine, shape.top_k);
  if (rank == 0 && threadIdx.x < kWarp) store_ascending(ids, shared.choosing.chosen, shape.top_k);
  return nth_chosen(shared.choosing, rank);
}

#endif  // __CUDA_ARCH__ >= 900

// Grid: chosen block, kv head, token. kScores: per thread, of the blocks to choose from; 0: they are chosen. Registers
// must leave room for a CTA that rates the next blocks.
template <int kScores>
__global__ __launch_bounds__(kThreads, 2) void attend_kernel(Shape shape) {
#if __CUDA_ARCH__ >= 900  // never launched on other GPUs
  extern __shared__ __align__(16) std::uint8_t dynamic[];
  auto& shared = *reinterpret_cast<std::conditional_t<(kScores > 0), SharedOfChooser, Shared>*>(dynamic);
  const int token = blockIdx.z;
  arrive_at_cluster();  // to be written to
  const int n_keys = shape.n_keys + shift_of(shape.shift);
  const int n_blocks = (n_keys - 1) / kBlock + 1;
  if constexpr (kScores > 0) {
    for (int i = threadIdx.x; i < min(n_blocks, kNearPages); i += kThreads) shared.pages[i] = shape.pages[i];
  }
  wait_for_previous();
  allow_next();  // not before: launches would pile up and hold what the next one needs
  const Queries queries = load_queries(shape, token);
  const void* page = nullptr;
  int block = -1;
  if constexpr (kScores > 0) {
    block = choose_block<kScores>(shared, shape, n_blocks);
    if (block >= 0) page = block < kNearPages ? shared.pages[block] : shape.pages[block];
  } else {
    const int choice = static_cast<int>(cluster_rank());
    const std::int64_t choices = (static_cast<std::int64_t>(token) * shape.kv_heads + blockIdx.y) * shape.top_k;
    if (choice < shape.top_k) block = shape.block_ids[choices + choice];
    if (block >= 0) page = shape.pages[block];
  }
  const int n_seen = block < 0 ? 0 : n_keys - shape.n_tokens + token + 1 - block * kBlock;
  float sums[2][4] = {};
  if (n_seen > 0) {
    const bf16* keys = static_cast<const bf16*>(page) + blockIdx.y * kBlock * kDim;
    copy_keys(shared, keys);
    copy_values(shared, keys + static_cast<std::int64_t>(shape.kv_heads) * kBlock * kDim, n_seen);
    float scores[2][4] = {};
    wait_copies<1>();
    __syncwarp();
    score(scores, queries, shared);
    soften(shared, scores, n_seen, shape.scale_log2);
    wait_copies<0>();
    __syncthreads();
  }
  wait_for_cluster();
  send_states(shared, n_seen > 0);
  if (n_seen > 0) add_values(sums, shared);
  send_sums(shared, sums);
  arrive_at_cluster();
  wait_for_cluster();  // nobody writes to this CTA any more, nor this one to others
  merge(shared.received, shape, token);
#endif
}

template <int kScores>
void launch_attend(cudaStream_t stream, const Shape& shape) {
  constexpr std::size_t kSharedBytes = kScores > 0 ? sizeof(SharedOfChooser) : sizeof(Shared);
  const dim3 n_ctas(kCluster, static_cast<unsigned>(shape.kv_heads), static_cast<unsigned>(shape.n_tokens));
  check_cuda(cudaFuncSetAttribute(attend_kernel<kScores>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
             "clusters");
  launch_early("attend_in_clusters", attend_kernel<kScores>, n_ctas, kThreads, kSharedBytes, stream, kCluster, shape);
}

Shape shape_of(const AttentionCall& call) {
  INFERENCE_CHECK(attends_in_clusters(call), "no cluster kernel for this attention");
  return {.out = static_cast<bf16*>(call.out),
          .q = static_cast<const bf16*>(call.q),
          .pages = call.source.pages,
          .block_ids = const_cast<std::int32_t*>(call.block_ids),
          .scores = nullptr,
          .n_keys = static_cast<int>(call.n_keys),
          .n_tokens = static_cast<int>(call.n_tokens),
          .q_heads = call.heads.q_heads,
          .kv_heads = call.heads.kv_heads,
          .group_size = call.heads.q_heads / call.heads.kv_heads,
          .top_k = call.top_k,
          .scale_log2 = 1.4426950408889634F / sqrtf(static_cast<float>(kDim)),
          .shift = call.replay.shift};
}

}  // namespace

bool attends_in_clusters(const AttentionCall& call) {
  const int group_size = call.heads.q_heads / call.heads.kv_heads;
  return call.block_ids != nullptr && call.activation_type == DType::BF16 && call.source.dtype == DType::BF16 &&
         call.source.pages != nullptr && call.heads.head_dim == kDim && call.source.page_size == kBlock &&
         group_size <= kRows && call.top_k <= kCluster && call.n_tokens <= kMostTokens;
}

void attend_in_clusters(cudaStream_t stream, const AttentionCall& call) {
  launch_attend<0>(stream, shape_of(call));
}

void choose_and_attend(cudaStream_t stream, const AttentionCall& call, BlockScores* scores) {
  const std::int64_t n_blocks = (call.replay.end_of(call.n_keys) - 1) / kBlock + 1;
  INFERENCE_CHECK(call.n_tokens == 1 && call.heads.kv_heads <= kScoredHeads && n_blocks <= kMostScores,
                  "scores are of one token and ", kMostScores, " blocks at most");
  Shape shape = shape_of(call);
  shape.scores = scores;
  with_scores_per_thread(
      n_blocks, [&]<int kCount>(std::integral_constant<int, kCount>) { launch_attend<kCount>(stream, shape); });
}

}  // namespace inference::ops::cuda
