// Attention of many tokens to chosen blocks on Hopper, block by block: for tiles of neighbouring tokens whose choices
// have little in common. Choices are turned round into a list of tokens per (kv head, block); a CTA holds the keys and
// values of one block and takes the list's tokens by 64 rows, a row being one query head of one token. Each choice of
// each token leaves a result of its own, normalised, with the logarithm of its total weight; the last kernel adds them.

#include "inference/ops/cuda/attention_rows.cuh"
#include "inference/ops/cuda/hopper.cuh"

namespace inference::ops::cuda {
namespace {

using namespace hopper;

[[maybe_unused]] constexpr int kRows = 64;  // of a warpgroup's product
constexpr int kItemRows = 1024;             // rows that a CTA takes with one copy of a block
constexpr int kCtasPerSm = 3;               // of kGroup threads; while one waits for memory, others compute
constexpr int kMostUnited = 32;             // tiles of more blocks than this are taken block by block
constexpr int kMaxBlocks = 8192;
constexpr std::int64_t kFewestTokens = 256;
constexpr int kTilesPerCta = 8;  // of the kernels that count and list choices, a warp each
constexpr int kCountThreads = kTilesPerCta * kWarp, kListThreads = 1024, kMergeThreads = 256;
constexpr int kLanesPerRow = 16;  // of the merge: 16 bytes each, and a choice each

// Entries first … end - 1 of the handles, all of one list.
struct Item {
  std::int32_t list, first, end;
};

// List kv_head * n_blocks + block holds the choices of that block by tokens of tiles that are taken block by block.
struct Lists {
  std::int32_t* counts;   // [n_lists]
  std::int32_t* n_items;  // [1]
  std::int32_t* cursors;  // [n_lists] where the list's next handle goes
  std::int32_t* handles;  // [n_tokens * kv_heads * top_k] token * top_k + place among the token's choices
  Item* items;            // [max_items]
  int n_lists, n_blocks, item_tokens;
};

// Results of single choices: [token, choice, query head].
struct Parts {
  bf16* values;       // of kDim, in the order in which lanes hold them
  float* log_totals;  // to base 2
};

__device__ const std::int32_t* choices_of(const AttentionShape& shape, int token, int kv_head) {
  return shape.block_ids + (static_cast<std::int64_t>(token) * shape.kv_heads + kv_head) * shape.top_k;
}

// Neighbouring tiles of one kv head, a warp's tile each: blockIdx.x-th group of kTilesPerCta.
struct TileGroup {
  int first_token, n_choices, tile_choices;

