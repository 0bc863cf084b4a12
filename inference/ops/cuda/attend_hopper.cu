// Attention of many tokens on Hopper, dense or over chosen blocks. A CTA takes 128 rows: the query heads of one kv
// head, token by token. One warp has blocks of keys and values copied to shared memory; two warpgroups compute 64 rows
// each by wgmma, their softmax overlapping with each other's products. With chosen blocks the CTA walks the union of
// its tokens' choices, and a warpgroup passes over blocks that none of its own tokens chose.

#include "inference/ops/cuda/address_space.h"
#include "inference/ops/cuda/attention_rows.cuh"
#include "inference/ops/cuda/hopper.cuh"

namespace inference::ops::cuda {
namespace {

using namespace hopper;

constexpr int kConsumers = 2;
constexpr int kTileRows = kConsumers * 64;
constexpr int kThreads = (1 + kConsumers) * kGroup;
constexpr int kStages = 6;       // blocks of keys and of values, by turns
constexpr int kMaxListed = 512;  // blocks of a union
constexpr std::int64_t kFewestTokens = 16;

// A block that a CTA visits, and which of its tokens look at it (bit i: its i-th token).
struct Visit {
  std::int32_t block;
  std::uint32_t tokens;
};

// The blocks that a CTA visits, ascending.
struct BlockList {
  std::uint32_t chosen[kMaxBlocks / 32];  // a bit per block
  int first_of_word[kMaxBlocks / 32];     // place in the list of a word's first block
  Visit visits[kMaxListed];
  int n_blocks;
};

struct Shared {
  std::uint64_t full[kStages], empty[kStages];
  BlockList list;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

struct Tile {
  int first_row;  // within the kv head's n_tokens * group_size
  int first_token;
  int end_block;  // blocks that the last token sees a part of
};

__device__ Tile tile_of(const AttentionShape& shape) {
  // The last tiles have most to do, so they start first.
  const int first_row = static_cast<int>(gridDim.x - 1 - blockIdx.x) * kTileRows;
  const int last_token = min((first_row + kTileRows) / shape.group_size, shape.n_tokens) - 1;
  const int last_position = shape.n_keys - shape.n_tokens + last_token;
  return {first_row, first_row / shape.group_size, last_position / kBlock + 1};
}

// By all threads: the union of the tile's tokens' choices.
__device__ void unite_choices(BlockList& list, const AttentionShape& shape, const Tile& tile) {
  constexpr int kChoicesPerThread = (kMaxListed + kThreads - 1) / kThreads;
  const int n_words = ((shape.n_keys - 1) / kBlock + 32) / 32;
  int mine[kChoicesPerThread];  // -1: none
  std::uint32_t token_bits[kChoicesPerThread];
#pragma unroll
  for (int i = 0; i < kChoicesPerThread; ++i) {
    const int choice = static_cast<int>(threadIdx.x) + i * kThreads, token_of_tile = choice / shape.top_k;
    const int token = tile.first_token + token_of_tile;
    token_bits[i] = 1U << token_of_tile % 32;  // a tile has no more; threads without a choice may be behind
    mine[i] = -1;
    if (token_of_tile < kTileRows / shape.group_size && token < shape.n_tokens) {
      const std::int64_t first = (static_cast<std::int64_t>(token) * shape.kv_heads + blockIdx.y) * shape.top_k;
      mine[i] = shape.block_ids[first + choice % shape.top_k];
    }
  }
  for (int i = threadIdx.x; i < n_words; i += kThreads) list.chosen[i] = 0;
  for (int i = threadIdx.x; i < kMaxListed; i += kThreads) list.visits[i].tokens = 0;
  __syncthreads();
  for (const int block : mine) {
    if (block >= 0) atomicOr(&list.chosen[block / 32], 1U << block % 32);
  }
  __syncthreads();
  if (threadIdx.x < kWarp) {
    int n_before = 0;  // blocks of the words before these 32
    for (int first = 0; first < n_words; first += kWarp) {
      const int word = first + static_cast<int>(threadIdx.x);
      const int count = word < n_words ? __popc(list.chosen[word]) : 0;
      int end = n_before + count;  // becomes the sum over this and all lower lanes
      for (int offset = 1; offset < kWarp; offset *= 2) {
        const int other = __shfl_up_sync(kAllLanes, end - n_before, offset);
        if (static_cast<int>(threadIdx.x) >= offset) end += other;
      }
      if (word < n_words) list.first_of_word[word] = end - count;
      n_before = __shfl_sync(kAllLanes, end, kWarp - 1);
    }
    if (threadIdx.x == 0) list.n_blocks = n_before;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kChoicesPerThread; ++i) {
    if (mine[i] < 0) continue;
    const int word = mine[i] / 32;
    const std::uint32_t lower = list.chosen[word] & ((1U << mine[i] % 32) - 1);
    Visit& visit = list.visits[list.first_of_word[word] + __popc(lower)];
    visit.block = mine[i];  // threads that choose the same block write the same
    atomicOr(&visit.tokens, token_bits[i]);
  }
}

__device__ int block_at(const Shared& shared, const AttentionShape& shape, int i) {
  return shape.block_ids != nullptr ? shared.list.visits[i].block : i;
}

// By the first warp, which waits for it.
__device__ void bring_partly(std::uint8_t* stage, const std::uint8_t* from, int n_there, std::uint64_t* full) {
  copy_partly(stage, from, n_there, static_cast<int>(threadIdx.x));
  commit_copies();
  wait_copies<0>();
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // wgmma reads what ordinary copies wrote
  __syncwarp();
  if (threadIdx.x == 0) arrive(full);
}

__device__ void run_producer(std::uint8_t* stages, Shared& shared, const AttentionShape& shape, void* const* pages,
                             const CUtensorMap& space, int n_blocks) {
  if (threadIdx.x >= kWarp) return;
  const std::int64_t head_bytes = kBlockBytes, part_bytes = head_bytes * shape.kv_heads;
  for (int i = 0; i < 2 * n_blocks; ++i) {
    if (i >= kStages) wait(&shared.empty[i % kStages], parity(i - kStages, kStages));
    const int block = block_at(shared, shape, i / 2), n_there = shape.n_keys - block * kBlock;
    const auto* from = static_cast<const std::uint8_t*>(pages[block]) + i % 2 * part_bytes + blockIdx.y * head_bytes;
    std::uint8_t* stage = stages + i % kStages * kBlockBytes;
    std::uint64_t* full = &shared.full[i % kStages];
    if (n_there < kBlock) {
      bring_partly(stage, from, n_there, full);
    } else if (threadIdx.x == 0) {
      start_copy(stage, space, from, full);
    }
    __syncwarp();
  }
}

// A warpgroup's 64 rows; a lane shares in rows g and g + 8 of its warp's 16.
struct Rows {
  std::uint32_t q[kDim / 16][4];
  float scores[64];
  std::uint32_t weights[kBlock / 16][4];
  float sums[64] = {};
  float largest[2] = {-INFINITY, -INFINITY};
  float shrinks[2];
  float totals[2] = {};  // of this lane's columns only
};

// Scores become weights; `shrinks` is what brings earlier sums to the new scale.
__device__ void soften(Rows& w, float scale_log2) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float best = w.largest[r];
#pragma unroll
    for (int j = 0; j < kBlock / 8; ++j)
      best = fmaxf(best, fmaxf(w.scores[4 * j + 2 * r], w.scores[4 * j + 2 * r + 1]));
    best = fmaxf(best, __shfl_xor_sync(kAllLanes, best, 1));
    best = fmaxf(best, __shfl_xor_sync(kAllLanes, best, 2));
    const float zero = best == -INFINITY ? 0 : best * scale_log2;  // no visible key yet: all weights are 0
    w.shrinks[r] = power_of_two(w.largest[r] * scale_log2 - zero);
    w.largest[r] = best;
    float total = 0;
#pragma unroll
    for (int j = 0; j < kBlock / 8; ++j) {
#pragma unroll
      for (int e = 4 * j + 2 * r; e < 4 * j + 2 * r + 2; ++e) {
        w.scores[e] = power_of_two(w.scores[e] * scale_log2 - zero);
        total += w.scores[e];
      }
    }
    w.totals[r] = w.totals[r] * w.shrinks[r] + total;
  }
}

// Earlier sums to the new scale, and the weights as the next product takes them; both must be at rest.
__device__ void pack_weights(Rows& w) {
#pragma unroll
  for (int j = 0; j < kDim / 8; ++j) {
#pragma unroll
    for (int e = 0; e < 4; ++e) w.sums[4 * j + e] *= w.shrinks[e / 2];
  }
#pragma unroll
  for (int i = 0; i < kBlock / 16; ++i) {
#pragma unroll
    for (int e = 0; e < 4; ++e) w.weights[i][e] = pack(w.scores[8 * i + 2 * e], w.scores[8 * i + 2 * e + 1]);
  }
}

__device__ void issue_values(Rows& w, const std::uint8_t* values) {
#pragma unroll
  for (int i = 0; i < kBlock / 16; ++i) {
    constexpr int kStep = 16 * 128 >> 4;  // 16 keys, in the descriptor's unit
    multiply_group<1>(w.sums, w.weights[i], descriptor(values, kHalfBytes) + i * kStep, 1);
  }
}

// Where a warpgroup's rows lie and what they see.
struct Place {
  int rows[2];                // within the kv head's n_tokens * group_size
  int visible[2];             // keys that the row sees
  std::int64_t head_rows[2];  // index of q's and out's rows, in heads
  std::uint32_t token_bits[2], group_bits;
  int visible_to_group;
};

__device__ Place place_of(const AttentionShape& shape, const Tile& tile) {
  const int group = threadIdx.x / kGroup - 1, warp = threadIdx.x % kGroup / kWarp, lane = threadIdx.x % kWarp;
  const int n_rows = shape.n_tokens * shape.group_size, group_row = group * 64;
  Place place;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row_of_tile = group_row + warp * 16 + lane / 4 + 8 * r;
    place.rows[r] = tile.first_row + row_of_tile;
    const int row = min(place.rows[r], n_rows - 1), token = row / shape.group_size;
    place.visible[r] = shape.n_keys - shape.n_tokens + token + 1;
    place.head_rows[r] =
        static_cast<std::int64_t>(token) * shape.q_heads + blockIdx.y * shape.group_size + row % shape.group_size;
    place.token_bits[r] = 1U << row_of_tile / shape.group_size;
  }
  const int tokens_per_group = 64 / shape.group_size;
  place.group_bits = ((1U << tokens_per_group) - 1) << group * tokens_per_group;
  const int last_token = min((tile.first_row + group_row + 63) / shape.group_size, shape.n_tokens - 1);
  place.visible_to_group = shape.n_keys - shape.n_tokens + last_token + 1;
  return place;
}

