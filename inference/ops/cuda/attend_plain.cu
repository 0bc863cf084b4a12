// Attention in fp32 for every head_dim up to 256 and every mix of types: a warp's lanes are keys while it scores and
// dimensions while it adds up values. Also how a call is cut, and the merge of its splits.

#include <algorithm>

#include "inference/ops/cuda/attention_rows.cuh"

namespace inference::ops::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kRowsPerWarp = 4;
constexpr int kTileRows = kWarps * kRowsPerWarp;
constexpr int kThreads = kWarps * kWarp;
constexpr int kKeys = kWarp;  // per step
constexpr int kMaxHeadDim = 256;
constexpr int kMaxPerLane = kMaxHeadDim / kWarp;
constexpr std::int64_t kFewestSplitKeys = 64;

// Floats of shared memory: queries, keys and values; rows of keys are one float longer, so that lanes meet no bank
// twice.
int shared_floats(int head_dim) {
  return kTileRows * head_dim + 2 * kKeys * (head_dim + 1);
}

struct RowState {
  float largest = -INFINITY, total = 0;
  float sum[kMaxPerLane] = {};  // of dimensions lane, lane + 32, …
};

// One step of a row's softmax: `score` and `weight` belong to the key of this lane.
__device__ void add_keys(RowState& state, float score, const float* values, int head_dim) {
  const float largest = fmaxf(state.largest, warp_max(score));
  if (largest == -INFINITY) return;
  const float shrink = exp2f(state.largest - largest);
  const float weight = exp2f(score - largest);
  state.largest = largest;
  state.total = state.total * shrink + warp_sum(weight);
#pragma unroll
  for (int i = 0; i < kMaxPerLane; ++i) state.sum[i] *= shrink;
  for (int key = 0; key < kKeys; ++key) {
    const float key_weight = __shfl_sync(kAllLanes, weight, key);
#pragma unroll
    for (int i = 0; i < kMaxPerLane; ++i) {
      const int dim = i * kWarp + threadIdx.x % kWarp;
      if (dim < head_dim) state.sum[i] += key_weight * values[key * (head_dim + 1) + dim];
    }
  }
}

template <typename T>
__device__ void store_row(T* out, float* partials, const AttentionShape& shape, int row, const RowState& state) {
  if (!shape.has_row(row)) return;
  const int lane = threadIdx.x % kWarp;
  float* partial = shape.partial(partials, row);
#pragma unroll
  for (int i = 0; i < kMaxPerLane; ++i) {
    const int dim = i * kWarp + lane;
    if (dim >= shape.head_dim) continue;
    if (shape.n_splits == 1) {
      out[shape.head_row(row) * shape.head_dim + dim] = from_float<T>(state.sum[i] / state.total);
    } else {
      partial[dim] = state.sum[i];
    }
  }
  if (shape.n_splits > 1 && lane == 0) {
    partial[shape.head_dim] = state.largest;
    partial[shape.head_dim + 1] = state.total;
  }
}