  __device__ explicit TileGroup(const AttentionShape& shape) {
    const int tile_tokens = shape.tile_rows / shape.group_size, n_tokens = kTilesPerCta * tile_tokens;
    first_token = static_cast<int>(blockIdx.x) * n_tokens;
    n_choices = min(n_tokens, shape.n_tokens - first_token) * shape.top_k;
    tile_choices = tile_tokens * shape.top_k;
  }
  // Calls f(choice of the group, its tile, its block) for the thread's share of the choices.
  template <typename F>
  __device__ void for_each_choice(const AttentionShape& shape, const F& f) const {
    for (int i = threadIdx.x; i < n_choices; i += kCountThreads) {
      const int block = choices_of(shape, first_token + i / shape.top_k, blockIdx.y)[i % shape.top_k];
      if (block >= 0) f(i, i / tile_choices, block);
    }
  }
};

// Decides which kernel takes each tile, and counts the choices of those taken block by block. Many tokens choose the
// same block, so a CTA counts for itself first.
__global__ __launch_bounds__(kCountThreads) void count_kernel(Lists lists, std::uint8_t* by_block,
                                                              AttentionShape shape) {
  extern __shared__ int counts[];  // [n_blocks]
  __shared__ std::uint32_t chosen[kTilesPerCta][kMaxBlocks / 32];
  __shared__ bool is_by_block[kTilesPerCta];
  const TileGroup group(shape);
  const int n_words = (lists.n_blocks + 31) / 32, warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  for (int i = lane; i < n_words; i += kWarp) chosen[warp][i] = 0;
  for (int i = threadIdx.x; i < lists.n_blocks; i += kCountThreads) counts[i] = 0;
  __syncthreads();
  group.for_each_choice(shape,
                        [&](int /*i*/, int tile, int block) { atomicOr(&chosen[tile][block / 32], 1U << block % 32); });
  __syncthreads();
  int n_united = 0;
  for (int i = lane; i < n_words; i += kWarp) n_united += __popc(chosen[warp][i]);
  n_united = __reduce_add_sync(kAllLanes, n_united);
  if (lane == 0) {
    const int tile = static_cast<int>(blockIdx.x) * kTilesPerCta + warp;
    is_by_block[warp] = n_united > kMostUnited;
    if (tile < shape.tiles_per_unit) by_block[blockIdx.y * shape.tiles_per_unit + tile] = is_by_block[warp];
  }
  __syncthreads();
  group.for_each_choice(shape, [&](int /*i*/, int tile, int block) {
    if (is_by_block[tile]) atomicAdd(&counts[block], 1);
  });
  __syncthreads();
  for (int i = threadIdx.x; i < lists.n_blocks; i += kCountThreads)
    if (counts[i] > 0) atomicAdd(&lists.counts[blockIdx.y * lists.n_blocks + i], counts[i]);
}

// One CTA: places of the lists, and the items that they are cut into.
__global__ __launch_bounds__(kListThreads) void list_kernel(Lists lists) {
  __shared__ int warp_handles[kWarp], warp_items[kWarp];
  const int per_thread = (lists.n_lists + kListThreads - 1) / kListThreads, lane = threadIdx.x % kWarp;
  const int first = threadIdx.x * per_thread, end = min(first + per_thread, lists.n_lists);
  const auto items_of = [&](int count) { return (count + lists.item_tokens - 1) / lists.item_tokens; };
  int n_handles = 0, n_items = 0;
  for (int i = first; i < end; ++i) {
    n_handles += lists.counts[i];
    n_items += items_of(lists.counts[i]);
  }
  int handle = n_handles, item = n_items;  // become the sums over this and all lower threads
  const auto add_lower_lanes = [&](int& handles, int& items) {
    for (int offset = 1; offset < kWarp; offset *= 2) {
      const int other_handles = __shfl_up_sync(kAllLanes, handles, offset);
      const int other_items = __shfl_up_sync(kAllLanes, items, offset);
      if (lane < offset) continue;
      handles += other_handles;
      items += other_items;
    }
  };
  add_lower_lanes(handle, item);
  if (lane == kWarp - 1) {
    warp_handles[threadIdx.x / kWarp] = handle;
    warp_items[threadIdx.x / kWarp] = item;
  }
  __syncthreads();
  int lower_handles = warp_handles[lane], lower_items = warp_items[lane];
  add_lower_lanes(lower_handles, lower_items);
  const int warp = threadIdx.x / kWarp, from = max(warp - 1, 0);
  lower_handles = __shfl_sync(kAllLanes, lower_handles, from);
  lower_items = __shfl_sync(kAllLanes, lower_items, from);
  if (warp > 0) {
    handle += lower_handles;
    item += lower_items;
  }
  if (threadIdx.x == kListThreads - 1) *lists.n_items = item;
  handle -= n_handles;
  item -= n_items;
  for (int i = first; i < end; ++i) {
    const int end_handle = handle + lists.counts[i];
    lists.cursors[i] = handle;
    for (; handle < end_handle; handle += lists.item_tokens)
      lists.items[item++] = {i, handle, min(handle + lists.item_tokens, end_handle)};
    handle = end_handle;
  }
}

// The order within a list changes from run to run, and no result with it.
__global__ __launch_bounds__(kCountThreads) void fill_kernel(Lists lists, const std::uint8_t* by_block,
                                                             AttentionShape shape) {
  extern __shared__ int places[];  // [n_blocks] how many handles the CTA has for the block, then where the next goes
  __shared__ bool is_by_block[kTilesPerCta];
  const TileGroup group(shape);
  if (threadIdx.x < kTilesPerCta) {
    const int tile = static_cast<int>(blockIdx.x) * kTilesPerCta + threadIdx.x;
    is_by_block[threadIdx.x] = tile < shape.tiles_per_unit && by_block[blockIdx.y * shape.tiles_per_unit + tile] != 0;
  }
  for (int i = threadIdx.x; i < lists.n_blocks; i += kCountThreads) places[i] = 0;
  __syncthreads();
  group.for_each_choice(shape, [&](int /*i*/, int tile, int block) {
    if (is_by_block[tile]) atomicAdd(&places[block], 1);
  });
  __syncthreads();
  for (int i = threadIdx.x; i < lists.n_blocks; i += kCountThreads)
    if (places[i] > 0) places[i] = atomicAdd(&lists.cursors[blockIdx.y * lists.n_blocks + i], places[i]);
  __syncthreads();
  group.for_each_choice(shape, [&](int i, int tile, int block) {
    if (is_by_block[tile]) lists.handles[atomicAdd(&places[block], 1)] = group.first_token * shape.top_k + i;
  });
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// The two rows of a 64-row step that this lane shares in.
struct TwoRows {
  std::int32_t handles[2];
  bool is_there[2];
};

__device__ int row_of_step(int r) {
  return threadIdx.x / kWarp * 16 + threadIdx.x % kWarp / 4 + 8 * r;
}

// Rows behind the item's end repeat its last token; they are not stored.
__device__ TwoRows rows_at(const Lists& lists, const AttentionShape& shape, const Item& item, int first) {
  TwoRows rows;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int place = first + row_of_step(r) / shape.group_size;
    rows.is_there[r] = place < item.end;
    rows.handles[r] = lists.handles[min(place, item.end - 1)];
  }
  return rows;
}

// Scores become weights, relative to the best; returns the logarithm of their total and its inverse.
__device__ float soften(float (&scores)[64], int r, float scale_log2, float& log_total) {
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
  log_total = zero + log2f(total);
  return total == 0 ? 0 : 1 / total;
}

struct Step {
  std::uint32_t q[kDim / 16][4];
  float log_totals[2], inverses[2];
};

__device__ void store_parts(const Parts& parts, const float (&sums)[64], const Step& step, const TwoRows& rows,
                            const AttentionShape& shape, int kv_head) {
  const int lane = threadIdx.x % 4;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    if (!rows.is_there[r]) continue;
    const std::int64_t row = static_cast<std::int64_t>(rows.handles[r]) * shape.q_heads + kv_head * shape.group_size +
                             row_of_step(r) % shape.group_size;
    auto* to = reinterpret_cast<uint4*>(parts.values + row * kDim) + lane;
    const float inverse = step.inverses[r];
#pragma unroll
    for (int i = 0; i < kDim / 32; ++i) {
      const auto two = [&](int j) {
        return pack(sums[4 * (4 * i + j) + 2 * r] * inverse, sums[4 * (4 * i + j) + 2 * r + 1] * inverse);
      };
      __stcs(to + 4 * i, make_uint4(two(0), two(1), two(2), two(3)));
    }
    if (lane == 0) parts.log_totals[row] = step.log_totals[r];
  }
}

__device__ void run_item(const Parts& parts, const bf16* q, const std::uint8_t* keys, const std::uint8_t* values,
                         const Lists& lists, const AttentionShape& shape, const Item& item) {
  const int kv_head = item.list / lists.n_blocks, first_key = item.list % lists.n_blocks * kBlock;
  const int step_tokens = kRows / shape.group_size;
  const auto load = [&](Step& step, const TwoRows& rows) {
    const auto query = [&](int r) {
      const std::int64_t token = rows.handles[r] / shape.top_k;
      return q + (token * shape.q_heads + kv_head * shape.group_size + row_of_step(r) % shape.group_size) * kDim;
    };
    load_queries(step.q, query(0), query(1));
  };
  Step step;
  TwoRows rows = rows_at(lists, shape, item, item.first);
  load(step, rows);
  for (int first = item.first; first < item.end; first += step_tokens) {
    // The next step's queries are on their way while this one's scores are weighed.
    const TwoRows next = rows_at(lists, shape, item, first + step_tokens);
    float scores[64], sums[64];
    score_block(scores, step.q, keys);
    load(step, next);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int n_visible = shape.n_keys - shape.n_tokens + rows.handles[r] / shape.top_k + 1 - first_key;
      if (n_visible < kBlock) hide_keys(scores, r, n_visible);
      step.inverses[r] = soften(scores, r, shape.scale_log2, step.log_totals[r]);
    }
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
      multiply_group<1>(sums, weights[i], descriptor(values, kHalfBytes) + i * kStep, i > 0);
    }
    finish_products(sums);
    store_parts(parts, sums, step, rows, shape, kv_head);
    rows = next;
  }
}

