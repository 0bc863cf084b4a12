// MSA's prefill selection on Hopper, scores never written: a CTA takes 256 (token, kv head) rows and walks the blocks
// of index keys. All kv heads share the keys, so a block is read once per 256 rows. One warpgroup copies blocks to
// shared memory; two compute 128 rows each by wgmma, 64 × 128 scores at a time, reduce them to a block's best and keep
// each row's 16 best blocks in registers.

#include <algorithm>

#include "inference/ops/cuda/mma.cuh"
#include "inference/ops/cuda/ranked.cuh"
#include "inference/ops/cuda/selection.h"

namespace inference::ops::cuda {
namespace {

constexpr int kDim = 128;      // index_dim
constexpr int kBlock = 128;    // block_size
constexpr int kChoices = 16;   // room for top_k_blocks
constexpr int kGroup = 128;    // threads of a warpgroup
constexpr int kConsumers = 2;  // warpgroups
constexpr int kPasses = 2;     // of 64 rows per warpgroup
constexpr int kTileRows = kConsumers * kPasses * 64;
constexpr int kStages = 4;
constexpr int kThreads = (1 + kConsumers) * kGroup;
constexpr int kStageBytes = kBlock * kDim * 2;
constexpr int kHalfBytes = kStageBytes / 2;  // 64 dimensions of all keys: rows of 128 bytes, as the swizzle wants
constexpr int kMaxSplits = 16;
constexpr std::int64_t kFewestSplitBlocks = 8;

struct Shape {
  void* const* pages;
  std::int64_t n_rows, first_position, n_blocks, split_blocks;
  int kv_heads, n_splits, init_blocks, local_blocks;

  __device__ std::int64_t position(std::int64_t row) const { return first_position + row / kv_heads; }
  // This CTA's blocks are first_block … end_block - 1.
  __device__ std::int64_t first_block() const { return blockIdx.y * split_blocks; }
  __device__ std::int64_t end_block() const {
    const std::int64_t last_row = min(static_cast<std::int64_t>(blockIdx.x + 1) * kTileRows, n_rows) - 1;
    return min(first_block() + split_blocks, position(last_row) / kBlock + 1);
  }
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// --- barriers in shared memory ---

__device__ void init_barrier(std::uint64_t* barrier, int n_arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(n_arrivals) : "memory");
}
__device__ void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// Waits until the phase of this parity has ended.
__device__ void wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra end;\n"
      "bra again;\n"
      "end:\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

struct Barriers {
  std::uint64_t full[kStages], empty[kStages];
};

// --- the copying warpgroup ---

// 16-byte pieces of a row of 128 bytes are swizzled by the row, as wgmma's 128-byte mode reads them.
__device__ void copy_block(std::uint8_t* stage, const std::uint8_t* page) {
  constexpr int kPieces = kStageBytes / 16;
#pragma unroll
  for (int i = 0; i < kPieces / kGroup; ++i) {
    const int piece = threadIdx.x % kGroup + i * kGroup, key = piece / 16, part = piece % 16;
    std::uint8_t* to = stage + part / 8 * kHalfBytes + key * 128 + ((part % 8) ^ (key % 8)) * 16;
    copy_async(to, page + piece * 16, true);
  }
}

__device__ void run_producer(std::uint8_t* stages, Barriers& barriers, const Shape& shape) {
  const auto first = static_cast<int>(shape.first_block());
  const auto n_blocks = static_cast<int>(shape.end_block()) - first;
  constexpr int kBehind = kStages - 2;  // copies under way when one is handed over
  for (int i = 0; i < n_blocks + kBehind; ++i) {
    if (i < n_blocks) {
      if (i >= kStages) wait(&barriers.empty[i % kStages], static_cast<unsigned>(i / kStages - 1) & 1);
      copy_block(stages + i % kStages * kStageBytes, static_cast<const std::uint8_t*>(shape.pages[first + i]));
    }
    commit_copies();
    if (i < kBehind) continue;
    wait_copies<kBehind>();
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // wgmma reads what ordinary copies wrote
    arrive(&barriers.full[(i - kBehind) % kStages]);
  }
}

// --- the computing warpgroups ---

// How wgmma finds 64 dimensions of 128 keys: 128-byte swizzle, 8 rows every 1024 bytes.
__device__ std::uint64_t descriptor(const std::uint8_t* keys) {
  constexpr std::uint64_t kSwizzle128 = std::uint64_t{1} << 62, kEightRows = std::uint64_t{1024 >> 4} << 32;
  return kSwizzle128 | kEightRows | std::uint64_t{1} << 16 | (shared_address(keys) & 0x3FFFF) >> 4;
}

// scores (+)= 16 dimensions of 64 queries · 128 keys
__device__ void multiply_group(float (&d)[64], const std::uint32_t (&a)[4], std::uint64_t keys, int accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
      "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, p, 1, 1, 0;\n"
      "}\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
        "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
        "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(keys), "r"(accumulate));
}

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
    const bf16* row = q + min(pass.rows[r], shape.n_rows - 1) * kDim + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < kDim / 16; ++i) {
      pass.q[i][r] = *reinterpret_cast<const std::uint32_t*>(row + i * 16);
      pass.q[i][2 + r] = *reinterpret_cast<const std::uint32_t*>(row + i * 16 + 8);
    }
  }
}

