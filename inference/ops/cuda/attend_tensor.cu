// Attention on the tensor cores, bf16 with fp32 softmax: 64 keys at a time, the next ones copied meanwhile. A CTA's
// four warps divide 64 query rows among themselves; where a tile has only 16 rows (a token's query heads) they divide
// the keys and merge at the end.

#include "inference/ops/cuda/attention_rows.cuh"
#include "inference/ops/cuda/mma.cuh"

namespace inference::ops::cuda {
namespace {

constexpr int kWarps = 4;
constexpr int kThreads = kWarps * kWarp;
constexpr int kKeys = 64;
// Steps in shared memory: where few CTAs must keep the memory busy, one more.
template <bool kSplitKeys>
constexpr int kStages = kSplitKeys ? 3 : 2;

template <int kDim>
struct Tile {
  bf16 rows[kKeys][kDim + 8];  // 16 bytes more, so that ldmatrix meets no bank twice
};
template <int kDim>
struct alignas(16) Stage {
  Tile<kDim> keys, values;
  int position;  // of the first key
};

// A warp's 16 rows or 32, two times 16 that share what is read of keys and values: scores against kParts × 8 keys, and
// the state of their softmax. Of the two rows of a lane, g and g + 8 of 16, elements 0, 1 and 2, 3 of each fragment
// belong to the first and the second.
template <int kDim, int kParts, int kTiles>
struct WarpRows {
  std::uint32_t q[kTiles][kDim / 16][4];
  float scores[kTiles][kParts][4];
  float sums[kTiles][kDim / 8][4] = {};
  float largest[kTiles][2];
  float totals[kTiles][2] = {};  // of this lane's columns only

  __device__ void load_queries(int tile, const bf16* first, const bf16* second) {
    const int t = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < kDim / 16; ++i) {
      q[tile][i][0] = *reinterpret_cast<const std::uint32_t*>(first + i * 16 + 2 * t);
      q[tile][i][1] = *reinterpret_cast<const std::uint32_t*>(second + i * 16 + 2 * t);
      q[tile][i][2] = *reinterpret_cast<const std::uint32_t*>(first + i * 16 + 8 + 2 * t);
      q[tile][i][3] = *reinterpret_cast<const std::uint32_t*>(second + i * 16 + 8 + 2 * t);
    }
    largest[tile][0] = largest[tile][1] = -INFINITY;
  }

  __device__ void score(const Tile<kDim>& keys, int first_key) {
    const int lane = threadIdx.x % kWarp;
#pragma unroll
    for (int part = 0; part < kParts; part += 2) {
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
        for (int e = 0; e < 4; ++e) scores[tile][part][e] = scores[tile][part + 1][e] = 0;
      }
#pragma unroll
      for (int i = 0; i < kDim / 16; ++i) {
        std::uint32_t k[4];
        load_matrices(k, &keys.rows[first_key + part * 8 + lane % 8 + lane / 16 * 8][i * 16 + lane / 8 % 2 * 8]);
#pragma unroll
        for (int tile = 0; tile < kTiles; ++tile) {
          multiply_add(scores[tile][part], q[tile][i], k[0], k[1]);
          multiply_add(scores[tile][part + 1], q[tile][i], k[2], k[3]);
        }
      }
    }
  }

  // Scores become weights; what was summed before shrinks to the new scale.
  __device__ void soften(int tile, float scale_log2) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float best = largest[tile][r];
#pragma unroll
      for (int part = 0; part < kParts; ++part)
        best = fmaxf(best, fmaxf(scores[tile][part][2 * r], scores[tile][part][2 * r + 1]));
      best = fmaxf(best, __shfl_xor_sync(kAllLanes, best, 1));
      best = fmaxf(best, __shfl_xor_sync(kAllLanes, best, 2));
      const float zero = best == -INFINITY ? 0 : best * scale_log2;  // no visible key yet: all weights are 0
      const float shrink = power_of_two(largest[tile][r] * scale_log2 - zero);
      largest[tile][r] = best;
      totals[tile][r] *= shrink;
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
#pragma unroll
        for (int e = 2 * r; e < 2 * r + 2; ++e) {
          scores[tile][part][e] = power_of_two(scores[tile][part][e] * scale_log2 - zero);
          totals[tile][r] += scores[tile][part][e];
        }
      }