#endif  // __CUDA_ARCH_FEAT_SM90_ALL

__global__ __launch_bounds__(kGroup, kCtasPerSm) void attend_kernel(Parts parts, const bf16* q, void* const* pages,
                                                                    Lists lists, AttentionShape shape) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL  // never launched on other GPUs, for which wgmma does not compile
  extern __shared__ std::uint8_t dynamic[];
  auto* keys = reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(dynamic) + 1023) / 1024 * 1024);
  std::uint8_t* values = keys + kBlockBytes;
  const int n_items = *lists.n_items;
  for (int i = static_cast<int>(blockIdx.x); i < n_items; i += static_cast<int>(gridDim.x)) {
    const Item item = lists.items[i];
    const int kv_head = item.list / lists.n_blocks, block = item.list % lists.n_blocks;
    const auto* page = static_cast<const std::uint8_t*>(pages[block]) + std::int64_t{kv_head} * kBlockBytes;
    __syncthreads();  // all are past the last item's products
    // Slots behind the last position hold anything, NaN too, which no weight of zero hides: zeros instead.
    copy_block(keys, page, shape.n_keys - block * kBlock);
    copy_block(values, page + std::int64_t{shape.kv_heads} * kBlockBytes, shape.n_keys - block * kBlock);
    commit_copies();
    wait_copies<0>();
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // wgmma reads what ordinary copies wrote
    __syncthreads();
    run_item(parts, q, keys, values, lists, shape, item);
  }
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
    const auto part = [&](int choice) {
      return (static_cast<std::int64_t>(token) * shape.top_k + choice) * shape.q_heads + head;
    };
    // Each lane weighs one choice; all of them add up all.
    const bool is_choice = lane < shape.top_k && choices_of(shape, token, blockIdx.y)[lane] >= 0;
    const float log_total = is_choice ? parts.log_totals[part(lane)] : -INFINITY;
    float largest = log_total;
