// MSA's selection for one token on Hopper. All multiprocessors stream the blocks' keys, or in long contexts their
// summaries, through shared memory; they exchange their best lower bounds, from which each knows which of its blocks
// may still be among the best; those are rated by their keys. Who reads the scores chooses: attention to the chosen
// blocks, or a kernel of its own. The choice equals that of reading all keys: bounds decide only which keys are read.

#include <algorithm>

#include "inference/ops/cuda/select_decode.cuh"
#include "inference/ops/cuda/selection.h"

namespace inference::ops::cuda {
namespace {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// By all threads: upper bounds per block and head, and the CTA's best lower bounds.
__device__ void bound_scores(Shared& shared, const Shape& shape, int n_local) {
  for (int i = threadIdx.x; i < n_local * kHeads; i += kThreads) {
    const int local = i / kHeads, head = i % kHeads, block = blockIdx.x + local * gridDim.x;
    float low = INFINITY, high = INFINITY;
    if (!shape.is_forced(block)) {
      const float near =
          static_cast<float>(shared.best[local][head]) * (shared.steps[head] * shared.limits[local].step);
      const float error = shared.lengths[head] * shared.limits[local].error;
      low = isfinite(error) ? near - error : -INFINITY;
      high = isfinite(error) ? near + error : INFINITY;
    }
    shared.highest[local][head] = high;
    atomicMax(&shared.lowest[head], ordered(low));
  }
}

// Waits until all CTAs of the launch have come here; what they wrote before is seen behind.
__device__ void meet_all_ctas(unsigned* n_arrived) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(n_arrived) : "memory");
    unsigned n = 0;
    while (n < gridDim.x) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(n) : "l"(n_arrived) : "memory");
  }
  __syncthreads();
}

// By all threads: 16 blocks, of as many CTAs, reach the least of the warps' second best lower bounds.
__device__ void find_thresholds(Shared& shared, const Shape& shape) {
  static_assert(kMostScoringCtas <= kThreads && 2 * kWarps >= kMostChoices);
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, cta = lane * kWarps + warp;
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    const std::uint32_t mine = cta < static_cast<int>(gridDim.x) ? __ldcg(&shape.scores->best_of_ctas[cta][head]) : 0;
    const std::uint32_t best = __reduce_max_sync(kAllLanes, mine);
    const int holder = __ffs(static_cast<int>(__ballot_sync(kAllLanes, mine == best))) - 1;
    const std::uint32_t second = __reduce_max_sync(kAllLanes, lane == holder ? 0 : mine);
    if (lane == 0) shared.second_of_warps[warp][head] = second;
  }
  __syncthreads();
  if (threadIdx.x >= kHeads) return;
  std::uint32_t least = shared.second_of_warps[0][threadIdx.x];
#pragma unroll
  for (int i = 1; i < kWarps; ++i) least = min(least, shared.second_of_warps[i][threadIdx.x]);
  shared.threshold[threadIdx.x] = least;
}

// By all threads: rates the blocks that may be among the best by their keys.
__device__ void look_again(Shared& shared, std::uint8_t* stages, const Shape& shape, int n_local,
                           const Queries& queries) {
  for (int local = threadIdx.x; local < n_local; local += kThreads) {
    bool is_candidate = false;
    for (int head = 0; head < shape.n_heads; ++head) {
      is_candidate |= ordered(shared.highest[local][head]) >= shared.threshold[head];
      shared.best[local][head] = in_order(-INFINITY);
    }
    if (is_candidate && !shape.is_forced(blockIdx.x + local * gridDim.x)) {
      shared.candidates[atomicAdd(&shared.n_candidates, 1)] = local;
    }
  }
  __syncthreads();
  constexpr int kUnits = kBlock / kUnitKeys;
  for (int first = 0; first < shared.n_candidates; first += kAgain) {
    const int n = min(shared.n_candidates - first, kAgain), i = static_cast<int>(threadIdx.x);
    if (i < n) {
      copy_bulk(stages + i * kBlockBytes, shared.pages[shared.candidates[first + i]], kBlockBytes, &shared.again[i]);
    }
    for (int unit = i / kWarp; unit < n * kUnits; unit += kWarps) {
      wait(&shared.again[unit / kUnits], parity(first / kAgain, 1));
      rate_keys(shared.best[shared.candidates[first + unit / kUnits]], queries,
                reinterpret_cast<const uint4*>(stages + unit * kUnitBytes));
    }
    __syncthreads();
  }
}