__device__ void store_rows(bf16* out, const Rows& w, const Place& place, int n_rows) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float total = w.totals[r];
    total += __shfl_xor_sync(kAllLanes, total, 1);
    total += __shfl_xor_sync(kAllLanes, total, 2);
    if (place.rows[r] >= n_rows) continue;
    bf16* to = out + place.head_rows[r] * kDim + threadIdx.x % 4 * 2;
#pragma unroll
    for (int j = 0; j < kDim / 8; ++j) {
      *reinterpret_cast<std::uint32_t*>(to + j * 8) =
          pack(w.sums[4 * j + 2 * r] / total, w.sums[4 * j + 2 * r + 1] / total);
    }
  }
}

// The two warpgroups issue their products by turns, so that one's softmax meets the other's products.
__device__ void wait_for_turn(int group) {
  asm volatile("bar.sync %0, %1;" ::"r"(1 + group), "n"(2 * kGroup) : "memory");
}
__device__ void pass_turn(int group) {
  asm volatile("bar.arrive %0, %1;" ::"r"(1 + group), "n"(2 * kGroup) : "memory");
}

// The values of a block are added up while the next block, if the warpgroup needs it, is scored. The warpgroups take
// turns once a block, whether they need it or not.
template <bool kDense>
__device__ void run_consumer(bf16* out, const bf16* q, const std::uint8_t* stages, Shared& shared,
                             const AttentionShape& shape, const Tile& tile, int n_blocks) {
  const int group = threadIdx.x / kGroup - 1;
  const Place place = place_of(shape, tile);
  const auto is_needed = [&](int i) {
    if (kDense) return true;
    const Visit visit = shared.list.visits[i];
    return (visit.tokens & place.group_bits) != 0 && visit.block * kBlock < place.visible_to_group;
  };
  const auto stage_of = [&](int use) { return stages + use % kStages * kBlockBytes; };
  const auto wait_full = [&](int use) { wait(&shared.full[use % kStages], parity(use, kStages)); };
  const auto free_stage = [&](int use) {
    if (threadIdx.x % kWarp == 0) arrive(&shared.empty[use % kStages]);
  };
  Rows w;
  load_queries(w.q, q + place.head_rows[0] * kDim, q + place.head_rows[1] * kDim);
  const auto hide_unseen = [&](int i) {
    const Visit visit = kDense ? Visit{.block = i} : shared.list.visits[i];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const bool is_chosen = kDense || (visit.tokens & place.token_bits[r]) != 0;
      const int n_visible = is_chosen ? place.visible[r] - visit.block * kBlock : 0;
      if (n_visible < kBlock) hide_keys(w.scores, r, n_visible);
    }
  };
  if (group == 1) pass_turn(0);
  for (int i = 0; i < n_blocks;) {
    if (!is_needed(i)) {
      wait_for_turn(group);
      pass_turn(1 - group);
      wait_full(2 * i);
      free_stage(2 * i);
      wait_full(2 * i + 1);
      free_stage(2 * i + 1);
      ++i;
      continue;
    }
    wait_full(2 * i);
    wait_for_turn(group);
    score_block(w.scores, w.q, stage_of(2 * i));
    pass_turn(1 - group);
    free_stage(2 * i);
    hide_unseen(i);
    soften(w, shape.scale_log2);
    pack_weights(w);
    for (++i; i < n_blocks && is_needed(i); ++i) {
      wait_full(2 * i - 1);
      wait_full(2 * i);
      wait_for_turn(group);
      begin_products();
      issue_scores(w.scores, w.q, stage_of(2 * i));
      end_group();
      issue_values(w, stage_of(2 * i - 1));
      end_group();
      pass_turn(1 - group);
      wait_products<1>(w.scores);
      free_stage(2 * i);
      hide_unseen(i);
      soften(w, shape.scale_log2);
      // Waits for the next keys here, since ptxas moves the softmax behind the wait below unless a loop lies between.
      if (i + 1 < n_blocks) wait_full(2 * i + 2);
      wait_products<0>(w.sums);
      free_stage(2 * i - 1);
      pack_weights(w);
    }
    wait_full(2 * i - 1);
    begin_products();
    issue_values(w, stage_of(2 * i - 1));
    finish_products(w.sums);
    free_stage(2 * i - 1);
  }
  if (group == 0) wait_for_turn(0);  // the other's last pass
  store_rows(out, w, place, shape.n_tokens * shape.group_size);
}

