#pragma once
// Choices of blocks turned round: which tokens chose a block, for attend_by_block.cu. One kernel counts; while it ends
// the next starts, in which a CTA per kv head gives lists their places and cuts them into items; the third fills them.

#include "inference/ops/cuda/attention_rows.cuh"
#include "inference/ops/cuda/hopper.cuh"

namespace inference::ops::cuda {
namespace {

using namespace hopper;

constexpr int kMostUnited = 32;   // tiles of more blocks than this are taken block by block
constexpr int kMostChoices = 16;  // of a token and kv head
constexpr int kTilesPerCta = 8;   // of the kernels that count and fill, a warp each
constexpr int kCountThreads = kTilesPerCta * kWarp, kListThreads = 1024;

// Entries first … end - 1 of the handles, all of one list.
struct Item {
  std::int32_t list, first, end;
};

// List kv_head * n_blocks + block holds the choices of that block by tokens of tiles that are taken block by block.
struct Lists {
  std::int32_t* counts;     // [n_lists]
  std::int32_t* n_items;    // [1]
  std::int32_t* next_item;  // [1] that no CTA has taken yet
  std::int32_t* cursors;    // [n_lists] where the list's next handle goes
  std::int32_t* handles;    // [kv_heads, head_handles] token * kMostChoices + place among the token's choices
  Item* items;              // [max_items]
  int n_lists, n_blocks, head_handles, item_tokens, step_tokens;
  int token_bits;  // a token has 1 << token_bits query heads per kv head
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
  allow_next();
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

// A CTA per kv head: places of its lists, and the items that they are cut into, in the lists' order.
__global__ __launch_bounds__(kListThreads) void list_kernel(Lists lists) {
  __shared__ int warp_handles[kWarp], warp_items[kWarp], first_item;
  wait_for_previous();
  allow_next();
  const int per_thread = (lists.n_blocks + kListThreads - 1) / kListThreads, lane = threadIdx.x % kWarp;
  const int head = static_cast<int>(blockIdx.x), head_end = (head + 1) * lists.n_blocks;
  const int first = min(head * lists.n_blocks + static_cast<int>(threadIdx.x) * per_thread, head_end);
  const int end = min(first + per_thread, head_end);
  const auto divide = [](int a, int b) { return (a + b - 1) / b; };
  // A list is cut into items of the same length, in whole steps.
  const auto tokens_of_items = [&](int count) {
    const int n = max(divide(count, lists.item_tokens), 1);
    return max(divide(divide(count, n), lists.step_tokens), 1) * lists.step_tokens;
  };
  int n_handles = 0, n_items = 0;
  for (int i = first; i < end; ++i) {
    n_handles += lists.counts[i];
    n_items += divide(lists.counts[i], tokens_of_items(lists.counts[i]));
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
  if (threadIdx.x == kListThreads - 1) first_item = atomicAdd(lists.n_items, item);
  __syncthreads();
  handle += head * lists.head_handles - n_handles;
  item += first_item - n_items;
  for (int i = first; i < end; ++i) {
    const int count = lists.counts[i], end_handle = handle + count, n_tokens = tokens_of_items(count);
    lists.cursors[i] = handle;
    for (; handle < end_handle; handle += n_tokens)
      lists.items[item++] = {i, handle, min(handle + n_tokens, end_handle)};
    handle = end_handle;
  }
}

// The order within a list changes from run to run, and no result with it.
__global__ __launch_bounds__(kCountThreads) void fill_kernel(Lists lists, const std::uint8_t* by_block,
                                                             AttentionShape shape) {
  extern __shared__ int places[];  // [n_blocks] how many handles the CTA has for the block, then where the next goes
  __shared__ bool is_by_block[kTilesPerCta];
  const TileGroup group(shape);
  wait_for_previous();
  allow_next();
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
    if (is_by_block[tile])
      lists.handles[atomicAdd(&places[block], 1)] =
          (group.first_token + i / shape.top_k) * kMostChoices + i % shape.top_k;
  });
}

}  // namespace
}  // namespace inference::ops::cuda
