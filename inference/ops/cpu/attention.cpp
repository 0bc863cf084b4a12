#include "inference/ops/cpu/attention.h"

#include <cmath>
#include <limits>
#include <vector>

#include "inference/ops/cpu/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/ops/cpu/attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "inference/ops/cpu/activation-inl.h"
#include "inference/ops/cpu/dot-inl.h"

#ifndef INFERENCE_OPS_CPU_ATTENTION_ONCE
#define INFERENCE_OPS_CPU_ATTENTION_ONCE
namespace inference::ops {

// Queries and sums of a tile (2 × 256 KiB at head_dim 128) stay in L2 beside one block of keys and values; the scores
// of a group of rows against one block (12 KiB) stay in L1.
inline constexpr std::int64_t kMaxTileRows = 512;
inline constexpr int kGroupRows = 24;
inline constexpr std::int64_t kPartKeys =
    32;                               // of a block, with their values (16 KiB in bf16), pass through L1 at a time
inline constexpr int kValueRows = 6;  // rows of sums in registers while values pass

inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// Buffers of one thread.
struct TileScratch {
  AlignedFloats q;     // [rows, padded head_dim] packed, scaled
  AlignedFloats sums;  // [rows, padded head_dim] in chunk order: Σ weight · value
  std::vector<float> max, total;
  AlignedFloats scores;                       // [kGroupRows, kPartKeys]
  AlignedFloats keys, values;                 // a block unpacked, where head_dim is not a multiple of the chunk
  std::vector<std::int32_t> rows;             // that take part in the current block
  std::vector<const std::int32_t*> next_ids;  // per token: its next chosen block
};

struct AttentionTile {
  float* out;
  const float* q;
  Heads heads;
  const KeyStore* store;
  Visibility visibility;
  int kv_head;
  std::int64_t first_token, n_tokens;
};

}  // namespace inference::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace inference::ops::HWY_NAMESPACE {

// scores[r][key] = q of row r · key, for a group of rows. Fetches the values meanwhile.
template <class Row>
HWY_INLINE void score_keys(float* scores, const float* const* q, int n_rows, const BlockRows<Row>& keys,
                           const BlockRows<Row>& values, std::int64_t n_keys, std::size_t dim) {
  const hn::Full128<float> d4;
  for (std::int64_t key = 0; key < n_keys; key += 4) {
    Row rows[4];
    for (std::int64_t c = 0; c < 4; ++c) {
      rows[c] = keys[std::min(key + c, n_keys - 1)];
      prefetch(values[std::min(key + c, n_keys - 1)].data, dim * sizeof(typename Row::Element));
    }
    dot_rows(q, n_rows, rows, dim,
             [&](int row, Quad sums) HWY_ATTR { hn::StoreU(sums, d4, scores + row * kPartKeys + key); });
  }
}

// Turns a row's scores into weights relative to the row's new maximum, zero from n_visible up to n_keys; returns the
// factor for what the row has summed up so far.
HWY_INLINE float soften(float* scores, std::int64_t n_visible, std::int64_t n_keys, float& max, float& total) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(kLanes);
  const std::int64_t end = (n_keys + lanes - 1) / lanes * lanes;
  std::fill(scores + n_visible, scores + end, kMinusInfinity);
  V largest = hn::Set(d, max);
  for (std::int64_t i = 0; i < n_visible; i += lanes) largest = hn::Max(largest, hn::LoadU(d, scores + i));
  const float new_max = hn::GetLane(hn::MaxOfLanes(d, largest));
  const float factor = max == new_max ? 1.0F : std::exp(max - new_max);  // 0 at first
  V sum = hn::Zero(d);
  for (std::int64_t i = 0; i < end; i += lanes) {
    const V weight = hn::Exp(d, hn::Sub(hn::LoadU(d, scores + i), hn::Set(d, new_max)));
    sum = hn::Add(sum, weight);
    hn::StoreU(weight, d, scores + i);
  }
  max = new_max;
  total = total * factor + hn::GetLane(hn::SumOfLanes(d, sum));
  return factor;
}

