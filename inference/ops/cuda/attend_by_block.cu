// Attention of many tokens to chosen blocks on Hopper, block by block: for tiles of neighbouring tokens whose choices
// have little in common. Choices are turned round (block_lists.cuh) into a list of tokens per (kv head, block), and
// lists are cut into items. A CTA has the keys and values of one item's block after the other copied to shared memory;
// four warpgroups take the item's tokens by 64 rows, a row being one query head of one token. Each choice of each token
// leaves a result of its own, with its best score and its total weight; the last kernel adds them.

#include <bit>

#include "inference/ops/cuda/address_space.h"
#include "inference/ops/cuda/block_lists.cuh"

namespace inference::ops::cuda {
namespace {

using namespace hopper;

constexpr int kRows = 64;      // of a warpgroup's product
constexpr int kWarpRows = 16;  // of them a warp's
constexpr int kGroups = 4;     // warpgroups of a CTA, of 128 registers a thread
constexpr int kThreads = kGroups * kGroup;
constexpr int kStages = 2;                     // blocks, keys and values
constexpr int kItemRows = 2560;                // rows that a CTA takes with one copy of a block, at most
constexpr int kQueryBytes = kRows * kDim * 2;  // of a warpgroup
constexpr std::int64_t kFewestTokens = 256;
constexpr int kMergeThreads = 256;
constexpr int kLanesPerRow = kMostChoices;  // of the merge: 16 bytes each, and a choice each

// Rows of a warp's queries that one copy takes: of one token.
__host__ __device__ constexpr int box_rows_of(int group_size) {
  return group_size < kWarpRows ? group_size : kWarpRows;
}

// Results of single choices: [token, choice, query head].
struct Parts {
  bf16* values;    // of kDim, in the order in which lanes hold them, for weights of which the best score's is 1
  float2* totals;  // the best score, to base 2, and the total of the weights
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// What a stage holds: keys and values of a block, and the tokens of an item of its list.
struct Work {
  struct Choice {
    std::int32_t token, part;  // part: where the result of the kv head's first query head goes
  };
  int n_tokens;  // 0: there are no more items
  int kv_head, first_key;
  Choice choices[kItemRows / kFewestGroup];

