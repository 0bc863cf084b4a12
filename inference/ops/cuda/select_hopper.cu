// MSA's prefill selection on Hopper, scores never written: a CTA takes 192 (token, kv head) rows and walks the blocks
// of index keys. All kv heads share the keys, so a block is read once per 192 rows. One thread has blocks copied to
// shared memory; three warpgroups compute 64 rows each by wgmma, reduce their scores to a block's best and keep each
// row's 16 best blocks in registers. While one warpgroup does so, the others' products are under way.

#include <algorithm>

#include "inference/ops/cuda/address_space.h"
#include "inference/ops/cuda/hopper.cuh"
#include "inference/ops/cuda/ranked.cuh"
#include "inference/ops/cuda/selection.h"

namespace inference::ops::cuda {
namespace {

using namespace hopper;

constexpr int kChoices = 16;   // room for top_k_blocks
constexpr int kConsumers = 3;  // warpgroups
constexpr int kTileRows = kConsumers * 64;
constexpr int kStages = 6;
constexpr int kThreads = (1 + kConsumers) * kGroup;
constexpr int kMaxSplits = 16;
constexpr std::int64_t kFewestSplitBlocks = 8;
// In short contexts the last tokens see many more blocks than the first: parts of so many blocks keep all
// multiprocessors busy to the end. In long ones the difference is small, and each part's first choices cost more.
constexpr std::int64_t kEvenSplitBlocks = 16, kMostEvenBlocks = 128;

struct Shape {
  void* const* pages;
  std::int64_t n_rows, first_position, n_blocks, split_blocks;
  int kv_heads, n_splits, init_blocks, local_blocks;

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  __device__ std::int64_t position(std::int64_t row) const {
    return first_position + row / kv_heads;
  }
  // This CTA's blocks are first_block … end_block - 1.
  __device__ std::int64_t first_block() const {
    return blockIdx.y * split_blocks;
  }
  __device__ std::int64_t end_block() const {
    const std::int64_t last_row = min(static_cast<std::int64_t>(blockIdx.x + 1) * kTileRows, n_rows) - 1;
    return min(first_block() + split_blocks, position(last_row) / kBlock + 1);
  }
#endif
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

struct Barriers {
  std::uint64_t full[kStages], empty[kStages];
};

// --- the copying thread ---

__device__ void run_producer(std::uint8_t* stages, Barriers& barriers, const CUtensorMap& space, const Shape& shape) {
  const auto first = static_cast<int>(shape.first_block());
  const auto n_blocks = static_cast<int>(shape.end_block()) - first;
  for (int i = 0; i < n_blocks; ++i) {
    if (i >= kStages) wait(&barriers.empty[i % kStages], parity(i - kStages, kStages));
    start_copy(stages + i % kStages * kBlockBytes, space, static_cast<const std::uint8_t*>(shape.pages[first + i]),
               &barriers.full[i % kStages]);
  }
}

// --- the computing warpgroups ---

__device__ Ranked smallest_of_four(const Ranked (&kept)[4]) {
  Ranked smallest = min(min(kept[0], kept[1]), min(kept[2], kept[3]));
  smallest = min(smallest, __shfl_xor_sync(kAllLanes, smallest, 1));
  return min(smallest, __shfl_xor_sync(kAllLanes, smallest, 2));
}

// The best blocks of one row, four in each of its four lanes. Empty places hold 1 … 16, less than any real rank.
struct Best {
  Ranked kept[kChoices / 4];
  Ranked smallest = 1;  // of all places

