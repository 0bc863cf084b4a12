#include "inference/ops/cpu/selection.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "inference/ops/cpu/linear.h"
#include "inference/ops/cpu/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/ops/cpu/selection.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "inference/ops/cpu/dot-inl.h"

#ifndef INFERENCE_OPS_CPU_SELECTION_ONCE
#define INFERENCE_OPS_CPU_SELECTION_ONCE
namespace inference::ops {

inline constexpr std::int64_t kTokensPerTask = 16;
inline constexpr std::int64_t kKeysAhead = 16;            // that are fetched while a key is scored: 4 KiB of bf16
inline constexpr std::int64_t kBlocksPerTask = 16;        // 512 KiB of bf16 index keys: twenty tasks at 40K tokens
inline constexpr std::int64_t kMaxBlockScores = 1 << 22;  // of the tokens scored at a time (16 MiB)

// Rows are (token, kv head); scores[row][block] is written for blocks first_block … end_block - 1.
struct ScoreTask {
  float* scores;
  std::int64_t n_blocks;
  const float* q;  // [n_rows, padded index_dim], packed
  std::int64_t q_stride;
  std::int64_t n_rows, kv_heads;
  std::int64_t first_position;  // of row 0
  std::int64_t first_block, end_block;
  const KvLayer* cache;
};

}  // namespace inference::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace inference::ops::HWY_NAMESPACE {

// The best score of each row in one block, over the keys up to the row's own position. NaN never wins. Fetches keys
// ahead, the first ones of the next block at `next` too.
template <class Row>
HWY_INLINE void score_block(const ScoreTask& task, std::int64_t block_idx, const BlockRows<Row>& keys, std::size_t dim,
                            const typename Row::Element* next) {
  const hn::Full128<float> d4;
  const std::int64_t block_size = task.cache->page_size;
  // [n_rows, 4] running best of every fourth key; [n_rows] keys that a row sees
  static thread_local AlignedFloats best, visible;
  static thread_local std::vector<const float*> q;
  q.resize(static_cast<std::size_t>(task.n_rows));
  best.reserve(static_cast<std::size_t>(4 * task.n_rows));
  visible.reserve(static_cast<std::size_t>(task.n_rows));
  std::fill_n(best.data(), 4 * task.n_rows, -std::numeric_limits<float>::infinity());
  const std::int64_t first_visible = task.first_position - block_idx * block_size + 1;
  for (std::int64_t row = 0; row < task.n_rows; ++row) {
    q[static_cast<std::size_t>(row)] = task.q + row * task.q_stride;
    visible.data()[row] = static_cast<float>(std::min(block_size, first_visible + row / task.kv_heads));
  }
  const std::int64_t n_keys = std::min(block_size, first_visible + (task.n_rows - 1) / task.kv_heads);
  for (std::int64_t key = 0; key < n_keys; key += 4) {
    Row rows[4];
    for (std::int64_t c = 0; c < 4; ++c) rows[c] = keys[std::min(key + c, n_keys - 1)];
    const std::int64_t ahead = key + kKeysAhead;
    prefetch(ahead < n_keys ? keys[ahead].data : next + (ahead - n_keys) * keys.stride, 4 * dim * sizeof(*next));
    const Quad key_idx = hn::Iota(d4, static_cast<float>(key));
    dot_rows(q.data(), static_cast<int>(task.n_rows), rows, dim, [&](int row, Quad scores) HWY_ATTR {
      const Quad old = hn::Load(d4, best.data() + 4 * row);
      const auto better = hn::And(hn::Lt(key_idx, hn::Set(d4, visible.data()[row])), hn::Gt(scores, old));
      hn::Store(hn::IfThenElse(better, scores, old), d4, best.data() + 4 * row);
    });
  }
  for (std::int64_t row = 0; row < task.n_rows; ++row) {
    const Quad best_of_row = hn::Load(d4, best.data() + 4 * row);
    task.scores[row * task.n_blocks + block_idx] = hn::GetLane(hn::MaxOfLanes(d4, best_of_row));
  }
}

template <class Row>
HWY_INLINE void score_blocks_as(const ScoreTask& task) {
  using Element = typename Row::Element;
  const auto dim = static_cast<std::size_t>(task.cache->index_dim);
  const std::int64_t last_position = task.first_position + (task.n_rows - 1) / task.kv_heads;
  static thread_local AlignedFloats unpacked;  // a block's keys, for many rows or odd dimensions
  for (std::int64_t block_idx = task.first_block; block_idx < task.end_block; ++block_idx) {
    const auto page = [&](std::int64_t idx) HWY_ATTR {
      return static_cast<const Element*>(task.cache->index_pages[static_cast<std::size_t>(idx)]);
    };
    const BlockRows<Row> keys = {page(block_idx), task.cache->index_dim};
    if (dim % kChunk<Row> == 0 && task.n_rows <= kMaxDirectRows) {
      score_block(task, block_idx, keys, dim, page(std::min(block_idx + 1, task.end_block - 1)));
      continue;
    }
    const std::int64_t n_keys =
        std::min<std::int64_t>(task.cache->page_size, last_position + 1 - block_idx * task.cache->page_size);
    unpacked.reserve(static_cast<std::size_t>(task.cache->page_size) * padded(dim));
    for (std::int64_t key = 0; key < n_keys; ++key) {
      unpack_row(unpacked.data() + static_cast<std::size_t>(key) * padded(dim), keys[key], 0, dim);
    }
    const BlockRows<F32Row> unpacked_keys = {unpacked.data(), static_cast<std::int64_t>(padded(dim))};
    score_block(task, block_idx, unpacked_keys, padded(dim), unpacked.data());
  }
}