template <typename T, typename C>
__global__ __launch_bounds__(kThreads) void attend_kernel(T* out, const T* q, float* partials, AttentionShape shape,
                                                          KeyRows<C> rows) {
  extern __shared__ float shared_floats_of_cta[];
  shape.n_keys += shift_of(shape.shift);
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, dim = shape.head_dim;
  float* queries = shared_floats_of_cta;     // [kTileRows, head_dim]
  float* keys = queries + kTileRows * dim;   // [kKeys, head_dim + 1]
  float* values = keys + kKeys * (dim + 1);  // [kKeys, head_dim + 1]
  for (int i = threadIdx.x; i < kTileRows * dim; i += kThreads)
    queries[i] = to_float(q[shape.head_row(i / dim) * dim + i % dim]);
  __shared__ std::int32_t ids[kMaxChosen + 1];
  const KeyList list = list_keys(shape, ids);
  const int first = blockIdx.z * shape.split_keys, end = min(first + shape.split_keys, list.n_keys);
  const int seen_by_all = shape.visible(kTileRows - 1);
  RowState states[kRowsPerWarp];
  for (int step = first; step < end; step += kKeys) {
    __syncthreads();
    for (int i = threadIdx.x; i < kKeys * dim; i += kThreads) {
      const int key = i / dim, at = key * (dim + 1) + i % dim;
      keys[at] = values[at] = 0;
      if (step + key >= end) continue;
      const KeyList::Place place = list.at(step + key);
      if (place.position >= seen_by_all) continue;  // slots behind the last position hold anything, NaN too
      const auto pair = rows.at(place);
      keys[at] = to_float(pair.key[i % dim]);
      values[at] = to_float(pair.value[i % dim]);
    }
    __syncthreads();
    const int position = step + lane < end ? list.at(step + lane).position : INT32_MAX;
#pragma unroll
    for (int i = 0; i < kRowsPerWarp; ++i) {
      const int row = warp * kRowsPerWarp + i;
      float score = 0;
      for (int d = 0; d < dim; ++d) score += queries[row * dim + d] * keys[lane * (dim + 1) + d];
      add_keys(states[i], position < shape.visible(row) ? score * shape.scale_log2 : -INFINITY, values, dim);
    }
  }
#pragma unroll
  for (int i = 0; i < kRowsPerWarp; ++i) store_row(out, partials, shape, warp * kRowsPerWarp + i, states[i]);
}

// One CTA per query head's row; its threads are first splits, then dimensions.
constexpr int kMergeThreads = 128;
constexpr int kMaxSplits = kMergeThreads;
constexpr int kPartsAtOnce = 64;
template <typename T>
__global__ __launch_bounds__(kMergeThreads) void merge_kernel(T* out, const float* partials, int n_splits,
                                                              int head_dim) {
  __shared__ float largest[kMaxSplits], totals[kMaxSplits], shares[kMaxSplits];
  const int stride = head_dim + 2, i = threadIdx.x;
  const std::int64_t row = blockIdx.x;
  const float* first = partials + row * n_splits * stride;
  allow_next();  // what comes next reads nothing early that attention or a kernel before it writes
  wait_for_previous();
  float parts[kPartsAtOnce];
  const auto load = [&](int dim, int split) {
#pragma unroll
    for (int j = 0; j < kPartsAtOnce; ++j) parts[j] = split + j < n_splits ? first[(split + j) * stride + dim] : 0;
  };
  load(min(i, head_dim - 1), 0);  // under way while shares are made
  if (i < n_splits) {
    largest[i] = first[i * stride + head_dim];
    totals[i] = first[i * stride + head_dim + 1];
  }
  __syncthreads();
  float best = -INFINITY, total = 0;
#pragma unroll 16
  for (int split = 0; split < n_splits; ++split) best = fmaxf(best, largest[split]);
  if (i < n_splits) shares[i] = exp2f(largest[i] - best);
  __syncthreads();
#pragma unroll 16
  for (int split = 0; split < n_splits; ++split) total += shares[split] * totals[split];
  for (int dim = i; dim < head_dim; dim += kMergeThreads) {
    float sum = 0;
    for (int split = 0; split < n_splits; split += kPartsAtOnce) {
      if (dim != i || split > 0) load(dim, split);
#pragma unroll
      for (int j = 0; j < kPartsAtOnce; ++j)
        if (split + j < n_splits) sum += shares[split + j] * parts[j];
    }
    out[row * head_dim + dim] = from_float<T>(sum / total);
  }
}

}  // namespace