  __device__ int n_steps(int token_bits) const { return ((n_tokens << token_bits) + kRows - 1) / kRows; }
  // Tokens behind the end repeat the last one; they are not stored.
  __device__ int token(int place) const { return choices[min(place, n_tokens - 1)].token; }
};

struct Shared {
  std::uint64_t full[kStages], left[kStages], queries_full[kGroups];
  std::uint32_t n_left[kStages];  // 1 + its last use that a warp has seen all leave; who raises it fills it again
  Work work[kStages];
};

// By one warp: the next item that no CTA has taken yet on its way to a stage. What the kernels before wrote is read
// from the L2, since no wait for them has emptied the L1.
__device__ void fill_stage(std::uint8_t* stages, Shared& shared, unsigned s, void* const* pages,
                           const CUtensorMap& space, const Lists& lists, const AttentionShape& shape) {
  const int lane = threadIdx.x % kWarp, n_items = __ldcg(lists.n_items);
  std::uint64_t* full = &shared.full[s];
  int i = 0;
  if (lane == 0) i = atomicAdd(lists.next_item, 1);
  i = __shfl_sync(kAllLanes, i, 0);
  Item item = {};
  if (i < n_items) item = {__ldcg(&lists.items[i].list), __ldcg(&lists.items[i].first), __ldcg(&lists.items[i].end)};
  const int kv_head = item.list / lists.n_blocks, block = item.list % lists.n_blocks;
  Work& work = shared.work[s];
  if (lane == 0) {
    work.n_tokens = item.end - item.first;
    work.kv_head = kv_head;
    work.first_key = block * kBlock;
  }
  const int n_there = i < n_items ? shape.n_keys - block * kBlock : 0;
  std::uint8_t *keys = stages + s * 2 * kBlockBytes, *values = keys + kBlockBytes;
  if (n_there > 0) {
    const auto* from = static_cast<const std::uint8_t*>(pages[block]) + std::int64_t{kv_head} * kBlockBytes;
    const std::uint8_t* values_from = from + std::int64_t{shape.kv_heads} * kBlockBytes;
#pragma unroll 4
    for (int k = lane; k < item.end - item.first; k += kWarp) {
      const std::int32_t handle = __ldcg(lists.handles + item.first + k), token = handle / kMostChoices;
      const int choice = token * shape.top_k + handle % kMostChoices;
      work.choices[k] = {token, choice * shape.q_heads + kv_head * shape.group_size};
    }
    if (n_there < kBlock) {
      copy_partly(keys, from, n_there, lane);
      copy_partly(values, values_from, n_there, lane);
      commit_copies();
    } else if (lane == 0) {
      start_copy(keys, space, from, full);
      start_copy(values, space, values_from, full);
    }
  }
  if (n_there < kBlock) {
    wait_copies<0>();
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // wgmma reads what ordinary copies wrote
    if (lane == 0) {
      arrive(full);
      arrive(full);
    }
  }
  arrive(full);
  __syncwarp();
}

// Of the 64 scores of row r (0 or 1) that a lane has, weights relative to the best.
__device__ float2 soften(float (&scores)[64], int r, float scale_log2) {
  float best = -INFINITY, total = 0;
#pragma unroll
  for (int j = 0; j < kBlock / 8; ++j) best = fmaxf(best, fmaxf(scores[4 * j + 2 * r], scores[4 * j + 2 * r + 1]));
  best = fmaxf(best, __shfl_xor_sync(kAllLanes, best, 1));
  best = fmaxf(best, __shfl_xor_sync(kAllLanes, best, 2));
  const float zero = best == -INFINITY ? 0 : best * scale_log2;  // no visible key: all weights are 0
#pragma unroll
  for (int j = 0; j < kBlock / 8; ++j) {
#pragma unroll
    for (int e = 4 * j + 2 * r; e < 4 * j + 2 * r + 2; ++e) {
      scores[e] = power_of_two(scores[e] * scale_log2 - zero);
      total += scores[e];
    }
  }
  total += __shfl_xor_sync(kAllLanes, total, 1);
  total += __shfl_xor_sync(kAllLanes, total, 2);
  return make_float2(best == -INFINITY ? best : zero, total);
}

// Asked for anew wherever it is used: there are no registers to keep what follows from it.
__device__ int thread_of_cta() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}
__device__ int group_of_cta() {
  return thread_of_cta() / kGroup;
}

__device__ int row_of_step(int thread, int r) {
  return thread % kGroup / kWarp * kWarpRows + thread % kWarp / 4 + 8 * r;
}

// A warp's queries of a step on their way to shared memory, by boxes of one token.
__device__ void fetch_queries(std::uint8_t* to, const bf16* q, const CUtensorMap& space, const Work& work,
                              int token_bits, int q_heads, int step, std::uint64_t* full) {
  if (threadIdx.x % kWarp == 0) {
    expect_bytes(full, kWarpRows * kDim * 2);
    const int box_rows = min(1 << token_bits, kWarpRows), row_of_group = threadIdx.x % kGroup / kWarp * kWarpRows;
    for (int row = row_of_group; row < row_of_group + kWarpRows; row += box_rows) {
      const int row_of_item = step * kRows + row;
      const int token = work.token(row_of_item >> token_bits);
      const int head = (work.kv_head << token_bits) + (row_of_item & ((1 << token_bits) - 1));
      start_rows(to + row * 128, kQueryBytes / 2, space, q + (std::int64_t{token} * q_heads + head) * kDim, full);
    }
  }
  __syncwarp();
}

// A descriptor as descriptor() makes it, so many units behind a block; only the lower word is computed.
__device__ std::uint64_t descriptor_at(std::uint32_t address, std::uint32_t leading_bytes, int units) {
  constexpr std::uint32_t kUpper = 1U << 30 | 1024U >> 4;  // swizzled by 128 bytes; 8 rows every 1024 bytes
  const std::uint32_t lower = (leading_bytes >> 4) << 16 | (address & 0x3FFFF) >> 4;
  std::uint64_t both;
  asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(lower + static_cast<std::uint32_t>(units)), "r"(kUpper));
  return both;
}

__device__ void score_queries(float (&scores)[64], const std::uint8_t* queries, const std::uint8_t* keys) {
  const std::uint32_t queries_at = shared_address(queries), keys_at = shared_address(keys);
  begin_products();
#pragma unroll
  for (int i = 0; i < kDim / 16; ++i) {
    constexpr int kStep = 32 >> 4;  // 16 dimensions of 128-byte rows, in the descriptor's unit
    multiply_shared<0>(scores, descriptor_at(queries_at, 16, i / 4 * (kQueryBytes / 2 >> 4) + i % 4 * kStep),
                       descriptor_at(keys_at, 16, i / 4 * (kHalfBytes >> 4) + i % 4 * kStep), i > 0);
  }
  finish_products(scores);
}

__device__ void add_values(float (&sums)[64], const float (&scores)[64], const std::uint8_t* values) {
  const std::uint32_t values_at = shared_address(values);
  std::uint32_t weights[kBlock / 16][4];
#pragma unroll
  for (int i = 0; i < kBlock / 16; ++i) {
#pragma unroll
    for (int e = 0; e < 4; ++e) weights[i][e] = pack(scores[8 * i + 2 * e], scores[8 * i + 2 * e + 1]);
  }
  begin_products();
#pragma unroll
  for (int i = 0; i < kBlock / 16; ++i) {
    constexpr int kStep = 16 * 128 >> 4;  // 16 keys, in the descriptor's unit
    multiply_group<1>(sums, weights[i], descriptor_at(values_at, kHalfBytes, i * kStep), i > 0);
  }
  finish_products(sums);
}

__device__ void store_values(bf16* to_row, const float (&sums)[64], int r) {
  auto* to = reinterpret_cast<uint4*>(to_row) + threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < kDim / 32; ++i) {
    const auto two = [&](int j) { return pack(sums[4 * (4 * i + j) + 2 * r], sums[4 * (4 * i + j) + 2 * r + 1]); };
    __stcs(to + 4 * i, make_uint4(two(0), two(1), two(2), two(3)));
  }
}

