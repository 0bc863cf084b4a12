#pragma once
// MSA's index branch: rates blocks of keys by their best score for each query, and keeps the best blocks.

#include <cuda_runtime.h>

#include <cstdint>

#include "inference/ops/cuda/recording.h"
#include "inference/ops/ops.h"

namespace inference::ops::cuda {

struct SelectionCall {
  Tensor block_ids;  // I32 [n_tokens, kv_heads, top_k_blocks]
  Tensor index_q;    // [n_tokens, kv_heads, index_dim]
  const KvLayer* cache = nullptr;
  Selection selection;
  std::int64_t first_position = 0;
  Replay replay = {};

  std::int64_t kv_heads() const { return index_q.cols / cache->index_dim; }
  std::int64_t n_rows() const { return index_q.rows * kv_heads(); }
  // Blocks that the last query sees a part of.
  std::int64_t n_blocks() const { return (first_position + index_q.rows - 1) / selection.block_size + 1; }
  // The same of the last replay.
  std::int64_t most_blocks() const {
    return (replay.end_of(first_position + index_q.rows) - 1) / selection.block_size + 1;
  }
};

// `scores`: memory of n_rows · n_blocks floats.
void select_blocks(cudaStream_t stream, const SelectionCall& call, float* scores);

// Whether Hopper's fused kernel takes the call: M3's index branch in bf16, and enough queries.
bool selects_on_hopper(const SelectionCall& call);
std::size_t hopper_selection_bytes(const SelectionCall& call, int n_multiprocessors);
// `memory`: of hopper_selection_bytes.
void select_blocks_on_hopper(cudaStream_t stream, const SelectionCall& call, void* memory, int n_multiprocessors);

// Whether Hopper's kernels for one token take the call: M3's index branch in bf16.
bool selects_for_decode(const SelectionCall& call, int n_multiprocessors);
struct BlockScores;
std::size_t block_scores_bytes();
// `scores`: memory of block_scores_bytes, zeros before the first call.
void select_blocks_for_decode(cudaStream_t stream, const SelectionCall& call, BlockScores* scores,
                              int n_multiprocessors);
// The first half of it: what choose_and_attend, which must be the next call, chooses by and makes ready for the next.
void rate_blocks_for_decode(cudaStream_t stream, const SelectionCall& call, BlockScores* scores, int n_multiprocessors);

}  // namespace inference::ops::cuda
