#pragma once
// Softmax attention over a cache's positions, chosen blocks of them, or the patches of a picture.

#include <cuda_runtime.h>

#include <cstdint>

#include "inference/ops/cuda/recording.h"
#include "inference/ops/ops.h"

namespace inference::ops::cuda {

// Where keys and values lie: in the pages of a cache, or in rows [n_keys, heads, head_dim].
struct KeySource {
  void* const* pages = nullptr;  // in the GPU's memory; null: rows
  int page_size = 0;
  bool fits_map = false;  // whether pages begin where address_space() finds them
  const void* keys = nullptr;
  const void* values = nullptr;
  DType dtype = DType::F32;
};

struct AttentionCall {
  void* out = nullptr;      // [n_tokens, q_heads, head_dim] of activation_type
  const void* q = nullptr;  // [n_tokens, q_heads, head_dim]
  DType activation_type = DType::F32;
  std::int64_t n_tokens = 0;
  Heads heads;
  KeySource source;
  std::int64_t n_keys = 0;                  // keys that the last token sees
  bool is_causal = true;                    // token i sees n_keys - n_tokens + i + 1 keys; else all see n_keys
  const std::int32_t* block_ids = nullptr;  // [n_tokens, kv_heads, top_k], ascending, then -1; null: all keys
  int top_k = 0;
  Replay replay = {};
};

// Causal attention of tokens first_position … to a cache, all keys so far.
AttentionCall paged_call(Tensor out, Tensor q, const KvLayer& cache, const Heads& heads, std::int64_t first_position);

// Attention of the rows of a segment to each other, [n, heads, head_dim].
AttentionCall segment_call(Tensor out, Tensor q, Tensor k, Tensor v, int heads);

// The call of its first or last n tokens alone.
AttentionCall first_tokens(AttentionCall call, std::int64_t n);
AttentionCall last_tokens(AttentionCall call, std::int64_t n);

// How a call is cut into CTAs. Rows are the queries of one kv head: (token, query head) pairs.
struct AttentionPlan {
  std::int64_t rows_per_unit = 0;  // a unit's rows see the same list of keys: a token, or (dense) all tokens
  std::int64_t n_units = 0;
  int tile_rows = 0;
  int n_splits = 1;                // a tile's keys are divided among so many CTAs, whose results are merged
  std::int64_t split_keys = 0;     // listed keys per split
  std::size_t partial_floats = 0;  // memory that the merge needs

  std::int64_t tiles_per_unit() const { return (rows_per_unit + tile_rows - 1) / tile_rows; }
};

// Whether the tensor cores' kernel takes the call: bf16 throughout, whole steps of keys in a page, and a head_dim that
// it was built for.
bool attends_on_tensor_cores(const AttentionCall& call);

AttentionPlan plan_attention(const AttentionCall& call, int n_multiprocessors);

// `partials`: memory of plan.partial_floats floats.
void attend_on_tensor_cores(cudaStream_t stream, const AttentionCall& call, const AttentionPlan& plan, float* partials);
void attend_plainly(cudaStream_t stream, const AttentionCall& call, const AttentionPlan& plan, float* partials);

// Whether Hopper's kernel takes the call: M3's heads and pages in bf16, and enough tokens.
bool attends_on_hopper(const AttentionCall& call);
// How many of the first tokens are better divided among all multiprocessors by their keys: those whose few tiles would
// be all that runs at the end, as long as a tile takes.
std::int64_t tokens_beside_waves(const AttentionCall& call, int n_multiprocessors);
// `left_out`: [kv_heads, tiles of 128 rows], 1 where another kernel takes the tile; null: none. With it
// the kernel starts early, waits for it, and lets the next one start.
void attend_on_hopper(cudaStream_t stream, const AttentionCall& call, const std::uint8_t* left_out = nullptr);

// Whether a call with chosen blocks is worth looking at tile by tile: those with little in common go by blocks, the
// others as in attend_on_hopper.
bool attends_by_block(const AttentionCall& call);
// `memory`: of by_block_bytes; for 8,192 tokens of M3 2 GiB.
std::size_t by_block_bytes(const AttentionCall& call);
void attend_by_block(cudaStream_t stream, const AttentionCall& call, void* memory, int n_multiprocessors);

// Whether Hopper's kernel for a few tokens and their chosen blocks takes the call.
bool attends_in_clusters(const AttentionCall& call);
void attend_in_clusters(cudaStream_t stream, const AttentionCall& call);

// The same of one token whose blocks are still to be chosen, by scores of rate_blocks_for_decode: writes the choice to
// call.block_ids, too.
struct BlockScores;
void choose_and_attend(cudaStream_t stream, const AttentionCall& call, BlockScores* scores);

}  // namespace inference::ops::cuda
