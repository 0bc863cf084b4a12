#pragma once
// Softmax attention of tiles of queries over lists of key blocks that are read where they lie. A tile holds the queries
// of one kv head, n tokens × group_size query heads, so that each key and value is read once for all of them. Blocks
// are visited in ascending order, and each query takes part where it should: dense attention, MSA, decode and the
// segments of vision differ in that list alone. The softmax is online, one rescaling per block; no matrix of all scores
// exists. A query's result depends on its own blocks alone, so it is the same bits however tokens are divided.

#include <cstdint>

#include "inference/ops/cpu/thread_pool.h"
#include "inference/ops/ops.h"

namespace inference::ops {

// Keys and values in blocks of block_size: pages of a cache, or fp32 activations [n_keys, heads, head_dim].
struct KeyStore {
  const KvLayer* cache = nullptr;
  const float* keys = nullptr;
  const float* values = nullptr;
  DType dtype = DType::F32;
  int block_size = 0;
  std::int64_t n_keys = 0;
};

// Whom a query sees.
struct Visibility {
  bool causal = false;              // keys up to its own position, else all
  std::int64_t first_position = 0;  // of the first query
  // [n_tokens, kv_heads, top_k] ascending block ids, then -1; without them every block.
  const std::int32_t* block_ids = nullptr;
  std::int64_t top_k = 0;
};

// out, q: fp32 [n_tokens, q_heads, head_dim].
void attend(ThreadPool& pool, float* out, const float* q, std::int64_t n_tokens, const Heads& heads,
            const KeyStore& store, const Visibility& visibility);

}  // namespace inference::ops