void score_blocks(const ScoreTask& task) {
  with_cache_type(task.cache->dtype, [&](auto row) HWY_ATTR { score_blocks_as<decltype(row)>(task); });
}

}  // namespace inference::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace inference::ops {

HWY_EXPORT(score_blocks);

namespace {

struct Rated {
  float score;
  std::int32_t block;
};

bool better(const Rated& a, const Rated& b) {
  return a.score > b.score || (a.score == b.score && a.block < b.block);
}

// to: [top_k_blocks]; scores: [own + 1].
void choose(std::int32_t* to, float* scores, std::int32_t own, const Selection& selection) {
  for (std::int32_t block = 0; block <= own; ++block) {
    if (block > own - selection.local_blocks || block < selection.init_blocks) {
      scores[block] = std::numeric_limits<float>::infinity();
    }
  }
  static thread_local std::vector<Rated> best;  // a heap with the worst of the best on top
  best.clear();
  for (std::int32_t block = 0; block <= own; ++block) {
    const Rated rated{scores[block], block};
    if (rated.score == -std::numeric_limits<float>::infinity()) continue;
    if (static_cast<int>(best.size()) == selection.top_k_blocks) {
      if (!better(rated, best.front())) continue;
      std::pop_heap(best.begin(), best.end(), better);
      best.pop_back();
    }
    best.push_back(rated);
    std::push_heap(best.begin(), best.end(), better);
  }
  std::sort(best.begin(), best.end(), [](const Rated& a, const Rated& b) { return a.block < b.block; });
  std::fill(to, to + selection.top_k_blocks, -1);
  std::transform(best.begin(), best.end(), to, [](const Rated& rated) { return rated.block; });
}

void choose_for(ThreadPool& pool, std::int32_t* block_ids, const float* packed_q, std::int64_t n_tokens,
                const KvLayer& cache, const Selection& selection, std::int64_t kv_heads, std::int64_t first_position) {
  const std::int64_t n_blocks = (first_position + n_tokens - 1) / selection.block_size + 1;
  const auto stride = static_cast<std::int64_t>(padded(static_cast<std::size_t>(cache.index_dim)));
  static thread_local std::vector<float> buffer;
  buffer.resize(static_cast<std::size_t>(n_tokens * kv_heads * n_blocks));
  float* scores = buffer.data();  // [n_tokens, kv_heads, n_blocks]
  const std::int64_t n_ranges = (n_blocks + kBlocksPerTask - 1) / kBlocksPerTask;
  const std::int64_t n_tiles = (n_tokens + kTokensPerTask - 1) / kTokensPerTask;
  pool.run(n_ranges * n_tiles, [&](std::int64_t task, int) {
    const std::int64_t token = task / n_ranges * kTokensPerTask, block = task % n_ranges * kBlocksPerTask;
    const std::int64_t n = std::min(kTokensPerTask, n_tokens - token);
    const std::int64_t own = (first_position + token + n - 1) / selection.block_size;
    HWY_DYNAMIC_DISPATCH(score_blocks)
    ({scores + token * kv_heads * n_blocks, n_blocks, packed_q + token * kv_heads * stride, stride, n * kv_heads,
      kv_heads, first_position + token, block, std::min(block + kBlocksPerTask, own + 1), &cache});
  });
  pool.run(n_tiles, [&](std::int64_t tile, int) {
    const std::int64_t first_row = tile * kTokensPerTask * kv_heads;
    const std::int64_t end_row = std::min(first_row + kTokensPerTask * kv_heads, n_tokens * kv_heads);
    for (std::int64_t row = first_row; row < end_row; ++row) {
      choose(block_ids + row * selection.top_k_blocks, scores + row * n_blocks,
             static_cast<std::int32_t>((first_position + row / kv_heads) / selection.block_size), selection);
    }
  });
}

}  // namespace

void choose_blocks(ThreadPool& pool, std::int32_t* block_ids, const float* index_q, std::int64_t n_tokens,
                   std::int64_t kv_heads, const KvLayer& cache, const Selection& selection,
                   std::int64_t first_position) {
  static thread_local PackedRows packed;
  packed.pack(pool, index_q, n_tokens * kv_heads, cache.index_dim, cache.dtype);
  const std::int64_t n_blocks = (first_position + n_tokens - 1) / selection.block_size + 1;
  const std::int64_t step = std::max(kTokensPerTask, kMaxBlockScores / (kv_heads * n_blocks));
  for (std::int64_t token = 0; token < n_tokens; token += step) {
    choose_for(pool, block_ids + token * kv_heads * selection.top_k_blocks, packed.row(token * kv_heads),
               std::min(step, n_tokens - token), cache, selection, kv_heads, first_position + token);
  }
}

}  // namespace inference::ops
#endif