// By all threads: every block's score, 0 for those that are not to be chosen.
template <bool kSummaries>
__device__ void publish_scores(const Shared& shared, const Shape& shape, int n_local) {
  for (int i = threadIdx.x; i < n_local * kHeads; i += kThreads) {
    const int local = i / kHeads, head = i % kHeads, block = blockIdx.x + local * gridDim.x;
    const float score = shape.is_forced(block) ? INFINITY : from_order(shared.best[local][head]);
    bool can_win = score > -INFINITY;  // a block of NaN scores is never chosen
    if constexpr (kSummaries) can_win &= ordered(shared.highest[local][head]) >= shared.threshold[head];
    if (head < shape.n_heads) __stcg(&shape.scores->of_heads[head][slot_of(block)], can_win ? ordered(score) : 0);
  }
}

#endif  // __CUDA_ARCH_FEAT_SM90_ALL

template <bool kSummaries>
__global__ __launch_bounds__(kThreads, 1) void rate_kernel(Shape shape) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL  // never launched on other GPUs
  extern __shared__ __align__(128) std::uint8_t stages[];
  __shared__ Shared shared;
  shape.own = static_cast<int>((shape.position + shift_of(shape.shift)) / kBlock);
  shape.n_blocks = shape.own + 1;
  if (shape.n_blocks <= shape.top_k) {  // all will be chosen
    wait_for_previous();
    allow_next();
    return;
  }
  const int warp = threadIdx.x / kWarp, n_local = shape.n_local(shape.n_blocks);
  for (int local = threadIdx.x; local < n_local; local += kThreads) {
    shared.pages[local] = static_cast<const std::uint8_t*>(shape.pages[blockIdx.x + local * gridDim.x]);
    for (int& best : shared.best[local]) best = kSummaries ? INT32_MIN : in_order(-INFINITY);
  }
  if (threadIdx.x < kHeads) shared.lowest[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    shared.n_candidates = 0;
    for (int i = 0; i < kWarps * kStages; ++i) init_barrier(&shared.full[0][i], 1);
    for (std::uint64_t& barrier : shared.again) init_barrier(&barrier, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  using Work = Scan<kSummaries>;
  // The last blocks are forced, and the last of all may be incomplete: their keys need no look.
  const int n_local_rated = shape.n_local(shape.n_blocks - shape.local_blocks);
  const Work work = {stages + warp * kStages * kUnitBytes, shared.full[warp], shared,
                     n_local_rated * Work::kUnitsPerBlock};
  // Full blocks were written before the kernel that may still be running.
#pragma unroll
  for (int i = 0; i < kStages; ++i) work.copy(i);
  if constexpr (kSummaries) {
    for (int local = threadIdx.x; local < n_local_rated; local += kThreads)
      shared.limits[local] = *limits_of(shared.pages[local] + kBlockBytes);
  }
  wait_for_previous();
  allow_next();  // not before: launches would pile up and hold what the next one needs
  const Queries queries = load_queries_of(shape);
  if constexpr (kSummaries) {
    code_queries(shared, shape);
    __syncthreads();
    const int lane = threadIdx.x % kWarp;
    CodedQueries coded;
#pragma unroll
    for (int i = 0; i < kCodeLoads; ++i)
      coded.pieces[i] = reinterpret_cast<const uint4*>(shared.codes[lane / 4])[i * 4 + lane % 4];
    work.run(shared.best, coded);
    __syncthreads();
    bound_scores(shared, shape, n_local);
    __syncthreads();
    if (threadIdx.x < kHeads) __stcg(&shape.scores->best_of_ctas[blockIdx.x][threadIdx.x], shared.lowest[threadIdx.x]);
    meet_all_ctas(&shape.scores->n_arrived);
    find_thresholds(shared, shape);
    __syncthreads();
    look_again(shared, stages, shape, n_local, queries);
  } else {
    work.run(shared.best, queries);
    __syncthreads();
  }
  publish_scores<kSummaries>(shared, shape, n_local);
#endif
}

// A CTA per head.
template <int kCount>
__global__ __launch_bounds__(kChoosers) void choose_kernel(std::int32_t* block_ids,  // [n_heads, top_k]
                                                           BlockScores* scores, int top_k, std::int64_t position,
                                                           const int* shift) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  __shared__ Choosing shared;
  const int n_blocks = static_cast<int>((position + shift_of(shift)) / kBlock) + 1;
  wait_for_previous();
  allow_next();
  block_ids += blockIdx.x * top_k;
  if (n_blocks <= top_k) {
    for (int i = threadIdx.x; i < top_k; i += kChoosers) block_ids[i] = i < n_blocks ? i : -1;
    return;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) scores->n_arrived = 0;
  ScoresOfThread<kCount> mine;
  mine.load(scores->of_heads[blockIdx.x], n_blocks);
  choose(shared, mine, top_k);
  if (threadIdx.x < kWarp) store_ascending(block_ids, shared.chosen, top_k);
#endif
}

}  // namespace