#pragma unroll
      for (int i = 0; i < kDim / 8; ++i) {
        sums[tile][i][2 * r] *= shrink;
        sums[tile][i][2 * r + 1] *= shrink;
      }
    }
  }

  __device__ void add_values(const Tile<kDim>& values, int first_key) {
    const int lane = threadIdx.x % kWarp;
#pragma unroll
    for (int part = 0; part < kParts; part += 2) {
      std::uint32_t weights[kTiles][4];
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float* two = &scores[tile][part + e / 2][e % 2 * 2];
          weights[tile][e] = pack(two[0], two[1]);
        }
      }
#pragma unroll
      for (int i = 0; i < kDim / 16; ++i) {
        std::uint32_t v[4];
        load_matrices_transposed(v, &values.rows[first_key + part * 8 + lane % 16][i * 16 + lane / 16 * 8]);
#pragma unroll
        for (int tile = 0; tile < kTiles; ++tile) {
          multiply_add(sums[tile][2 * i], weights[tile], v[0], v[1]);
          multiply_add(sums[tile][2 * i + 1], weights[tile], v[2], v[3]);
        }
      }
    }
  }

  __device__ void finish_totals() {
#pragma unroll
    for (int i = 0; i < 2 * kTiles; ++i) {
      float& total = totals[i / 2][i % 2];
      total += __shfl_xor_sync(kAllLanes, total, 1);
      total += __shfl_xor_sync(kAllLanes, total, 2);
    }
  }
};

// Where a step's keys and values lie: kKeys rows, `stride` apart, of which the first n_there are to be read.
struct Located {
  const bf16* key = nullptr;
  const bf16* value = nullptr;
  int position = 0;  // of the first key
  int n_there = 0;
};

// Steps begin at multiples of kKeys and pages hold multiples of it, so a step never crosses pages.
__device__ Located locate(const KeyList& list, const KeyRows<bf16>& rows, int first, int end, int seen_by_all) {
  if (first >= end) return {};
  const KeyList::Place place = list.at(first);
  const auto pair = rows.at(place);
  // Slots behind the last position hold anything, NaN too, and are not read.
  return {pair.key, pair.value, place.position, min(end - first, seen_by_all - place.position)};
}

// Zeros where there is no key.
template <int kDim>
__device__ void copy_keys(Stage<kDim>& stage, const Located& from, int stride, const bf16* anything) {
  constexpr int kPieces = kDim / 8;  // of 16 bytes per row
#pragma unroll
  for (int i = 0; i < kKeys * kPieces / kThreads; ++i) {
    const int piece = threadIdx.x + i * kThreads, key = piece / kPieces, dim = piece % kPieces * 8;
    const bool is_there = key < from.n_there;
    const int at = key * stride + dim;
    copy_async(&stage.keys.rows[key][dim], is_there ? from.key + at : anything, is_there);
    copy_async(&stage.values.rows[key][dim], is_there ? from.value + at : anything, is_there);
  }
  if (threadIdx.x == 0) stage.position = from.position;
}

// Writes two neighbouring dimensions of a row, normalised or as a split's part.
__device__ void store_two(bf16* out, float* partials, const AttentionShape& shape, int row, int dim, float first,
                          float second, float total) {
  if (shape.n_splits == 1) {
    const std::uint32_t two = pack(first / total, second / total);
    *reinterpret_cast<std::uint32_t*>(out + shape.head_row(row) * shape.head_dim + dim) = two;
  } else {
    float* partial = shape.partial(partials, row);
    partial[dim] = first;
    partial[dim + 1] = second;
  }
}
__device__ void store_state(float* partials, const AttentionShape& shape, int row, float largest, float total) {
  if (shape.n_splits == 1) return;
  float* partial = shape.partial(partials, row);
  partial[shape.head_dim] = largest * shape.scale_log2;
  partial[shape.head_dim + 1] = total;
}

