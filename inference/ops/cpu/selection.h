#pragma once
// MSA's choice of blocks: scores of all visible index keys, the best of each block, the best blocks.

#include <cstdint>

#include "inference/ops/cpu/thread_pool.h"
#include "inference/ops/ops.h"

namespace inference::ops {

// block_ids: [n_tokens, kv_heads, top_k_blocks]; index_q: fp32 [n_tokens, kv_heads, index_dim].
void choose_blocks(ThreadPool& pool, std::int32_t* block_ids, const float* index_q, std::int64_t n_tokens,
                   std::int64_t kv_heads, const KvLayer& cache, const Selection& selection,
                   std::int64_t first_position);

}  // namespace inference::ops