__device__ void score_block(float (&scores)[64], const Pass& pass, const std::uint8_t* stage) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int i = 0; i < kDim / 16; ++i) {
    constexpr int kStep = 32 >> 4;  // 16 dimensions of 128-byte rows, in the descriptor's unit
    multiply_group(scores, pass.q[i], descriptor(stage + i / 4 * kHalfBytes) + i % 4 * kStep, i > 0);
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ void rate_block(Pass& pass, float (&scores)[64], int block, const Shape& shape) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float best = -INFINITY;
    const auto last_key = static_cast<int>(min(pass.positions[r] - std::int64_t{block} * kBlock, std::int64_t{kBlock}));
#pragma unroll
    for (int j = 0; j < kBlock / 8; ++j) {
      const int key = j * 8 + threadIdx.x % 4 * 2;
      if (key <= last_key) best = fmaxf(best, scores[4 * j + 2 * r]);
      if (key + 1 <= last_key) best = fmaxf(best, scores[4 * j + 2 * r + 1]);
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
    const std::uint8_t* stage = stages + i % kStages * kStageBytes;
    wait(&barriers.full[i % kStages], static_cast<unsigned>(i / kStages) & 1);
#pragma unroll
    for (int p = 0; p < kPasses; ++p) {
      score_block(scores, passes[p], stage);
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

// One warp per row takes the best of its splits' finalists.
constexpr int kMergeWarps = 4;
__global__ void merge_kernel(std::int32_t* block_ids,  // [n_rows, top_k]
                             const Ranked* finalists, std::int64_t n_rows, int n_splits, int top_k) {
  __shared__ Ranked chosen[kMergeWarps][kChoices];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kMergeWarps + warp;
  if (row >= n_rows) return;
  Ranked mine[kMaxSplits * kChoices / kWarp];
#pragma unroll
  for (int i = 0; i < kMaxSplits * kChoices / kWarp; ++i) {
    const int at = i * kWarp + lane;
    mine[i] = at < n_splits * kChoices ? finalists[row * n_splits * kChoices + at] : 0;
  }
  take_largest(mine, chosen[warp], top_k);
  store_ascending(block_ids + row * top_k, chosen[warp], top_k);
}

std::int64_t n_splits_of(const SelectionCall& call, int n_multiprocessors) {
  const std::int64_t n_tiles = ceil_div(call.n_rows(), kTileRows);
  const std::int64_t most = std::clamp<std::int64_t>(call.n_blocks() / kFewestSplitBlocks, 1, kMaxSplits);
  return std::clamp<std::int64_t>(n_multiprocessors / n_tiles, 1, most);
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
  launch("select_on_hopper", select_kernel, n_ctas, kThreads, kStages * kStageBytes + 1024, stream, finalists,
         static_cast<const bf16*>(call.index_q.data), shape);
  launch("merge_choices", merge_kernel, ceil_div(shape.n_rows, kMergeWarps), kMergeWarps * kWarp, 0, stream,
         call.block_ids.i32(), finalists, shape.n_rows, static_cast<int>(n_splits), call.selection.top_k_blocks);
}

}  // namespace inference::ops::cuda