template <int kDim, int kParts, int kTiles>
__device__ void store_rows(bf16* out, float* partials, const AttentionShape& shape, int first_row,
                           const WarpRows<kDim, kParts, kTiles>& w) {
  const int lane = threadIdx.x % kWarp;
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = first_row + tile * 16 + lane / 4 + 8 * r;
      if (!shape.has_row(row)) continue;
      const auto& sums = w.sums[tile];
      const float total = w.totals[tile][r];
#pragma unroll
      for (int i = 0; i < kDim / 8; ++i)
        store_two(out, partials, shape, row, i * 8 + lane % 4 * 2, sums[i][2 * r], sums[i][2 * r + 1], total);
      if (lane % 4 == 0) store_state(partials, shape, row, w.largest[tile][r], total);
    }
  }
}

// The results of warps that shared rows and divided keys.
template <int kDim>
struct WarpResults {
  float sums[kWarps][16][kDim + 2];
  float largest[kWarps][16], totals[kWarps][16];
};

template <int kDim, int kParts>
__device__ void merge_warps(bf16* out, float* partials, const AttentionShape& shape, WarpResults<kDim>& all,
                            const WarpRows<kDim, kParts, 1>& w) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = lane / 4 + 8 * r;
#pragma unroll
    for (int i = 0; i < kDim / 8; ++i) {
      all.sums[warp][row][i * 8 + lane % 4 * 2] = w.sums[0][i][2 * r];
      all.sums[warp][row][i * 8 + lane % 4 * 2 + 1] = w.sums[0][i][2 * r + 1];
    }
    if (lane % 4 == 0) {
      all.largest[warp][row] = w.largest[0][r];
      all.totals[warp][row] = w.totals[0][r];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 16 * kDim / 2; i += kThreads) {
    const int row = i / (kDim / 2), dim = i % (kDim / 2) * 2;
    if (!shape.has_row(row)) continue;
    float largest = -INFINITY, first = 0, second = 0, total = 0;
    for (int part = 0; part < kWarps; ++part) largest = fmaxf(largest, all.largest[part][row]);
    const float zero = largest == -INFINITY ? 0 : largest;
    for (int part = 0; part < kWarps; ++part) {
      const float share = power_of_two((all.largest[part][row] - zero) * shape.scale_log2);
      first += share * all.sums[part][row][dim];
      second += share * all.sums[part][row][dim + 1];
      total += share * all.totals[part][row];
    }
    store_two(out, partials, shape, row, dim, first, second, total);
    if (dim == 0) store_state(partials, shape, row, largest, total);
  }
}

template <int kDim, bool kSplitKeys>
constexpr std::size_t kSharedBytes = std::max(kStages<kSplitKeys> * sizeof(Stage<kDim>),
                                              kSplitKeys ? sizeof(WarpResults<kDim>) : 0);

// So many as registers must leave room for.
template <int kDim, int kTiles>
constexpr int kCtasPerSm = kDim <= kMostDoubledDim&& kTiles == 1 ? 3 : 2;

// kTiles: a warp has 16 rows times that.
template <int kDim, bool kSplitKeys, int kTiles>
__global__ __launch_bounds__(kThreads,
                             kCtasPerSm<kDim, kTiles>) void attend_kernel(bf16* out, const bf16* q, float* partials,
                                                                          AttentionShape shape, KeyRows<bf16> rows) {
  extern __shared__ __align__(16) std::uint8_t shared[];
  auto* stages = reinterpret_cast<Stage<kDim>*>(shared);
  constexpr int kParts = (kSplitKeys ? kKeys / kWarps : kKeys) / 8;
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const int warp_row = kSplitKeys ? 0 : warp * 16 * kTiles, warp_key = kSplitKeys ? warp * kParts * 8 : 0;
  const auto row_of = [&](int tile, int r) { return warp_row + tile * 16 + lane / 4 + 8 * r; };
  allow_next();
  wait_for_previous();
  shape.n_keys += shift_of(shape.shift);
  WarpRows<kDim, kParts, kTiles> w;
  int visible[kTiles][2];
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
    w.load_queries(tile, q + shape.head_row(row_of(tile, 0)) * kDim, q + shape.head_row(row_of(tile, 1)) * kDim);
    for (int r = 0; r < 2; ++r) visible[tile][r] = shape.visible(row_of(tile, r));
  }
  const int seen_by_all = shape.visible(shape.tile_rows - 1);
  __shared__ std::int32_t ids[kMaxChosen + 1];
  const KeyList list = list_keys(shape, ids);
  const int first = blockIdx.z * shape.split_keys, end = min(first + shape.split_keys, list.n_keys);

  // The page's address is looked up a step before its keys are copied.
  const int stride = rows.pages != nullptr ? kDim : shape.kv_heads * kDim;
  constexpr int kAhead = kStages<kSplitKeys> - 1;