AttentionPlan plan_attention(const AttentionCall& call, int n_multiprocessors) {
  INFERENCE_CHECK(call.top_k <= kMaxChosen, "attention over ", call.top_k, " blocks, at most ", kMaxChosen);
  AttentionPlan plan;
  const int group_size = call.heads.q_heads / call.heads.kv_heads;
  const bool is_sparse = call.block_ids != nullptr;
  plan.rows_per_unit = is_sparse ? group_size : call.n_tokens * group_size;
  plan.n_units = is_sparse ? call.n_tokens : 1;
  const auto n_ctas_of = [&](int tile_rows) {
    return plan.n_units * ((plan.rows_per_unit + tile_rows - 1) / tile_rows) * call.heads.kv_heads;
  };
  if (!attends_on_tensor_cores(call)) {
    plan.tile_rows = kTileRows;
  } else if (plan.rows_per_unit <= kSplitTensorRows) {
    plan.tile_rows = kSplitTensorRows;
  } else {
    const bool is_doubled =
        call.heads.head_dim <= kMostDoubledDim && n_ctas_of(2 * kTensorRows) >= 4 * std::int64_t{n_multiprocessors};
    plan.tile_rows = is_doubled ? 2 * kTensorRows : kTensorRows;
  }
  const std::int64_t most_keys = call.replay.end_of(call.n_keys);
  const std::int64_t n_listed = is_sparse ? std::min<std::int64_t>(std::int64_t{call.top_k} * call.source.page_size,
                                                                   (most_keys + call.source.page_size - 1) /
                                                                       call.source.page_size * call.source.page_size)
                                          : most_keys;
  const std::int64_t n_ctas = n_ctas_of(plan.tile_rows);
  const std::int64_t wanted = (2 * n_multiprocessors + n_ctas - 1) / n_ctas;
  const std::int64_t most = std::max<std::int64_t>(1, n_listed / kFewestSplitKeys);
  const std::int64_t n_splits = std::clamp<std::int64_t>(wanted, 1, std::min<std::int64_t>(most, kMaxSplits));
  constexpr std::int64_t kStep = 64;  // splits begin at whole steps of either kernel
  plan.split_keys = (n_listed + n_splits * kStep - 1) / (n_splits * kStep) * kStep;
  plan.n_splits = static_cast<int>(std::max<std::int64_t>(1, (n_listed + plan.split_keys - 1) / plan.split_keys));
  if (plan.n_splits > 1) {
    plan.partial_floats = static_cast<std::size_t>(call.n_tokens * call.heads.q_heads * plan.n_splits) *
                          static_cast<std::size_t>(call.heads.head_dim + 2);
  }
  return plan;
}

void merge_splits(cudaStream_t stream, const AttentionCall& call, const AttentionPlan& plan, const float* partials) {
  const std::int64_t n_rows = call.n_tokens * call.heads.q_heads;
  with_float_type(call.activation_type, [&]<typename T>(T) {
    launch_early("merge_splits", merge_kernel<T>, static_cast<unsigned>(n_rows), kMergeThreads, 0, stream, 1,
                 static_cast<T*>(call.out), partials, plan.n_splits, call.heads.head_dim);
  });
}

void attend_plainly(cudaStream_t stream, const AttentionCall& call, const AttentionPlan& plan, float* partials) {
  INFERENCE_CHECK(call.heads.head_dim <= kMaxHeadDim, "attention of heads of ", call.heads.head_dim, ", at most ",
                  kMaxHeadDim);
  const dim3 n_ctas(static_cast<unsigned>(plan.n_units * plan.tiles_per_unit()),
                    static_cast<unsigned>(call.heads.kv_heads), static_cast<unsigned>(plan.n_splits));
  const std::size_t smem_bytes = static_cast<std::size_t>(shared_floats(call.heads.head_dim)) * sizeof(float);
  with_float_type(call.activation_type, [&]<typename T>(T) {
    with_float_type(call.source.dtype, [&]<typename C>(C) {
      launch("attend_plainly", attend_kernel<T, C>, n_ctas, kThreads, smem_bytes, stream, static_cast<T*>(call.out),
             static_cast<const T*>(call.q), partials, shape_of(call, plan), rows_of<C>(call));
    });
  });
  if (plan.n_splits > 1) merge_splits(stream, call, plan, partials);
}

}  // namespace inference::ops::cuda