#endif  // __CUDA_ARCH_FEAT_SM90_ALL

template <bool kDense>
__global__ __launch_bounds__(kThreads, 1) void attend_kernel(bf16* out, const bf16* q, void* const* pages,
                                                             AttentionShape shape, const std::uint8_t* left_out,
                                                             const __grid_constant__ CUtensorMap space) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL  // never launched on other GPUs, for which wgmma does not compile
  if (!kDense && left_out != nullptr) {
    wait_for_previous();  // for the choices' lists
    allow_next();         // attention block by block: it starts as soon as this kernel's CTAs leave room
    if (left_out[(blockIdx.y + 1) * gridDim.x - 1 - blockIdx.x]) return;
  }
  extern __shared__ std::uint8_t dynamic[];
  __shared__ Shared shared;
  auto* stages = reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(dynamic) + 1023) / 1024 * 1024);
  const Tile tile = tile_of(shape);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init_barrier(&shared.full[i], 1);
      init_barrier(&shared.empty[i], kConsumers * kGroup / kWarp);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if constexpr (!kDense) unite_choices(shared.list, shape, tile);
  __syncthreads();
  const int n_blocks = kDense ? tile.end_block : shared.list.n_blocks;
  if (threadIdx.x < kGroup) {
    // 24 + 2 · 240 registers are the 3 · 168 that the CTA has. Ask for more and it waits for them for ever.
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    run_producer(stages, shared, shape, pages, space, n_blocks);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    run_consumer<kDense>(out, q, stages, shared, shape, tile, n_blocks);
  }