#pragma unroll
  for (int i = 0; i < kAhead; ++i) {
    copy_keys(stages[i], locate(list, rows, first + i * kKeys, end, seen_by_all), stride, q);
    commit_copies();
  }
  Located coming = locate(list, rows, first + kAhead * kKeys, end, seen_by_all);
  int stage = 0;
  for (int step = first; step < end; step += kKeys, stage = (stage + 1) % kStages<kSplitKeys>) {
    if (step + kAhead * kKeys < end) copy_keys(stages[(stage + kAhead) % kStages<kSplitKeys>], coming, stride, q);
    commit_copies();
    coming = locate(list, rows, step + (kAhead + 1) * kKeys, end, seen_by_all);
    wait_copies<kAhead>();
    __syncthreads();
    w.score(stages[stage].keys, warp_key);
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        // Keys that the row sees of the step.
        const int n_seen = min(visible[tile][r] - stages[stage].position, end - step);
        if (n_seen >= kKeys) continue;
#pragma unroll
        for (int part = 0; part < kParts; ++part) {
#pragma unroll
          for (int e = 0; e < 2; ++e)
            if (warp_key + part * 8 + lane % 4 * 2 + e >= n_seen) w.scores[tile][part][2 * r + e] = -INFINITY;
        }
      }
      w.soften(tile, shape.scale_log2);
    }
    w.add_values(stages[stage].values, warp_key);
    __syncthreads();
  }
  w.finish_totals();
  if constexpr (kSplitKeys) {
    wait_copies<0>();
    __syncthreads();
    merge_warps(out, partials, shape, *reinterpret_cast<WarpResults<kDim>*>(shared), w);
  } else {
    store_rows(out, partials, shape, warp_row, w);
  }
}

template <int kDim, bool kSplitKeys, int kTiles>
void launch_attend(cudaStream_t stream, const AttentionCall& call, const AttentionPlan& plan, float* partials) {
  const dim3 n_ctas(static_cast<unsigned>(plan.n_units * plan.tiles_per_unit()),
                    static_cast<unsigned>(call.heads.kv_heads), static_cast<unsigned>(plan.n_splits));
  launch_early("attend_on_tensor_cores", attend_kernel<kDim, kSplitKeys, kTiles>, n_ctas, kThreads,
               kSharedBytes<kDim, kSplitKeys>, stream, 1, static_cast<bf16*>(call.out),
               static_cast<const bf16*>(call.q), partials, shape_of(call, plan), rows_of<bf16>(call));
}

template <int kDim>
void attend_with(cudaStream_t stream, const AttentionCall& call, const AttentionPlan& plan, float* partials) {
  if (plan.tile_rows == kSplitTensorRows) return launch_attend<kDim, true, 1>(stream, call, plan, partials);
  if constexpr (kDim <= kMostDoubledDim) {
    if (plan.tile_rows == 2 * kTensorRows) return launch_attend<kDim, false, 2>(stream, call, plan, partials);
  }
  launch_attend<kDim, false, 1>(stream, call, plan, partials);
}

}  // namespace

bool attends_on_tensor_cores(const AttentionCall& call) {
  const int dim = call.heads.head_dim;
  return call.activation_type == DType::BF16 && call.source.dtype == DType::BF16 &&
         call.source.page_size % kKeys == 0 && (dim == 64 || dim == 80 || dim == 128);
}

void attend_on_tensor_cores(cudaStream_t stream, const AttentionCall& call, const AttentionPlan& plan,
                            float* partials) {
  INFERENCE_CHECK(attends_on_tensor_cores(call), "no tensor cores for heads of ", call.heads.head_dim);
  switch (call.heads.head_dim) {
    case 64:
      attend_with<64>(stream, call, plan, partials);
      break;
    case 80:
      attend_with<80>(stream, call, plan, partials);
      break;
    default:
      attend_with<128>(stream, call, plan, partials);
  }
  if (plan.n_splits > 1) merge_splits(stream, call, plan, partials);
}

}  // namespace inference::ops::cuda