bool selects_for_decode(const SelectionCall& call, int n_multiprocessors) {
  const std::int64_t n_blocks = call.most_blocks();
  return call.index_q.rows == 1 && call.index_q.dtype == DType::BF16 && call.cache->dtype == DType::BF16 &&
         call.cache->index_dim == kDim && call.selection.block_size == kBlock && call.kv_heads() <= kHeads &&
         call.selection.top_k_blocks <= kMostChoices && call.selection.local_blocks >= 1 && n_blocks <= kMostScores &&
         n_blocks <= std::int64_t{std::min(n_multiprocessors, kMostScoringCtas)} * kMaxLocal;
}

std::size_t block_scores_bytes() {
  return sizeof(BlockScores);
}

void rate_blocks_for_decode(cudaStream_t stream, const SelectionCall& call, BlockScores* scores,
                            int n_multiprocessors) {
  const std::int64_t n_blocks = call.most_blocks();
  if (n_blocks <= call.selection.top_k_blocks) return;
  const Shape shape = {.pages = call.cache->index_page_table,
                       .q = static_cast<const bf16*>(call.index_q.data),
                       .scores = scores,
                       .n_heads = static_cast<int>(call.kv_heads()),
                       .top_k = call.selection.top_k_blocks,
                       .init_blocks = call.selection.init_blocks,
                       .local_blocks = call.selection.local_blocks,
                       .own = 0,
                       .n_blocks = 0,
                       .position = call.first_position,
                       .shift = call.replay.shift};
  const auto n_ctas = static_cast<unsigned>(std::min<std::int64_t>({n_blocks, n_multiprocessors, kMostScoringCtas}));
  const bool by_summaries = call.cache->has_index_summaries && n_blocks >= kFewestSummarized;
  launch_early("rate_for_decode", by_summaries ? rate_kernel<true> : rate_kernel<false>, n_ctas, kThreads, kSharedBytes,
               stream, 1, shape);
}

void select_blocks_for_decode(cudaStream_t stream, const SelectionCall& call, BlockScores* scores,
                              int n_multiprocessors) {
  rate_blocks_for_decode(stream, call, scores, n_multiprocessors);
  with_scores_per_thread(call.most_blocks(), [&]<int kCount>(std::integral_constant<int, kCount>) {
    launch_early("choose_for_decode", choose_kernel<kCount>, static_cast<unsigned>(call.kv_heads()), kChoosers, 0,
                 stream, 1, call.block_ids.i32(), scores, call.selection.top_k_blocks, call.first_position,
                 call.replay.shift);
  });
}

}  // namespace inference::ops::cuda