// The groups take steps by turns, across items. A step's queries are fetched while the group's step before is weighed;
// the warp that sees all others out of an item has the stage filled again.
template <bool kNarrow>
__device__ void run_group(const Parts& parts, const bf16* q, std::uint8_t* stages, Shared& shared, void* const* pages,
                          const CUtensorMap& space, const CUtensorMap& query_space, const Lists& lists,
                          const AttentionShape& shape) {
  const int token_bits = lists.token_bits;
  const auto phase = [](unsigned use) { return use / kStages & 1; };  // unsigned takes fewer registers than parity()
  const auto queries = [&] { return stages + kStages * 2 * kBlockBytes + group_of_cta() * kQueryBytes; };
  const auto queries_full = [&] { return &shared.queries_full[group_of_cta()]; };
  const auto fetch = [&](const Work& work, int step) {
    fetch_queries(queries(), q, query_space, work, token_bits, shape.q_heads, step, queries_full());
  };
  int step = group_of_cta();
  bool is_fetched = false;
  unsigned queries_parity = 0;
  for (unsigned use = 0;; ++use) {
    const unsigned s = use % kStages;
    const std::uint8_t *keys = stages + s * 2 * kBlockBytes, *values = keys + kBlockBytes;
    wait(&shared.full[s], phase(use));
    const Work& work = shared.work[s];
    if (work.n_tokens == 0) break;
    step -= work.n_steps(token_bits);  // counted from the item's end
    for (; step < 0; step += kGroups) {
      if (!is_fetched) fetch(work, work.n_steps(token_bits) + step);
      float scores[64], sums[64];
      wait(queries_full(), queries_parity);
      queries_parity ^= 1;
      score_queries(scores, queries(), keys);
      asm volatile("bar.sync %0, %1;" ::"r"(1 + group_of_cta()), "n"(kGroup) : "memory");  // all have read the queries
      const int next = step + kGroups;
      is_fetched = next < 0;
      if (is_fetched) {
        fetch(work, work.n_steps(token_bits) + next);
      } else {
        // All have left the item before, or will without this group: the next one comes.
        wait(&shared.full[1 - s], phase(use + 1));
        is_fetched = next < shared.work[1 - s].n_steps(token_bits);
        if (is_fetched) fetch(shared.work[1 - s], next);
      }
      // A lane's second row is of the same token as its first, or (kNarrow) it need not be.
      const auto row_of_item = [&](int r) {
        return (work.n_steps(token_bits) + step) * kRows + row_of_step(thread_of_cta(), r);
      };
      const auto part_at = [&](int r) {
        const int row = row_of_item(r);
        if (row >> token_bits >= work.n_tokens) return -1;
        return work.choices[row >> token_bits].part + (row & ((1 << token_bits) - 1));
      };
      int n_visible = 0, part = 0;
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (kNarrow || r == 0) {
          const int token = work.token(row_of_item(r) >> token_bits);
          n_visible = shape.n_keys - shape.n_tokens + token + 1 - work.first_key;
        }
        if (n_visible < kBlock) hide_keys(scores, r, n_visible);
        const float2 totals = soften(scores, r, shape.scale_log2);
        if (kNarrow || r == 0) part = part_at(r);
        if (threadIdx.x % 4 == 0 && part >= 0) parts.totals[kNarrow ? part : part + 8 * r] = totals;
      }
      add_values(sums, scores, values);
      part = part_at(0);
      if (part >= 0) store_values(parts.values + std::int64_t{part} * kDim, sums, 0);
      part = kNarrow ? part_at(1) : part + 8;
      if (part >= (kNarrow ? 0 : 8)) store_values(parts.values + std::int64_t{part} * kDim, sums, 1);
    }
    asm volatile("" : "+r"(use));  // or else its parity would be kept, for which there is no register
    arrive(&shared.left[s]);
    __syncwarp();
    bool is_last = false;
    if (threadIdx.x % kWarp == 0) {
      is_last = has_ended(&shared.left[s], phase(use)) && atomicMax(&shared.n_left[s], use + 1) <= use;
    }
    if (__shfl_sync(kAllLanes, is_last, 0)) {
      wait(&shared.left[s], phase(use));  // over: it orders all lanes' writes behind the others' reads
      fill_stage(stages, shared, s, pages, space, lists, shape);
    }
  }
}

