// MSA's selection for one token on Hopper, in one launch. All multiprocessors stream the blocks' keys, or in long
// contexts their summaries, through shared memory; they exchange their best lower bounds, from which each knows which
// of its blocks may still be among the best; those are rated by their keys; the last CTA to finish chooses. The choice
// equals that of reading all keys: bounds decide only which keys are read.

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

// By a warp per head: at least top_k blocks, of as many CTAs, reach the top_k-th best of the CTAs' lower bounds.
__device__ void find_thresholds(Shared& shared, const Shape& shape) {
  constexpr int kPerLane = kMaxCtas / kWarp;
  const int head = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (head >= kHeads) return;
  const int n_ctas = static_cast<int>(gridDim.x);
  std::uint32_t mine[kPerLane], best = 0;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int cta = i * kWarp + lane;
    mine[i] = cta < n_ctas ? __ldcg(&shape.state->best_of_ctas[cta][head]) : 0;
  }
  for (int round = 0; round < shape.top_k; ++round) {
    std::uint32_t largest = mine[0];
#pragma unroll
    for (int i = 1; i < kPerLane; ++i) largest = max(largest, mine[i]);
    best = __reduce_max_sync(kAllLanes, largest);
    const unsigned holders = __ballot_sync(kAllLanes, largest == best);
    bool is_left = lane == __ffs(holders) - 1;  // one of equals goes
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
      if (is_left && mine[i] == best) mine[i] = 0, is_left = false;
    }
  }
  if (lane == 0) shared.threshold[head] = best;
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

__device__ void publish_candidates(const Shared& shared, const Shape& shape, int n_local) {
  for (int i = threadIdx.x; i < n_local * kHeads; i += kThreads) {
    const int local = i / kHeads, head = i % kHeads, block = blockIdx.x + local * gridDim.x;
    if (head >= shape.n_heads || ordered(shared.highest[local][head]) < shared.threshold[head]) continue;
    const float score = shape.is_forced(block) ? INFINITY : from_order(shared.best[local][head]);
    if (!(score > -INFINITY)) continue;  // a block of NaN scores is never chosen
    shape.state->candidates[head][atomicAdd(&shape.state->n_candidates[head], 1)] = ranked(score, block);
  }
}

// The same without bounds: every block's score, for the last CTA to choose from.
__device__ void publish_scores(const Shared& shared, const Shape& shape, int n_local) {
  for (int i = threadIdx.x; i < n_local * kHeads; i += kThreads) {
    const int local = i / kHeads, head = i % kHeads, block = blockIdx.x + local * gridDim.x;
    shape.state->scores[head][block] = shape.is_forced(block) ? INFINITY : from_order(shared.best[local][head]);
  }
}

// By the last CTA. The top_k-th best of the threads' best candidates is a threshold, and the few candidates that reach
// it are ranked by counting. `candidate(i)` for i < n: 0 if there is none.
template <typename Candidate>
__device__ void choose(Shared& shared, Ranked (*finalists)[kMaxFinalists], const Shape& shape, int n,
                       const Candidate& candidate) {
  const int head = threadIdx.x / kThreadsPerHead, thread = threadIdx.x % kThreadsPerHead, top_k = shape.top_k;
  Ranked best = 0;
#pragma unroll 8
  for (int i = thread; i < n; i += kThreadsPerHead) best = max(best, candidate(i));
  shared.best_of_threads[head][thread] = best;
  if (thread < kChoices) shared.chosen[head][thread] = 0;
  if (thread == 0) {
    shared.least[head] = 1;
    shared.n_finalists[head] = 0;
  }
  __syncthreads();
  int rank = 0;
#pragma unroll 16
  for (const Ranked other : shared.best_of_threads[head]) rank += other > best;
  if (rank == top_k - 1 && best != 0) shared.least[head] = best;
  __syncthreads();
  if (best >= shared.least[head]) {
#pragma unroll 8
    for (int i = thread; i < n; i += kThreadsPerHead) {
      const Ranked value = candidate(i);
      if (value >= shared.least[head]) finalists[head][atomicAdd(&shared.n_finalists[head], 1)] = value;
    }
  }
  __syncthreads();
  for (int i = thread; i < shared.n_finalists[head]; i += kThreadsPerHead) {
    int place = 0;
    for (int j = 0; j < shared.n_finalists[head]; ++j) place += finalists[head][j] > finalists[head][i];
    if (place < top_k) shared.chosen[head][place] = finalists[head][i];
  }
  __syncthreads();
  if (thread < kWarp && head < shape.n_heads) {
    store_ascending(shape.block_ids + head * top_k, shared.chosen[head], top_k);
  }
}

