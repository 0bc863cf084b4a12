#pragma once
// What both attention kernels share: which rows and keys a CTA works on, and where results go.

#include "inference/ops/cuda/attention.h"
#include "inference/ops/cuda/common.cuh"

namespace inference::ops::cuda {

// Rows of a tile on the tensor cores: of one token, of many, and twice as many where heads are small enough.
constexpr int kSplitTensorRows = 16, kTensorRows = 64, kMostDoubledDim = 80;

// An AttentionCall as a kernel reads it. blockIdx: x tile, y kv head, z split.
struct AttentionShape {
  int n_tokens, n_keys, rows_per_unit, tiles_per_unit, split_keys;
  int q_heads, kv_heads, group_size, head_dim, page_size, top_k, n_splits, tile_rows;
  bool is_causal;
  float scale_log2;  // head_dim^-1/2 · log2(e): softmax in powers of two
  const std::int32_t* block_ids;
  const int* shift;  // of a replay, see recording.h

  __device__ int unit() const { return blockIdx.x / tiles_per_unit; }
  __device__ int first_row() const { return blockIdx.x % tiles_per_unit * tile_rows; }  // within the unit
  __device__ bool has_row(int row) const { return first_row() + row < rows_per_unit; }
  // Rows past the end repeat the last one; they are not stored.
  __device__ int flat_row(int row) const { return unit() * rows_per_unit + min(first_row() + row, rows_per_unit - 1); }
  __device__ int token(int row) const { return flat_row(row) / group_size; }
  // Index of the query head's row of q and out, in heads.
  __device__ std::int64_t head_row(int row) const {
    return static_cast<std::int64_t>(token(row)) * q_heads + blockIdx.y * group_size + flat_row(row) % group_size;
  }
  // Keys visible to a row: positions 0 … visible - 1.
  __device__ int visible(int row) const { return is_causal ? n_keys - n_tokens + token(row) + 1 : n_keys; }
  // Partial results of a split: [q row, split] of head_dim + 2 floats: unnormalised sum, largest score, total weight.
  __device__ float* partial(float* partials, int row) const {
    return partials + (head_row(row) * n_splits + blockIdx.z) * (head_dim + 2);
  }
};

constexpr int kMaxChosen = 64;  // blocks per query

// The keys that a tile attends to, in the order in which it meets them: those of its token's chosen blocks, or all.
struct KeyList {
  const std::int32_t* ids;  // [n_ids] in shared memory; null: all keys
  int n_keys;
  int page_size;

  struct Place {
    int page, slot, position;
  };
  __device__ Place at(int listed) const {
    if (page_size == 0) return {0, 0, listed};
    const int index = static_cast<int>(static_cast<unsigned>(listed) / static_cast<unsigned>(page_size));
    const int slot = listed - index * page_size, page = ids != nullptr ? ids[index] : index;
    return {page, slot, page * page_size + slot};
  }
};

// By all threads of the CTA; `ids` [kMaxChosen + 1] lies in shared memory.
__device__ inline KeyList list_keys(const AttentionShape& shape, std::int32_t* ids) {
  if (shape.block_ids == nullptr) return {nullptr, shape.visible(shape.tile_rows - 1), shape.page_size};
  const std::int64_t row = static_cast<std::int64_t>(shape.token(0)) * shape.kv_heads + blockIdx.y;
  if (threadIdx.x < kWarp) {
    int n_chosen = 0;
    for (int first = 0; first < shape.top_k; first += kWarp) {
      const int i = first + static_cast<int>(threadIdx.x);
      const int id = i < shape.top_k ? shape.block_ids[row * shape.top_k + i] : -1;
      if (id >= 0) ids[i] = id;
      n_chosen += __popc(__ballot_sync(kAllLanes, id >= 0));
    }
    if (threadIdx.x == 0) ids[kMaxChosen] = n_chosen;
  }
  __syncthreads();
  return {ids, ids[kMaxChosen] * shape.page_size, shape.page_size};
}

// Addresses of keys and values of one kv head.
template <typename T>
struct KeyRows {
  void* const* pages;
  const T* keys;
  const T* values;
  int page_size, kv_heads, head_dim;

  struct Pair {
    const T *key, *value;
  };
  __device__ Pair at(const KeyList::Place& place) const {
    if (pages == nullptr) {
      const std::int64_t row = (static_cast<std::int64_t>(place.position) * kv_heads + blockIdx.y) * head_dim;
      return {keys + row, values + row};
    }
    const T* key = static_cast<const T*>(pages[place.page]) + (blockIdx.y * page_size + place.slot) * head_dim;
    return {key, key + static_cast<std::int64_t>(kv_heads) * page_size * head_dim};
  }
};

inline AttentionShape shape_of(const AttentionCall& call, const AttentionPlan& plan) {
  return {.n_tokens = static_cast<int>(call.n_tokens),
          .n_keys = static_cast<int>(call.n_keys),
          .rows_per_unit = static_cast<int>(plan.rows_per_unit),
          .tiles_per_unit = static_cast<int>(plan.tiles_per_unit()),
          .split_keys = static_cast<int>(plan.split_keys),
          .q_heads = call.heads.q_heads,
          .kv_heads = call.heads.kv_heads,
          .group_size = call.heads.q_heads / call.heads.kv_heads,
          .head_dim = call.heads.head_dim,
          .page_size = call.source.page_size,
          .top_k = call.top_k,
          .n_splits = plan.n_splits,
          .tile_rows = plan.tile_rows,
          .is_causal = call.is_causal,
          .scale_log2 = 1.4426950408889634F / sqrtf(static_cast<float>(call.heads.head_dim)),
          .block_ids = call.block_ids,
          .shift = call.replay.shift};
}

template <typename T>
KeyRows<T> rows_of(const AttentionCall& call) {
  return {call.source.pages,
          static_cast<const T*>(call.source.keys),
          static_cast<const T*>(call.source.values),
          call.source.page_size,
          call.heads.kv_heads,
          call.heads.head_dim};
}

// A call as Hopper's kernels for many tokens cut it: tiles of 128 rows of one kv head.
AttentionShape hopper_shape_of(const AttentionCall& call);

// Merges the splits of every query head's row.
void merge_splits(cudaStream_t stream, const AttentionCall& call, const AttentionPlan& plan, const float* partials);

}  // namespace inference::ops::cuda