#endif  // __CUDA_ARCH_FEAT_SM90_ALL

// kNarrow: a token has fewer query heads per kv head than a warp has rows.
// Starts while the kernel that takes whole tiles still runs; that one allows it when the lists are complete.
template <bool kNarrow>
__global__ __launch_bounds__(kThreads, 1) void attend_kernel(Parts parts, const bf16* q, void* const* pages,
                                                             Lists lists, AttentionShape shape,
                                                             const __grid_constant__ CUtensorMap space,
                                                             const __grid_constant__ CUtensorMap query_space) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL  // never launched on other GPUs, for which wgmma does not compile
  extern __shared__ std::uint8_t dynamic[];
  __shared__ Shared shared;
  auto* stages = reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(dynamic) + 1023) / 1024 * 1024);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init_barrier(&shared.full[i], kWarp + 2);  // a warp's handles, keys and values
      init_barrier(&shared.left[i], kThreads);
      shared.n_left[i] = 0;
    }
    for (int i = 0; i < kGroups; ++i) init_barrier(&shared.queries_full[i], kGroup / kWarp);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x < kWarp) {
    for (unsigned s = 0; s < kStages; ++s) fill_stage(stages, shared, s, pages, space, lists, shape);
  }
  run_group<kNarrow>(parts, q, stages, shared, pages, space, query_space, lists, shape);
  if (blockIdx.x == 0) wait_for_previous();  // the kernel after this one needs whole tiles' results, too