#endif
}

}  // namespace

bool attends_on_hopper(const AttentionCall& call) {
  const int group_size = call.heads.q_heads / call.heads.kv_heads;
  return call.activation_type == DType::BF16 && call.source.dtype == DType::BF16 && call.source.pages != nullptr &&
         call.source.fits_map && call.heads.head_dim == kDim && call.source.page_size == kBlock && call.is_causal &&
         group_size >= kFewestGroup && kTileRows % group_size == 0 && group_size <= 64 &&
         call.n_tokens >= kFewestTokens && call.n_keys <= std::int64_t{kMaxBlocks} * kBlock &&
         call.top_k * (kTileRows / group_size) <= kMaxListed;
}

AttentionShape hopper_shape_of(const AttentionCall& call) {
  AttentionPlan plan;
  plan.tile_rows = kTileRows;
  plan.rows_per_unit = call.n_tokens * (call.heads.q_heads / call.heads.kv_heads);
  plan.n_units = 1;
  return shape_of(call, plan);
}

std::int64_t tokens_beside_waves(const AttentionCall& call, int n_multiprocessors) {
  const AttentionShape shape = hopper_shape_of(call);
  const int n_tiles = shape.tiles_per_unit * shape.kv_heads, n_beside = n_tiles % n_multiprocessors;
  constexpr int kMostBeside = 8;  // one in so many multiprocessors
  // Where the last tile is much longer than the first, other tiles fill the gaps.
  const bool are_alike = call.n_keys >= 2 * call.n_tokens;
  if (call.block_ids != nullptr || !are_alike || n_tiles < n_multiprocessors ||
      n_beside * kMostBeside > n_multiprocessors)
    return 0;
  return ceil_div(n_beside, shape.kv_heads) * std::int64_t{kTileRows / shape.group_size};
}

void attend_on_hopper(cudaStream_t stream, const AttentionCall& call, const std::uint8_t* left_out) {
  INFERENCE_CHECK(attends_on_hopper(call), "no Hopper kernel for this attention");
  const AttentionShape shape = hopper_shape_of(call);
  const dim3 n_ctas(static_cast<unsigned>(shape.tiles_per_unit), static_cast<unsigned>(shape.kv_heads));
  const auto kernel = call.block_ids == nullptr ? attend_kernel<true> : attend_kernel<false>;
  const std::size_t n_bytes = kStages * kBlockBytes + 1024;
  auto* out = static_cast<bf16*>(call.out);
  const auto* q = static_cast<const bf16*>(call.q);
  if (left_out != nullptr) {
    launch_early("attend_on_hopper", kernel, n_ctas, kThreads, n_bytes, stream, 1, out, q, call.source.pages, shape,
                 left_out, address_space());
  } else {
    launch("attend_on_hopper", kernel, n_ctas, kThreads, n_bytes, stream, out, q, call.source.pages, shape, left_out,
           address_space());
  }
}

}  // namespace inference::ops::cuda