  __device__ void clear() {
#pragma unroll
    for (int i = 0; i < kChoices / 4; ++i) kept[i] = threadIdx.x % 4 * 4 + i + 1;
  }
  // All lanes of the warp call this; `value` is the same in a row's four lanes.
  __device__ void offer(Ranked value) {
    const bool is_better = value > smallest;
    if (!__any_sync(kAllLanes, is_better)) return;
#pragma unroll
    for (int i = 0; i < kChoices / 4; ++i) kept[i] = is_better && kept[i] == smallest ? value : kept[i];
    smallest = smallest_of_four(kept);
  }
};

// A warpgroup's 64 rows; a lane shares in rows g and g + 8 of its warp's 16.
struct Rows {
  std::uint32_t q[kDim / 16][4];
  Best best[2];
  std::int64_t rows[2];
  int positions[2];
};

__device__ void load_rows(Rows& w, const bf16* q, const Shape& shape, std::int64_t first_row) {
  const int warp = threadIdx.x % kGroup / kWarp, lane = threadIdx.x % kWarp;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    w.rows[r] = first_row + warp * 16 + lane / 4 + 8 * r;
    w.positions[r] = static_cast<int>(shape.position(min(w.rows[r], shape.n_rows - 1)));
    w.best[r].clear();
  }
  load_queries(w.q, q + min(w.rows[0], shape.n_rows - 1) * kDim, q + min(w.rows[1], shape.n_rows - 1) * kDim);
}

__device__ void rate_block(Rows& w, float (&scores)[64], int block, const Shape& shape) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int n_visible = w.positions[r] + 1 - block * kBlock;
    if (n_visible < kBlock) hide_keys(scores, r, n_visible);
  }
  // Both rows at once, each by two halves: else one comparison would wait for the other.
  float halves[2][2], best[2];
#pragma unroll
  for (int e = 0; e < 4; ++e) halves[e / 2][e % 2] = scores[e];
#pragma unroll
  for (int j = 1; j < kBlock / 8; ++j) {
#pragma unroll
    for (int e = 0; e < 4; ++e) halves[e / 2][e % 2] = fmaxf(halves[e / 2][e % 2], scores[4 * j + e]);
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) best[r] = fmaxf(halves[r][0], halves[r][1]);
#pragma unroll
  for (int offset = 1; offset <= 2; ++offset) {
#pragma unroll
    for (float& score : best) score = fmaxf(score, __shfl_xor_sync(kAllLanes, score, offset));
  }
  Ranked offered[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int own = w.positions[r] / kBlock;
    const bool is_forced = block > own - shape.local_blocks || block < shape.init_blocks;
    const bool is_seen = block <= own && (is_forced || best[r] > -INFINITY);
    offered[r] = is_seen ? ranked(is_forced ? INFINITY : best[r], block) : 0;
  }
  if (!__any_sync(kAllLanes, offered[0] > w.best[0].smallest || offered[1] > w.best[1].smallest)) return;
#pragma unroll
  for (int r = 0; r < 2; ++r) w.best[r].offer(offered[r]);
}

__device__ void run_consumer(Ranked* finalists, const bf16* q, const std::uint8_t* stages, Barriers& barriers,
                             const Shape& shape) {
  Rows w;
  const auto group = static_cast<int>(threadIdx.x) / kGroup - 1;
  load_rows(w, q, shape, static_cast<std::int64_t>(blockIdx.x) * kTileRows + group * 64);
  const auto first = static_cast<int>(shape.first_block()), end = static_cast<int>(shape.end_block());
  for (int block = first; block < end; ++block) {
    const int i = block - first;
    float scores[64];
    wait(&barriers.full[i % kStages], parity(i, kStages));
    score_block(scores, w.q, stages + i % kStages * kBlockBytes);
    if (threadIdx.x % kWarp == 0) arrive(&barriers.empty[i % kStages]);
    rate_block(w, scores, block, shape);
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    if (w.rows[r] >= shape.n_rows) continue;
    Ranked* to = finalists + (w.rows[r] * shape.n_splits + blockIdx.y) * kChoices + threadIdx.x % 4 * 4;
#pragma unroll
    for (int e = 0; e < kChoices / 4; ++e) to[e] = w.best[r].kept[e] > kChoices ? w.best[r].kept[e] : 0;
  }
}

#endif  // __CUDA_ARCH_FEAT_SM90_ALL

__global__ __launch_bounds__(kThreads, 1) void select_kernel(Ranked* finalists,  // [n_rows, n_splits, kChoices]
                                                             const bf16* q,      // [n_rows, kDim]
                                                             const __grid_constant__ CUtensorMap space, Shape shape) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL  // never launched on other GPUs, for which wgmma does not compile
  extern __shared__ std::uint8_t shared[];
  __shared__ Barriers barriers;
  auto* stages = reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(shared) + 1023) / 1024 * 1024);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init_barrier(&barriers.full[i], 1);
      init_barrier(&barriers.empty[i], kConsumers * kGroup / kWarp);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x < kGroup) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");  // 24 + 3 · 160 of the 4 · 128 that the CTA has
    if (threadIdx.x == 0) run_producer(stages, barriers, space, shape);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 160;");
    run_consumer(finalists, q, stages, barriers, shape);
  }
#endif
}

// One warp per row takes the best of its splits' finalists, kCount in each lane.
constexpr int kMergeWarps = 4;
template <int kCount>
__global__ void merge_kernel(std::int32_t* block_ids,  // [n_rows, top_k]
                             const Ranked* finalists, std::int64_t n_rows, int n_splits, int top_k) {
  __shared__ Ranked chosen[kMergeWarps][kChoices];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kMergeWarps + warp;
  if (row >= n_rows) return;
  Ranked mine[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const int at = i * kWarp + lane;
    mine[i] = at < n_splits * kChoices ? finalists[row * n_splits * kChoices + at] : 0;
  }
  take_largest(mine, chosen[warp], top_k);
  store_ascending(block_ids + row * top_k, chosen[warp], top_k);
}