// No more blocks than are to be chosen: all are, without a look at their keys.
__device__ void choose_all(const Shape& shape) {
  for (int i = threadIdx.x; i < shape.n_heads * shape.top_k; i += kThreads) {
    const int block = i % shape.top_k;
    shape.block_ids[i] = block < shape.n_blocks ? block : -1;
  }
}

// Whether this CTA is the last of the launch to come here; it then sees what the others wrote.
__device__ bool is_last(Shared& shared, unsigned* n_done) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) shared.is_last = atomicAdd(n_done, 1) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return shared.is_last;
}

#endif  // __CUDA_ARCH_FEAT_SM90_ALL

template <bool kSummaries>
__global__ __launch_bounds__(kThreads, 1) void select_kernel(Shape shape) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL  // never launched on other GPUs
  extern __shared__ __align__(128) std::uint8_t stages[];
  __shared__ Shared shared;
  shape.own = static_cast<int>((shape.position + shift_of(shape.shift)) / kBlock);
  shape.n_blocks = shape.own + 1;
  if (shape.n_blocks <= shape.top_k) {
    wait_for_previous();
    allow_next();
    if (blockIdx.x == 0) choose_all(shape);
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
  State& state = *shape.state;
  auto* finalists = reinterpret_cast<Ranked(*)[kMaxFinalists]>(stages);
  const int head = threadIdx.x / kThreadsPerHead;
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
    if (threadIdx.x < kHeads) __stcg(&state.best_of_ctas[blockIdx.x][threadIdx.x], shared.lowest[threadIdx.x]);
    meet_all_ctas(&state.n_arrived);
    find_thresholds(shared, shape);
    __syncthreads();
    look_again(shared, stages, shape, n_local, queries);
    publish_candidates(shared, shape, n_local);
    if (!is_last(shared, &state.n_done)) return;
    const Ranked* candidates = state.candidates[head];
    choose(shared, finalists, shape, static_cast<int>(state.n_candidates[head]), [&](int i) { return candidates[i]; });
    __syncthreads();
    if (threadIdx.x < kHeads) state.n_candidates[threadIdx.x] = 0;
    if (threadIdx.x == 0) state.n_arrived = 0;
  } else {
    work.run(shared.best, queries);
    __syncthreads();
    publish_scores(shared, shape, n_local);
    if (!is_last(shared, &state.n_done)) return;
    const float* scores = state.scores[head];
    choose(shared, finalists, shape, shape.n_blocks, [&](int i) {
      return scores[i] > -INFINITY ? ranked(scores[i], i) : 0;  // a block of NaN scores is never chosen
    });
  }
  if (threadIdx.x == 0) state.n_done = 0;
#endif
}

// Blocks that the last replay of the call sees.
std::int64_t most_blocks(const SelectionCall& call) {
  return (call.replay.end_of(call.first_position + 1) - 1) / kBlock + 1;
}

}  // namespace

bool selects_for_decode(const SelectionCall& call, int n_multiprocessors) {
  const std::int64_t n_blocks = most_blocks(call);
  return call.index_q.rows == 1 && call.index_q.dtype == DType::BF16 && call.cache->dtype == DType::BF16 &&
         call.cache->index_dim == kDim && call.selection.block_size == kBlock && call.kv_heads() <= kHeads &&
         call.selection.top_k_blocks <= kChoices && call.selection.local_blocks >= 1 &&
         (call.cache->has_index_summaries || n_blocks < kFewestSummarized) && n_blocks <= kMaxCandidates &&
         n_blocks <= std::int64_t{std::min(n_multiprocessors, kMaxCtas)} * kMaxLocal;
}

std::size_t decode_selection_bytes() {
  return sizeof(State);
}

void select_blocks_for_decode(cudaStream_t stream, const SelectionCall& call, void* state, int n_multiprocessors) {
  const Shape shape = {.pages = call.cache->index_page_table,
                       .q = static_cast<const bf16*>(call.index_q.data),
                       .block_ids = call.block_ids.i32(),
                       .state = static_cast<State*>(state),
                       .n_heads = static_cast<int>(call.kv_heads()),
                       .top_k = call.selection.top_k_blocks,
                       .init_blocks = call.selection.init_blocks,
                       .local_blocks = call.selection.local_blocks,
                       .own = 0,
                       .n_blocks = 0,
                       .position = call.first_position,
                       .shift = call.replay.shift};
  const std::int64_t n_blocks = most_blocks(call);
  const auto n_ctas = static_cast<unsigned>(std::min<std::int64_t>({n_blocks, n_multiprocessors, kMaxCtas}));
  const bool by_summaries = call.cache->has_index_summaries && n_blocks >= kFewestSummarized;
  launch_early("select_for_decode", by_summaries ? select_kernel<true> : select_kernel<false>, n_ctas, kThreads,
               kSharedBytes, stream, 1, shape);
}

}  // namespace inference::ops::cuda