#endif
}

// One CTA per tile and kv head; kLanesPerRow lanes add up the choices of one query head of one token.
__global__ __launch_bounds__(kMergeThreads, 3) void merge_kernel(bf16* out, Parts parts, const std::uint8_t* by_block,
                                                                 AttentionShape shape) {
  if (!by_block[blockIdx.y * gridDim.x + blockIdx.x]) return;
  const int lane = threadIdx.x % kLanesPerRow;
  for (int i = threadIdx.x / kLanesPerRow; i < shape.tile_rows; i += kMergeThreads / kLanesPerRow) {
    const int row = blockIdx.x * shape.tile_rows + i, token = row / shape.group_size;
    if (token >= shape.n_tokens) return;  // for whole warps: group sizes are even
    const int head = blockIdx.y * shape.group_size + row % shape.group_size;
    const auto part = [&](int choice) { return (token * shape.top_k + choice) * shape.q_heads + head; };
    // Each lane weighs one choice; all of them add up all.
    const bool is_choice = lane < shape.top_k && choices_of(shape, token, blockIdx.y)[lane] >= 0;
    const float2 totals = is_choice ? parts.totals[part(lane)] : make_float2(-INFINITY, 0);
    float largest = totals.x;
#pragma unroll
    for (int offset = kLanesPerRow / 2; offset > 0; offset /= 2)
      largest = fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, offset));
    const float my_weight = is_choice ? power_of_two(totals.x - largest) : 0;
    uint4 raw[kLanesPerRow];
#pragma unroll
    for (int choice = 0; choice < kLanesPerRow; ++choice) {
      raw[choice] = {};
      if (__shfl_sync(kAllLanes, is_choice, choice, kLanesPerRow))
        raw[choice] = __ldcs(reinterpret_cast<const uint4*>(parts.values + std::int64_t{part(choice)} * kDim) + lane);
    }
    float total = my_weight * totals.y, sums[8] = {};
#pragma unroll
    for (int offset = kLanesPerRow / 2; offset > 0; offset /= 2) total += __shfl_xor_sync(kAllLanes, total, offset);
#pragma unroll
    for (int choice = 0; choice < kLanesPerRow; ++choice) {
      const float weight = __shfl_sync(kAllLanes, my_weight, choice, kLanesPerRow);
      const auto* values = reinterpret_cast<const bf16*>(&raw[choice]);
#pragma unroll
      for (int e = 0; e < 8; ++e) sums[e] += weight * to_float(values[e]);
    }
    // Piece 4 i + t of a row holds the columns that lane t of a product's four has of the i-th 32.
    bf16* to = out + (static_cast<std::int64_t>(token) * shape.q_heads + head) * kDim + lane / 4 * 32 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 4; ++j)
      *reinterpret_cast<std::uint32_t*>(to + j * 8) = pack(sums[2 * j] / total, sums[2 * j + 1] / total);
  }
}

