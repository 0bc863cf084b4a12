// MSA's prefill selection on Hopper, scores never written: a CTA takes 256 (token, kv head) rows and walks the blocks
// of index keys. All kv heads share the keys, so a block is read once per 256 rows. One warpgroup copies blocks to
// shared memory; two compute 128 rows each by wgmma, 64 × 128 scores at a time, reduce them to a block's best and keep
// each row's 16 best blocks in registers.

#include <algorithm>

#include "inference/ops/cuda/hopper.cuh"
#include "inference/ops/cuda/ranked.cuh"
#include "inference/ops/cuda/selection.h"

namespace inference::ops::cuda {
namespace {

using namespace hopper;

constexpr int kChoices = 16;   // room for top_k_blocks
constexpr int kConsumers = 2;  // warpgroups
constexpr int kPasses = 2;     // of 64 rows per warpgroup
constexpr int kTileRows = kConsumers * kPasses * 64;
constexpr int kStages = 4;
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

// --- the copying warpgroup ---

__device__ void run_producer(std::uint8_t* stages, Barriers& barriers, const Shape& shape) {
  const auto first = static_cast<int>(shape.first_block());
  const auto n_blocks = static_cast<int>(shape.end_block()) - first;
  constexpr int kBehind = kStages - 2;  // copies under way when one is handed over
  for (int i = 0; i < n_blocks + kBehind; ++i) {
    if (i < n_blocks) {
      if (i >= kStages) wait(&barriers.empty[i % kStages], parity(i - kStages, kStages));
      copy_block(stages + i % kStages * kBlockBytes, static_cast<const std::uint8_t*>(shape.pages[first + i]), kBlock);
    }
    commit_copies();
    if (i < kBehind) continue;
    wait_copies<kBehind>();
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // wgmma reads what ordinary copies wrote
    arrive(&barriers.full[(i - kBehind) % kStages]);
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

// 64 queries of a warpgroup; a lane shares in rows g and g + 8 of its warp's 16.
struct Pass {
  std::uint32_t q[kDim / 16][4];
  Best best[2];
  std::int64_t rows[2];
  std::int64_t positions[2];
};

__device__ void load_pass(Pass& pass, const bf16* q, const Shape& shape, std::int64_t first_row) {
  const int warp = threadIdx.x % kGroup / kWarp, lane = threadIdx.x % kWarp;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    pass.rows[r] = first_row + warp * 16 + lane / 4 + 8 * r;
    pass.positions[r] = shape.position(min(pass.rows[r], shape.n_rows - 1));
    pass.best[r].clear();
  }
  load_queries(pass.q, q + min(pass.rows[0], shape.n_rows - 1) * kDim, q + min(pass.rows[1], shape.n_rows - 1) * kDim);
}

__device__ void rate_block(Pass& pass, float (&scores)[64], int block, const Shape& shape) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float best = -INFINITY;
    const std::int64_t last_key = pass.positions[r] - std::int64_t{block} * kBlock;
    if (last_key >= kBlock - 1) {
#pragma unroll
      for (int j = 0; j < kBlock / 8; ++j) best = fmaxf(best, fmaxf(scores[4 * j + 2 * r], scores[4 * j + 2 * r + 1]));
    } else {
#pragma unroll
      for (int j = 0; j < kBlock / 8; ++j) {
        const int key = j * 8 + threadIdx.x % 4 * 2;
        if (key <= last_key) best = fmaxf(best, scores[4 * j + 2 * r]);
        if (key + 1 <= last_key) best = fmaxf(best, scores[4 * j + 2 * r + 1]);
      }
    }
    best = fmaxf(best, __shfl_xor_sync(kAllLanes, best, 1));
    best = fmaxf(best, __shfl_xor_sync(kAllLanes, best, 2));
    const auto own = static_cast<int>(pass.positions[r] / kBlock);
    const bool is_forced = block > own - shape.local_blocks || block < shape.init_blocks;
    const bool is_seen = block <= own && (is_forced || best > -INFINITY);
    pass.best[r].offer(is_seen ? ranked(is_forced ? INFINITY : best, block) : 0);
  }
}

__device__ void run_consumer(Ranked* finalists, const bf16* q, const std::uint8_t* stages, Barriers& barriers,
                             const Shape& shape) {
  const int group = threadIdx.x / kGroup - 1;
  Pass passes[kPasses];
#pragma unroll
  for (int p = 0; p < kPasses; ++p) {
    load_pass(passes[p], q, shape, static_cast<std::int64_t>(blockIdx.x) * kTileRows + (group * kPasses + p) * 64);
  }
  const auto first = static_cast<int>(shape.first_block()), end = static_cast<int>(shape.end_block());
  float scores[64];
  for (int block = first; block < end; ++block) {
    const int i = block - first;
    const std::uint8_t* stage = stages + i % kStages * kBlockBytes;
    wait(&barriers.full[i % kStages], parity(i, kStages));
#pragma unroll
    for (int p = 0; p < kPasses; ++p) {
      score_block(scores, passes[p].q, stage);
      if (p == kPasses - 1) arrive(&barriers.empty[i % kStages]);
      rate_block(passes[p], scores, block, shape);
    }
  }
#pragma unroll
  for (int p = 0; p < kPasses; ++p) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if (passes[p].rows[r] >= shape.n_rows) continue;
      Ranked* to = finalists + (passes[p].rows[r] * shape.n_splits + blockIdx.y) * kChoices + threadIdx.x % 4 * 4;
#pragma unroll
      for (int e = 0; e < kChoices / 4; ++e)
        to[e] = passes[p].best[r].kept[e] > kChoices ? passes[p].best[r].kept[e] : 0;
    }
  }
}

