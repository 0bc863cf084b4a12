// Three ways to score (any shape in fp32, a few queries at the speed of memory, many queries on the tensor cores), one
// to choose. Scores are [n_rows, n_blocks], a row being a (token, kv head) pair.

#include "inference/ops/cuda/mma.cuh"
#include "inference/ops/cuda/ranked.cuh"
#include "inference/ops/cuda/selection.h"

namespace inference::ops::cuda {
namespace {

constexpr int kWarps = 4;
constexpr int kThreads = kWarps * kWarp;

// What the scoring kernels share.
struct ScoreShape {
  void* const* pages;
  std::int64_t n_rows, n_blocks, first_position;
  int kv_heads, index_dim, block_size;

  // Keys that a row sees: positions 0 … visible - 1.
  __device__ std::int64_t visible(std::int64_t row) const { return first_position + row / kv_heads + 1; }
};

// --- any shape ---

// A CTA rates one block for a warp's worth of rows at a time; lanes are keys.
template <typename T, typename C>
__global__ void score_plainly_kernel(float* scores, const T* q, ScoreShape shape) {
  constexpr int kKeys = kWarp;
  extern __shared__ float keys[];  // [kKeys, index_dim + 1]
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, dim = shape.index_dim;
  const std::int64_t block = blockIdx.x, row = static_cast<std::int64_t>(blockIdx.y) * kWarps + warp;
  const C* page = static_cast<const C*>(shape.pages[block]);
  float best = -INFINITY;
  for (int first = 0; first < shape.block_size; first += kKeys) {
    __syncthreads();
    for (int i = threadIdx.x; i < kKeys * dim; i += kThreads) {
      const int key = first + i / dim;
      keys[i / dim * (dim + 1) + i % dim] = key < shape.block_size ? to_float(page[key * dim + i % dim]) : 0;
    }
    __syncthreads();
    const std::int64_t position = block * shape.block_size + first + lane;
    if (row >= shape.n_rows || first + lane >= shape.block_size || position >= shape.visible(row)) continue;
    float score = 0;
    for (int d = 0; d < dim; ++d) score += to_float(q[row * dim + d]) * keys[lane * (dim + 1) + d];
    best = fmaxf(best, score);  // NaN loses
  }
  best = warp_max(best);
  if (row < shape.n_rows && lane == 0) scores[row * shape.n_blocks + block] = best;
}

// --- few queries: decode ---

constexpr int kFewRows = 8;
constexpr int kKeysPerStrip = 16;

// A CTA rates one block for up to 8 rows. Keys are the instruction's rows and come straight from memory, 16 bytes per
// lane: the order of a dot product's terms is free, so a lane's 8 consecutive dimensions serve as the columns 2t, 2t +
// 1, 2t + 8 and 2t + 9 of two instructions, for keys and queries alike.
template <int kDim>
__global__ __launch_bounds__(kThreads) void score_few_kernel(float* scores, const bf16* q, ScoreShape shape) {
  constexpr int kLoads = kDim / 32;  // of 16 bytes per lane and key
  allow_next();
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, g = lane / 4, t = lane % 4;
  const std::int64_t block = blockIdx.x;
  __shared__ float best_of_warps[kWarps][kFewRows];
  const auto* page = static_cast<const uint4*>(shape.pages[block]);
  uint4 queries[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    queries[i] = g < shape.n_rows ? reinterpret_cast<const uint4*>(q)[g * (kDim / 8) + i * 4 + t] : uint4{};
  }
  // Columns 2t and 2t + 1 of the result are this lane's two rows.
  const std::int64_t visible[2] = {shape.visible(2 * t), shape.visible(2 * t + 1)};
  float best[2] = {-INFINITY, -INFINITY};
  const int keys_per_warp = shape.block_size / kWarps;
#pragma unroll 2
  for (int first = warp * keys_per_warp; first < (warp + 1) * keys_per_warp; first += kKeysPerStrip) {
    uint4 a[kLoads], b[kLoads];  // keys g and g + 8
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      a[i] = __ldcs(page + (first + g) * (kDim / 8) + i * 4 + t);
      b[i] = __ldcs(page + (first + g + 8) * (kDim / 8) + i * 4 + t);
    }
    float c[4] = {};
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      multiply_add(c, {a[i].x, b[i].x, a[i].y, b[i].y}, queries[i].x, queries[i].y);
      multiply_add(c, {a[i].z, b[i].z, a[i].w, b[i].w}, queries[i].z, queries[i].w);
    }
    const std::int64_t position = block * shape.block_size + first + g;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if (position < visible[r]) best[r] = fmaxf(best[r], c[r]);
      if (position + 8 < visible[r]) best[r] = fmaxf(best[r], c[2 + r]);
    }
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    for (int offset = 4; offset < kWarp; offset *= 2)
      best[r] = fmaxf(best[r], __shfl_xor_sync(kAllLanes, best[r], offset));
    if (g == 0) best_of_warps[warp][2 * t + r] = best[r];
  }
  __syncthreads();
  if (threadIdx.x < shape.n_rows) {
    float value = best_of_warps[0][threadIdx.x];
    for (int i = 1; i < kWarps; ++i) value = fmaxf(value, best_of_warps[i][threadIdx.x]);
    scores[threadIdx.x * shape.n_blocks + block] = value;
  }
}