#pragma unroll
    for (int offset = kLanesPerRow / 2; offset > 0; offset /= 2)
      largest = fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, offset));
    const float my_weight = is_choice ? power_of_two(log_total - largest) : 0;
    uint4 raw[kLanesPerRow];
#pragma unroll
    for (int choice = 0; choice < kLanesPerRow; ++choice) {
      raw[choice] = {};
      if (__shfl_sync(kAllLanes, is_choice, choice, kLanesPerRow))
        raw[choice] = __ldcs(reinterpret_cast<const uint4*>(parts.values + part(choice) * kDim) + lane);
    }
    float total = 0, sums[8] = {};
#pragma unroll
    for (int choice = 0; choice < kLanesPerRow; ++choice) {
      const float weight = __shfl_sync(kAllLanes, my_weight, choice, kLanesPerRow);
      const auto* values = reinterpret_cast<const bf16*>(&raw[choice]);
#pragma unroll
      for (int e = 0; e < 8; ++e) sums[e] += weight * to_float(values[e]);
      total += weight;
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
    const std::int64_t n_choices = call.n_tokens * call.top_k, item_tokens = kItemRows / shape.group_size;
    const std::int64_t n_blocks = (call.n_keys - 1) / kBlock + 1, n_lists = n_blocks * call.heads.kv_heads;
    lists.counts = take<std::int32_t>(n_lists);
    lists.n_items = take<std::int32_t>(1);
    lists.cursors = take<std::int32_t>(n_lists);
    lists.handles = take<std::int32_t>(n_choices * call.heads.kv_heads);
    lists.items = take<Item>(n_choices * call.heads.kv_heads / item_tokens + n_lists);
    lists.n_lists = static_cast<int>(n_lists);
    lists.n_blocks = static_cast<int>(n_blocks);
    lists.item_tokens = static_cast<int>(item_tokens);
    by_block = take<std::uint8_t>(std::int64_t{shape.tiles_per_unit} * call.heads.kv_heads);
    parts.log_totals = take<float>(n_choices * call.heads.q_heads);
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
         call.top_k <= kLanesPerRow && (call.n_keys - 1) / kBlock + 1 > kMostUnited;
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
  check_cuda(
      cudaMemsetAsync(m.lists.counts, 0, static_cast<std::size_t>(m.lists.n_lists) * sizeof(std::int32_t), stream),
      "clearing");
  launch("count choices", count_kernel, n_groups, kCountThreads, n_count_bytes, stream, m.lists, m.by_block, shape);
  launch("list choices", list_kernel, 1, kListThreads, 0, stream, m.lists);
  launch("turn choices round", fill_kernel, n_groups, kCountThreads, n_count_bytes, stream, m.lists, m.by_block, shape);
  attend_on_hopper(stream, call, m.by_block);
  launch("attend by block", attend_kernel, static_cast<unsigned>(n_multiprocessors * kCtasPerSm), kGroup,
         2 * kBlockBytes + 1024, stream, m.parts, static_cast<const bf16*>(call.q), call.source.pages, m.lists, shape);
  launch("merge blocks", merge_kernel, n_tiles, kMergeThreads, 0, stream, static_cast<bf16*>(call.out), m.parts,
         m.by_block, shape);
}

}  // namespace inference::ops::cuda