#endif  // __CUDA_ARCH_FEAT_SM90_ALL

__global__ __launch_bounds__(kThreads, 1) void select_kernel(Ranked* finalists,  // [n_rows, n_splits, kChoices]
                                                             const bf16* q,      // [n_rows, kDim]
                                                             Shape shape) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL  // never launched on other GPUs, for which wgmma does not compile
  extern __shared__ std::uint8_t shared[];
  __shared__ Barriers barriers;
  auto* stages = reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(shared) + 1023) / 1024 * 1024);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init_barrier(&barriers.full[i], kGroup);
      init_barrier(&barriers.empty[i], kConsumers * kGroup);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x < kGroup) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    run_producer(stages, barriers, shape);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
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

std::int64_t n_splits_of(const SelectionCall& call, int n_multiprocessors) {
  const std::int64_t n_tiles = ceil_div(call.n_rows(), kTileRows);
  const std::int64_t most = std::clamp<std::int64_t>(call.n_blocks() / kFewestSplitBlocks, 1, kMaxSplits);
  const std::int64_t even = call.n_blocks() <= kMostEvenBlocks ? call.n_blocks() / kEvenSplitBlocks : 1;
  return std::clamp<std::int64_t>(std::max(n_multiprocessors / n_tiles, even), 1, most);
}

}  // namespace

bool selects_on_hopper(const SelectionCall& call) {
  constexpr std::int64_t kFewestRows = 64;  // below, the scores fit anywhere and more CTAs than rows count
  return call.index_q.dtype == DType::BF16 && call.cache->dtype == DType::BF16 && call.cache->index_dim == kDim &&
         call.selection.block_size == kBlock && call.selection.top_k_blocks <= kChoices && call.n_rows() >= kFewestRows;
}

std::size_t hopper_selection_bytes(const SelectionCall& call, int n_multiprocessors) {
  return static_cast<std::size_t>(call.n_rows() * n_splits_of(call, n_multiprocessors) * kChoices) * sizeof(Ranked);
}

void select_blocks_on_hopper(cudaStream_t stream, const SelectionCall& call, void* memory, int n_multiprocessors) {
  const std::int64_t n_splits = n_splits_of(call, n_multiprocessors);
  const Shape shape = {call.cache->index_page_table,
                       call.n_rows(),
                       call.first_position,
                       call.n_blocks(),
                       (call.n_blocks() + n_splits - 1) / n_splits,
                       static_cast<int>(call.kv_heads()),
                       static_cast<int>(n_splits),
                       call.selection.init_blocks,
                       call.selection.local_blocks};
  auto* finalists = static_cast<Ranked*>(memory);
  const dim3 n_ctas(ceil_div(shape.n_rows, kTileRows), static_cast<unsigned>(n_splits));
  launch("select_on_hopper", select_kernel, n_ctas, kThreads, kStages * kBlockBytes + 1024, stream, finalists,
         static_cast<const bf16*>(call.index_q.data), shape);
  constexpr int kPerLane = kChoices * 4 / kWarp;  // of 4 splits
  const auto merge = n_splits <= 4   ? merge_kernel<kPerLane>
                     : n_splits <= 8 ? merge_kernel<2 * kPerLane>
                                     : merge_kernel<kMaxSplits / 4 * kPerLane>;
  launch("merge_choices", merge, ceil_div(shape.n_rows, kMergeWarps), kMergeWarps * kWarp, 0, stream,
         call.block_ids.i32(), finalists, shape.n_rows, static_cast<int>(n_splits), call.selection.top_k_blocks);
}

}  // namespace inference::ops::cuda