// --- many queries: prefill ---

constexpr int kTileRows = 16 * kWarps;
constexpr int kKeys = 64;

// A CTA rates one block for 64 rows, 16 per warp.
template <int kDim>
__global__ __launch_bounds__(kThreads) void score_many_kernel(float* scores, const bf16* q, ScoreShape shape) {
  __shared__ __align__(16) bf16 keys[kKeys][kDim + 8];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, g = lane / 4, t = lane % 4;
  const std::int64_t block = blockIdx.x, first_row = static_cast<std::int64_t>(blockIdx.y) * kTileRows;
  const std::int64_t last_row = min(first_row + kTileRows, shape.n_rows) - 1;
  const std::int64_t start = block * shape.block_size;
  if (start >= shape.visible(last_row)) return;  // nobody looks at this score
  const std::int64_t rows[2] = {first_row + warp * 16 + g, first_row + warp * 16 + g + 8};
  std::uint32_t a[kDim / 16][4];
#pragma unroll
  for (int i = 0; i < kDim / 16; ++i) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const bf16* row = q + min(rows[e % 2], shape.n_rows - 1) * kDim;
      a[i][e] = *reinterpret_cast<const std::uint32_t*>(row + i * 16 + e / 2 * 8 + 2 * t);
    }
  }
  const std::int64_t visible[2] = {shape.visible(rows[0]), shape.visible(rows[1])};
  const auto* page = static_cast<const bf16*>(shape.pages[block]);
  float best[2] = {-INFINITY, -INFINITY};
  for (int first = 0; first < shape.block_size; first += kKeys) {
    __syncthreads();
    for (int i = threadIdx.x; i < kKeys * kDim / 8; i += kThreads) {
      const int key = i / (kDim / 8), d = i % (kDim / 8) * 8;
      copy_async(&keys[key][d], page + (first + key) * kDim + d, true);
    }
    commit_copies();
    wait_copies<0>();
    __syncthreads();
#pragma unroll
    for (int part = 0; part < kKeys / 8; part += 2) {
      float c[2][4] = {};
#pragma unroll
      for (int i = 0; i < kDim / 16; ++i) {
        std::uint32_t k[4];
        load_matrices(k, &keys[part * 8 + lane % 8 + lane / 16 * 8][i * 16 + lane / 8 % 2 * 8]);
        multiply_add(c[0], a[i], k[0], k[1]);
        multiply_add(c[1], a[i], k[2], k[3]);
      }
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const int r = e % 4 / 2;
        const std::int64_t position = start + first + (part + e / 4) * 8 + 2 * t + e % 2;
        if (position < visible[r]) best[r] = fmaxf(best[r], c[e / 4][e % 4]);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    best[r] = fmaxf(best[r], __shfl_xor_sync(kAllLanes, best[r], 1));
    best[r] = fmaxf(best[r], __shfl_xor_sync(kAllLanes, best[r], 2));
    if (t == 0 && rows[r] < shape.n_rows) scores[rows[r] * shape.n_blocks + block] = best[r];
  }
}

// --- choosing ---

// The row's candidate for a block, 0 where the query can't choose it.
__device__ inline Ranked candidate(const float* scores, int block, int own, const Selection& selection) {
  if (block > own) return 0;
  if (block > own - selection.local_blocks || block < selection.init_blocks) return ranked(INFINITY, block);
  const float score = scores[block];
  return score > -INFINITY ? ranked(score, block) : 0;  // a block of NaN scores is never chosen
}

// Any number of blocks and choices, one warp per row. A lane knows the best of its own blocks (lane, lane + 32, …);
// after each round only the lane that gave the winner looks for its next one.
__global__ void choose_any_kernel(std::int32_t* block_ids,  // [n_rows, top_k]
                                  const float* scores, ScoreShape shape, Selection selection) {
  extern __shared__ Ranked chosen_of_cta[];  // [kWarps, top_k]
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, top_k = selection.top_k_blocks;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  if (row >= shape.n_rows) return;
  Ranked* chosen = chosen_of_cta + warp * top_k;
  const int own = static_cast<int>((shape.visible(row) - 1) / shape.block_size);
  const auto next = [&](Ranked below) {
    Ranked best = 0;
    for (int block = lane; block <= own; block += kWarp) {
      const Ranked here = candidate(scores + row * shape.n_blocks, block, own, selection);
      if (here < below && here > best) best = here;
    }
    return best;
  };
  Ranked best = next(~Ranked{0});
  for (int i = 0; i < top_k; ++i) {
    const Ranked winner = largest_of_warp(best);
    if (lane == 0) chosen[i] = winner;
    if (winner != 0 && winner == best) best = next(best);
  }
  __syncwarp();
  store_ascending(block_ids + row * top_k, chosen, top_k);
}