// What lies where in the memory of a call; every piece starts at a multiple of 256 bytes.
struct Memory {
  Memory(const AttentionCall& call, const AttentionShape& shape, void* memory) : start(memory) {
    const std::int64_t n_choices = call.n_tokens * call.top_k;
    const std::int64_t item_tokens = kItemRows / shape.group_size, step_tokens = kRows / shape.group_size;
    const std::int64_t n_blocks = (call.n_keys - 1) / kBlock + 1, n_lists = n_blocks * call.heads.kv_heads;
    lists.counts = take<std::int32_t>(n_lists + 2);  // all of them zeros at first
    if (start != nullptr) {
      lists.n_items = lists.counts + n_lists;
      lists.next_item = lists.n_items + 1;
    }
    lists.cursors = take<std::int32_t>(n_lists);
    lists.handles = take<std::int32_t>(n_choices * call.heads.kv_heads);
    lists.items = take<Item>(n_choices * call.heads.kv_heads / item_tokens + n_lists);
    lists.n_lists = static_cast<int>(n_lists);
    lists.n_blocks = static_cast<int>(n_blocks);
    lists.head_handles = static_cast<int>(n_choices);
    lists.item_tokens = static_cast<int>(item_tokens);
    lists.step_tokens = static_cast<int>(step_tokens);
    lists.token_bits = std::countr_zero(static_cast<unsigned>(shape.group_size));
    by_block = take<std::uint8_t>(std::int64_t{shape.tiles_per_unit} * call.heads.kv_heads);
    parts.totals = take<float2>(n_choices * call.heads.q_heads);
    parts.values = take<bf16>(n_choices * call.heads.q_heads * kDim);
  }

  template <typename T>
  T* take(std::int64_t n) {
    T* piece = start != nullptr ? reinterpret_cast<T*>(static_cast<std::byte*>(start) + n_bytes) : nullptr;
    n_bytes += (static_cast<std::size_t>(n) * sizeof(T) + 255) / 256 * 256;
    return piece;
  }

  void* start;  // null: only to learn n_bytes
  std::size_t n_bytes = 0;
  Lists lists = {};
  Parts parts = {};
  std::uint8_t* by_block = nullptr;
};

}  // namespace

bool attends_by_block(const AttentionCall& call) {
  return attends_on_hopper(call) && call.block_ids != nullptr && call.n_tokens >= kFewestTokens &&
         call.top_k <= kMostChoices && begins_a_map_row(call.q) && (call.n_keys - 1) / kBlock + 1 > kMostUnited;
}

std::size_t by_block_bytes(const AttentionCall& call) {
  return Memory(call, hopper_shape_of(call), nullptr).n_bytes;
}

void attend_by_block(cudaStream_t stream, const AttentionCall& call, void* memory, int n_multiprocessors) {
  INFERENCE_CHECK(attends_by_block(call), "no kernel visits these blocks");
  const AttentionShape shape = hopper_shape_of(call);
  const Memory m(call, shape, memory);
  const dim3 n_tiles(static_cast<unsigned>(shape.tiles_per_unit), static_cast<unsigned>(shape.kv_heads));
  const dim3 n_groups(ceil_div(shape.tiles_per_unit, kTilesPerCta), n_tiles.y);
  const std::size_t n_count_bytes = static_cast<std::size_t>(m.lists.n_blocks) * sizeof(int);
  check_cuda(cudaMemsetAsync(m.lists.counts, 0, (static_cast<std::size_t>(m.lists.n_lists) + 2) * sizeof(std::int32_t),
                             stream),
             "clearing");
  launch("count choices", count_kernel, n_groups, kCountThreads, n_count_bytes, stream, m.lists, m.by_block, shape);
  launch_early("list choices", list_kernel, n_tiles.y, kListThreads, 0, stream, 1, m.lists);
  launch_early("turn choices round", fill_kernel, n_groups, kCountThreads, n_count_bytes, stream, 1, m.lists,
               m.by_block, shape);
  attend_on_hopper(stream, call, m.by_block);
  const auto kernel = shape.group_size < kWarpRows ? attend_kernel<true> : attend_kernel<false>;
  launch_early("attend by block", kernel, static_cast<unsigned>(n_multiprocessors), kThreads,
               kStages * 2 * kBlockBytes + kGroups * kQueryBytes + 1024, stream, 1, m.parts,
               static_cast<const bf16*>(call.q), call.source.pages, m.lists, shape, address_space(),
               address_space(box_rows_of(shape.group_size)));
  launch("merge blocks", merge_kernel, n_tiles, kMergeThreads, 0, stream, static_cast<bf16*>(call.out), m.parts,
         m.by_block, shape);
}

}  // namespace inference::ops::cuda