// No more blocks than are to be chosen: all are, without a look at their keys.
__global__ void choose_all_kernel(std::int32_t* block_ids,  // [n_rows, top_k]
                                  std::int64_t n_rows, std::int64_t first_position, int kv_heads, int top_k) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n_rows * top_k) return;
  const std::int64_t own = (first_position + i / top_k / kv_heads) / kBlock;
  block_ids[i] = i % top_k <= own ? static_cast<std::int32_t>(i % top_k) : -1;
}

std::int64_t n_splits_of(const SelectionCall& call, int n_multiprocessors) {
  const std::int64_t n_tiles = ceil_div(call.n_rows(), kTileRows);
  const std::int64_t most = std::clamp<std::int64_t>(call.n_blocks() / kFewestSplitBlocks, 1, kMaxSplits);
  const std::int64_t even = call.n_blocks() <= kMostEvenBlocks ? call.n_blocks() / kEvenSplitBlocks : 1;
  const std::int64_t fewest = std::clamp<std::int64_t>(std::max(n_multiprocessors / n_tiles, even), 1, most);
  // A few more, if that leaves fewer multiprocessors idle in the last wave of CTAs.
  constexpr std::int64_t kMore = 4;
  constexpr double kMostIdle = 0.05;  // of all multiprocessors' time
  for (std::int64_t n = fewest; n <= std::min(most, fewest + kMore); ++n) {
    const std::int64_t n_waves = ceil_div(n_tiles * n, n_multiprocessors);
    if (static_cast<double>(n_tiles * n) >= (1 - kMostIdle) * static_cast<double>(n_waves * n_multiprocessors))
      return n;
  }
  return fewest;
}

}  // namespace

bool selects_on_hopper(const SelectionCall& call) {
  constexpr std::int64_t kFewestRows = 64;  // below, the scores fit anywhere and more CTAs than rows count
  return call.index_q.dtype == DType::BF16 && call.cache->dtype == DType::BF16 && call.cache->index_dim == kDim &&
         call.selection.block_size == kBlock && call.selection.top_k_blocks <= kChoices &&
         call.n_rows() >= kFewestRows && std::ranges::all_of(call.cache->index_pages, begins_a_map_row);
}

std::size_t hopper_selection_bytes(const SelectionCall& call, int n_multiprocessors) {
  return static_cast<std::size_t>(call.n_rows() * n_splits_of(call, n_multiprocessors) * kChoices) * sizeof(Ranked);
}

void select_blocks_on_hopper(cudaStream_t stream, const SelectionCall& call, void* memory, int n_multiprocessors) {
  const int top_k = call.selection.top_k_blocks, kv_heads = static_cast<int>(call.kv_heads());
  if (call.n_blocks() <= top_k) {
    constexpr int kThreadsOfAll = 256;
    launch("choose_all", choose_all_kernel, ceil_div(call.n_rows() * top_k, kThreadsOfAll), kThreadsOfAll, 0, stream,
           call.block_ids.i32(), call.n_rows(), call.first_position, kv_heads, top_k);
    return;
  }
  const std::int64_t n_splits = n_splits_of(call, n_multiprocessors);
  const Shape shape = {call.cache->index_page_table,
                       call.n_rows(),
                       call.first_position,
                       call.n_blocks(),
                       (call.n_blocks() + n_splits - 1) / n_splits,
                       kv_heads,
                       static_cast<int>(n_splits),
                       call.selection.init_blocks,
                       call.selection.local_blocks};
  auto* finalists = static_cast<Ranked*>(memory);
  const dim3 n_ctas(ceil_div(shape.n_rows, kTileRows), static_cast<unsigned>(n_splits));
  launch("select_on_hopper", select_kernel, n_ctas, kThreads, kStages * kBlockBytes + 1024, stream, finalists,
         static_cast<const bf16*>(call.index_q.data), address_space(), shape);
  constexpr int kPerLane = kChoices * 4 / kWarp;  // of 4 splits
  const auto merge = n_splits <= 4   ? merge_kernel<kPerLane>
                     : n_splits <= 8 ? merge_kernel<2 * kPerLane>
                                     : merge_kernel<kMaxSplits / 4 * kPerLane>;
  launch("merge_choices", merge, ceil_div(shape.n_rows, kMergeWarps), kMergeWarps * kWarp, 0, stream,
         call.block_ids.i32(), finalists, shape.n_rows, static_cast<int>(n_splits), top_k);
}

}  // namespace inference::ops::cuda