// M3's shape, one CTA per row: each warp finds the best 16 of 256 blocks in its registers, then one warp the best of
// those.
constexpr int kMaxChoices = 16;
constexpr int kPerLane = 8;
constexpr int kMaxWarps = 32;
constexpr std::int64_t kMaxBlocks = std::int64_t{kMaxWarps} * kWarp * kPerLane;

__global__ __launch_bounds__(kMaxWarps* kWarp) void choose_few_kernel(std::int32_t* block_ids,  // [n_rows, top_k]
                                                                      const float* scores, ScoreShape shape,
                                                                      Selection selection) {
  __shared__ Ranked best_of_warps[kMaxWarps * kMaxChoices], chosen[kMaxChoices];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, top_k = selection.top_k_blocks;
  const int n_warps = blockDim.x / kWarp;
  const std::int64_t row = blockIdx.x;
  const int own = static_cast<int>((shape.visible(row) - 1) / shape.block_size);
  allow_next();
  wait_for_previous();
  Ranked mine[kPerLane];
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    mine[i] = candidate(scores + row * shape.n_blocks, (warp * kPerLane + i) * kWarp + lane, own, selection);
  }
  take_largest(mine, n_warps == 1 ? chosen : best_of_warps + warp * kMaxChoices, top_k);
  __syncthreads();
  if (warp != 0) return;
  if (n_warps > 1) {
    Ranked finalists[kMaxChoices];
#pragma unroll
    for (int i = 0; i < kMaxChoices; ++i) {
      const int at = i * kWarp + lane;  // a warp's list holds top_k of kMaxChoices
      finalists[i] = at / kMaxChoices < n_warps && at % kMaxChoices < top_k ? best_of_warps[at] : 0;
    }
    take_largest(finalists, chosen, top_k);
  }
  store_ascending(block_ids + row * top_k, chosen, top_k);
}

void choose_blocks(cudaStream_t stream, const SelectionCall& call, const float* scores, const ScoreShape& shape) {
  const int top_k = call.selection.top_k_blocks;
  if (top_k <= kMaxChoices && shape.n_blocks <= kMaxBlocks) {
    const int n_warps = static_cast<int>(ceil_div(shape.n_blocks, kWarp * kPerLane));
    launch_early("choose_blocks", choose_few_kernel, static_cast<unsigned>(shape.n_rows), n_warps * kWarp, 0, stream, 1,
                 call.block_ids.i32(), scores, shape, call.selection);
    return;
  }
  const std::size_t smem_bytes = static_cast<std::size_t>(kWarps * top_k) * sizeof(Ranked);
  launch("choose_blocks", choose_any_kernel, ceil_div(shape.n_rows, kWarps), kThreads, smem_bytes, stream,
         call.block_ids.i32(), scores, shape, call.selection);
}

bool fits_tensor_cores(const SelectionCall& call) {
  const bool has_dim = call.cache->index_dim == 64 || call.cache->index_dim == 128;
  return call.index_q.dtype == DType::BF16 && call.cache->dtype == DType::BF16 && has_dim &&
         call.selection.block_size % (kWarps * kKeysPerStrip) == 0;
}

template <int kDim>
void score_on_tensor_cores(cudaStream_t stream, const SelectionCall& call, float* scores, const ScoreShape& shape) {
  const auto* q = static_cast<const bf16*>(call.index_q.data);
  const auto n_blocks = static_cast<unsigned>(shape.n_blocks);
  if (shape.n_rows <= kFewRows) {
    launch("score_few", score_few_kernel<kDim>, n_blocks, kThreads, 0, stream, scores, q, shape);
  } else {
    launch("score_many", score_many_kernel<kDim>, dim3(n_blocks, ceil_div(shape.n_rows, kTileRows)), kThreads, 0,
           stream, scores, q, shape);
  }
}

void score_plainly(cudaStream_t stream, const SelectionCall& call, float* scores, const ScoreShape& shape) {
  const dim3 n_ctas(static_cast<unsigned>(shape.n_blocks), ceil_div(shape.n_rows, kWarps));
  const std::size_t smem_bytes = static_cast<std::size_t>(kWarp * (shape.index_dim + 1)) * sizeof(float);
  with_float_type(call.index_q.dtype, [&]<typename T>(T) {
    with_float_type(call.cache->dtype, [&]<typename C>(C) {
      launch("score_plainly", score_plainly_kernel<T, C>, n_ctas, kThreads, smem_bytes, stream, scores,
             static_cast<const T*>(call.index_q.data), shape);
    });
  });
}

}  // namespace

void select_blocks(cudaStream_t stream, const SelectionCall& call, float* scores) {
  const ScoreShape shape = {
      call.cache->index_page_table,      call.n_rows(),         call.n_blocks(),          call.first_position,
      static_cast<int>(call.kv_heads()), call.cache->index_dim, call.selection.block_size};
  if (!fits_tensor_cores(call)) {
    score_plainly(stream, call, scores, shape);
  } else if (shape.index_dim == 64) {
    score_on_tensor_cores<64>(stream, call, scores, shape);
  } else {
    score_on_tensor_cores<128>(stream, call, scores, shape);
  }
  choose_blocks(stream, call, scores, shape);
}

}  // namespace inference::ops::cuda