// sums[r] = sums[r] * factor[r] + Σ weights[r][key] · value, for a few rows and the elements of kChunks chunks. With
// kPrefetch, fetches as many bytes from `next` on as are read here.
template <int kRows, std::size_t kChunks, bool kPrefetch, class Row>
HWY_INLINE void add_value_chunks(float* const* sums, const float* factors, const float* weights,
                                 const BlockRows<Row>& values, std::int64_t n_keys, std::size_t chunk,
                                 const typename Row::Element* next) {
  constexpr std::size_t kVectors = kChunks * Row::kVectors;
  const D d;
  V acc[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      acc[r][v] = hn::Mul(hn::Set(d, factors[r]), hn::LoadU(d, sums[r] + chunk * kChunk<Row> + v * kLanes));
    }
  }
  for (std::int64_t key = 0; key < n_keys; ++key) {
    if constexpr (kPrefetch) hwy::Prefetch(next + (chunk * static_cast<std::size_t>(n_keys) + key) * kChunk<Row>);
    V value[kVectors];
    for (std::size_t i = 0; i < kChunks; ++i) unpack(values[key], chunk + i, value + i * Row::kVectors);
    for (int r = 0; r < kRows; ++r) {
      const V weight = hn::Set(d, weights[r * kPartKeys + key]);
      for (std::size_t v = 0; v < kVectors; ++v) acc[r][v] = hn::MulAdd(weight, value[v], acc[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(acc[r][v], d, sums[r] + chunk * kChunk<Row> + v * kLanes);
    }
  }
}

// The same for all elements, two vectors at a time.
template <int kRows, bool kPrefetch, class Row>
HWY_INLINE void add_values(float* const* sums, const float* factors, const float* weights, const BlockRows<Row>& values,
                           std::int64_t n_keys, std::size_t dim, const typename Row::Element* next) {
  constexpr std::size_t kChunks = Row::kVectors == 1 ? 2 : 1;
  const std::size_t n_chunks = dim / kChunk<Row>;
  std::size_t chunk = 0;
  for (; chunk + kChunks <= n_chunks; chunk += kChunks) {
    add_value_chunks<kRows, kChunks, kPrefetch>(sums, factors, weights, values, n_keys, chunk, next);
  }
  if (chunk < n_chunks) {
    add_value_chunks<kRows, 1, kPrefetch>(sums, factors, weights, values, n_keys, chunk, next);
  }
}

// The rows of scratch.rows attend to n_keys keys of one block. visible(row) is the number of those a row sees. Few rows
// (decode) are bound by memory: their values are fetched while keys are scored, and the keys of the next block, at
// `next` or nowhere, while values are added up.
template <class Row, class Visible>
HWY_INLINE void attend_block(TileScratch& scratch, const BlockRows<Row>& keys, const BlockRows<Row>& values,
                             std::int64_t n_keys, std::size_t dim, const typename Row::Element* next,
                             const Visible& visible) {
  float* scores = scratch.scores.data();
  const int n_all = static_cast<int>(scratch.rows.size());
  for (int first = 0; first < n_all; first += kGroupRows) {
    const int n_rows = std::min(kGroupRows, n_all - first);
    const float* q[kGroupRows];
    float* sums[kGroupRows];
    float factors[kGroupRows];
    for (int r = 0; r < n_rows; ++r) {
      const auto row = static_cast<std::size_t>(scratch.rows[static_cast<std::size_t>(first + r)]);
      q[r] = scratch.q.data() + row * padded(dim);
      sums[r] = scratch.sums.data() + row * padded(dim);
    }
    for (std::int64_t key = 0; key < n_keys; key += kPartKeys) {
      const std::int64_t n = std::min(kPartKeys, n_keys - key);
      const BlockRows<Row> part_keys = {keys[key].data, keys.stride}, part_values = {values[key].data, values.stride};
      score_keys(scores, q, n_rows, part_keys, part_values, n, dim);
      for (int r = 0; r < n_rows; ++r) {
        const std::int32_t row = scratch.rows[static_cast<std::size_t>(first + r)];
        factors[r] = soften(scores + r * kPartKeys, std::clamp<std::int64_t>(visible(row) - key, 0, n), n,
                            scratch.max[static_cast<std::size_t>(row)], scratch.total[static_cast<std::size_t>(row)]);
      }
      const auto* after = next == nullptr || key + n == n_keys ? next : keys[key + n].data;
      for_row_tiles<kValueRows>(n_rows, [&](int r, auto count) HWY_ATTR {
        if (after != nullptr) {
          add_values<count, true>(sums + r, factors + r, scores + r * kPartKeys, part_values, n, dim, after);
        } else {
          add_values<count, false>(sums + r, factors + r, scores + r * kPartKeys, part_values, n, dim, after);
        }
      });
    }
  }
}

// Where block `block_idx` of a head has its rows: keys (part 0) or values (part 1).
template <class Row>
HWY_INLINE BlockRows<Row> block_rows(const AttentionTile& tile, int part, std::int64_t block_idx) {
  using Element = typename Row::Element;
  const KeyStore& store = *tile.store;
  const std::int64_t dim = tile.heads.head_dim;
  if (store.cache != nullptr) {
    const void* page = store.cache->pages[static_cast<std::size_t>(block_idx)];
    const std::int64_t slot = (part * std::int64_t{tile.heads.kv_heads} + tile.kv_head) * store.block_size;
    return {static_cast<const Element*>(page) + slot * dim, dim};
  }
  const std::int64_t stride = tile.heads.kv_heads * dim;
  const void* data = part == 0 ? store.keys : store.values;
  return {static_cast<const Element*>(data) + block_idx * store.block_size * stride + tile.kv_head * dim, stride};
}

template <class Row>
HWY_INLINE void visit_block(const AttentionTile& tile, TileScratch& scratch, std::int64_t block_idx,
                            std::int64_t next_block_idx) {
  const std::int64_t group_size = tile.heads.q_heads / tile.heads.kv_heads;
  const std::int64_t start = block_idx * tile.store->block_size;
  const std::int64_t first_position = tile.visibility.first_position + tile.first_token;
  const std::int64_t n_stored =
      tile.visibility.causal ? first_position + tile.n_tokens : tile.store->n_keys;  // that any row may see
  const std::int64_t n_keys = std::min<std::int64_t>(tile.store->block_size, n_stored - start);
  const auto visible = [&](std::int32_t row) HWY_ATTR {
    return tile.visibility.causal ? std::min(n_keys, first_position + row / group_size - start + 1) : n_keys;
  };
  const auto dim = static_cast<std::size_t>(tile.heads.head_dim);
  const auto keys = block_rows<Row>(tile, 0, block_idx), values = block_rows<Row>(tile, 1, block_idx);
  if (dim % kChunk<Row> == 0 && scratch.rows.size() <= kMaxDirectRows) {
    const auto* next = next_block_idx < 0 ? nullptr : block_rows<Row>(tile, 0, next_block_idx).data;
    attend_block(scratch, keys, values, n_keys, dim, next, visible);
    return;
  }
  const auto size = static_cast<std::size_t>(tile.store->block_size) * padded(dim);
  scratch.keys.reserve(size);
  scratch.values.reserve(size);
  for (std::int64_t key = 0; key < n_keys; ++key) {
    const std::size_t at = static_cast<std::size_t>(key) * padded(dim);
    unpack_row(scratch.keys.data() + at, keys[key], 0, dim);
    unpack_row(scratch.values.data() + at, values[key], 0, dim);
  }
  const auto stride = static_cast<std::int64_t>(padded(dim));
  attend_block(scratch, BlockRows<F32Row>{scratch.keys.data(), stride},
               BlockRows<F32Row>{scratch.values.data(), stride}, n_keys, padded(dim), nullptr, visible);
}

// Every block up to the last that a row sees; a row takes part from block 0 to its own.
template <class Row>
HWY_INLINE void visit_all_blocks(const AttentionTile& tile, TileScratch& scratch) {
  const std::int64_t group_size = tile.heads.q_heads / tile.heads.kv_heads;
  const std::int64_t first_position = tile.visibility.first_position + tile.first_token;
  const std::int64_t n_stored = tile.visibility.causal ? first_position + tile.n_tokens : tile.store->n_keys;
  for (std::int64_t block_idx = 0; block_idx * tile.store->block_size < n_stored; ++block_idx) {
    const std::int64_t start = block_idx * tile.store->block_size;
    const std::int64_t first_token = tile.visibility.causal ? std::max<std::int64_t>(0, start - first_position) : 0;
    scratch.rows.clear();
    for (std::int64_t row = first_token * group_size; row < tile.n_tokens * group_size; ++row) {
      scratch.rows.push_back(static_cast<std::int32_t>(row));
    }
    const bool is_last = start + tile.store->block_size >= n_stored;
    visit_block<Row>(tile, scratch, block_idx, is_last ? -1 : block_idx + 1);
  }
}

// The union of the blocks that the tile's tokens chose, ascending; a row takes part in its own choice.
template <class Row>
HWY_INLINE void visit_chosen_blocks(const AttentionTile& tile, TileScratch& scratch) {
  const auto group_size = static_cast<std::int32_t>(tile.heads.q_heads / tile.heads.kv_heads);
  const std::int64_t top_k = tile.visibility.top_k;
  const std::int32_t* ids = tile.visibility.block_ids + (tile.first_token * tile.heads.kv_heads + tile.kv_head) * top_k;
  const auto ids_of = [&](std::int64_t token) HWY_ATTR { return ids + token * tile.heads.kv_heads * top_k; };
  scratch.next_ids.clear();
  for (std::int64_t token = 0; token < tile.n_tokens; ++token) scratch.next_ids.push_back(ids_of(token));
  const auto next_of = [&](std::int64_t token) HWY_ATTR {
    const std::int32_t* next = scratch.next_ids[static_cast<std::size_t>(token)];
    return next == ids_of(token) + top_k || *next < 0 ? std::numeric_limits<std::int32_t>::max() : *next;
  };
  constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();
  const auto lowest = [&]() HWY_ATTR {
    std::int32_t block_idx = kNone;
    for (std::int64_t token = 0; token < tile.n_tokens; ++token) block_idx = std::min(block_idx, next_of(token));
    return block_idx;
  };
  for (std::int32_t block_idx = lowest(), next_block_idx = 0; block_idx != kNone; block_idx = next_block_idx) {
    scratch.rows.clear();
    for (std::int64_t token = 0; token < tile.n_tokens; ++token) {
      if (next_of(token) != block_idx) continue;
      ++scratch.next_ids[static_cast<std::size_t>(token)];
      for (std::int32_t head = 0; head < group_size; ++head) {
        scratch.rows.push_back(static_cast<std::int32_t>(token) * group_size + head);
      }
    }
    next_block_idx = lowest();
    visit_block<Row>(tile, scratch, block_idx, next_block_idx == kNone ? -1 : next_block_idx);
  }
}

template <class Row>
HWY_INLINE void attend_tile_as(const AttentionTile& tile, TileScratch& scratch) {
  const std::int64_t group_size = tile.heads.q_heads / tile.heads.kv_heads;
  const auto n_rows = static_cast<std::size_t>(tile.n_tokens * group_size);
  const auto dim = static_cast<std::size_t>(tile.heads.head_dim);
  const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
  scratch.q.reserve(n_rows * padded(dim));
  scratch.sums.reserve(n_rows * padded(dim));
  std::fill_n(scratch.sums.data(), n_rows * padded(dim), 0.0F);
  scratch.max.assign(n_rows, kMinusInfinity);
  scratch.total.assign(n_rows, 0.0F);
  scratch.scores.reserve(kGroupRows * kPartKeys);
  const auto offset = [&](std::size_t row) HWY_ATTR {  // of a row's head in q and out
    const std::int64_t token = tile.first_token + static_cast<std::int64_t>(row) / group_size;
    const std::int64_t head = tile.kv_head * group_size + static_cast<std::int64_t>(row) % group_size;
    return (token * tile.heads.q_heads + head) * tile.heads.head_dim;
  };
  for (std::size_t row = 0; row < n_rows; ++row) {
    pack_row<Row>(scratch.q.data() + row * padded(dim), tile.q + offset(row), dim, scale);
  }
  if (tile.visibility.block_ids != nullptr) {
    visit_chosen_blocks<Row>(tile, scratch);
  } else {
    visit_all_blocks<Row>(tile, scratch);
  }
  for (std::size_t row = 0; row < n_rows; ++row) {
    unpack_order<Row>(tile.out + offset(row), scratch.sums.data() + row * padded(dim), dim, 1.0F / scratch.total[row]);
  }
}

void attend_tile(const AttentionTile& tile, TileScratch& scratch) {
  with_cache_type(tile.store->dtype, [&](auto row) HWY_ATTR { attend_tile_as<decltype(row)>(tile, scratch); });
}

}  // namespace inference::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace inference::ops {

HWY_EXPORT(attend_tile);

void attend(ThreadPool& pool, float* out, const float* q, std::int64_t n_tokens, const Heads& heads,
            const KeyStore& store, const Visibility& visibility) {
  const std::int64_t tile_tokens = std::max<std::int64_t>(1, kMaxTileRows / (heads.q_heads / heads.kv_heads));
  const std::int64_t n_tiles = (n_tokens + tile_tokens - 1) / tile_tokens;
  pool.run(n_tiles * heads.kv_heads, [&](std::int64_t task, int) {
    static thread_local TileScratch scratch;
    // Later tiles see more keys: they come first, so that no thread is left with a long one at the end.
    const std::int64_t first_token = (n_tiles - 1 - task / heads.kv_heads) * tile_tokens;
    const AttentionTile tile{out,         q,
                             heads,       &store,
                             visibility,  static_cast<int>(task % heads.kv_heads),
                             first_token, std::min(tile_tokens, n_tokens - first_token)};
    HWY_DYNAMIC_DISPATCH(attend_tile)(tile, scratch);
  });
}

}  // namespace inference::ops
#endif
