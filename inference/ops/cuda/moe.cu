#include "inference/ops/cuda/common.cuh"
#include "inference/ops/cuda/gating.cuh"
#include "inference/ops/cuda/moe.h"
#include "inference/ops/cuda/overlap.cuh"

namespace inference::ops::cuda {
namespace {

constexpr int kThreads = 256, kPlaceThreads = 1024;

struct Choices {
  std::int32_t* ids;  // [n_tokens, top_k]
  float* weights;     // [n_tokens, top_k]
  const float* bias;  // [n_experts] or null
  int n_experts, top_k;
  float scaling;
};

// By one warp; `scores` [2, n_experts] in shared memory. Ranks are by (score + bias, lower expert first), so each round
// takes the best that the last winner beats.
__device__ void choose_experts_of(const Choices& c, std::int64_t token, const float* logits, float* scores) {
  float* ranks = scores + c.n_experts;
  const int lane = threadIdx.x % kWarp;
  for (int expert = lane; expert < c.n_experts; expert += kWarp) {
    scores[expert] = 1 / (1 + expf(-__ldcg(&logits[token * c.n_experts + expert])));
    ranks[expert] = scores[expert] + (c.bias != nullptr ? c.bias[expert] : 0);
  }
  __syncwarp();
  float last = INFINITY, total = 0;
  int last_expert = -1;
  for (int i = 0; i < c.top_k; ++i) {
    float best = -INFINITY;
    int best_expert = c.n_experts;
    for (int expert = lane; expert < c.n_experts; expert += kWarp) {
      const float rank = ranks[expert];
      const bool is_left = rank < last || (rank == last && expert > last_expert);
      if (is_left && (rank > best || best_expert == c.n_experts)) best = rank, best_expert = expert;
    }
    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
      const float other = __shfl_xor_sync(kAllLanes, best, offset);
      const int other_expert = __shfl_xor_sync(kAllLanes, best_expert, offset);
      if (other > best || (other == best && other_expert < best_expert)) best = other, best_expert = other_expert;
    }
    last = best;
    last_expert = min(best_expert, c.n_experts - 1);  // NaN logits rank nowhere; any expert is as good
    total += scores[last_expert];
    if (lane == 0) c.ids[token * c.top_k + i] = last_expert;
  }
  __syncwarp();
  for (int i = lane; i < c.top_k; i += kWarp)
    c.weights[token * c.top_k + i] = scores[c.ids[token * c.top_k + i]] / total * c.scaling;
}

// One warp per token.
__global__ void choose_experts_kernel(Choices choices, const float* logits) {
  extern __shared__ float scores[];
  choose_experts_of(choices, blockIdx.x, logits, scores);
}

// One CTA per expert (x) and token (y); a token's last one to finish chooses.
template <typename T, typename W>
__global__ __launch_bounds__(kThreads) void rate_experts_kernel(Choices choices, float* logits, unsigned* n_rated,
                                                                const T* x, const W* router, int k) {
  extern __shared__ float scores[];
  __shared__ bool is_last;
  wait_for_previous();
  allow_next();
  const std::int64_t token = blockIdx.y;
  const T* values = x + token * k;
  const W* weights = router + static_cast<std::int64_t>(blockIdx.x) * k;
  float sum = 0;
#pragma unroll 8
  for (int i = threadIdx.x; i < k; i += kThreads) sum += to_float(values[i]) * to_float(weights[i]);
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    logits[token * choices.n_experts + blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(&n_rated[token], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x >= kWarp) return;
  __threadfence();
  choose_experts_of(choices, token, logits, scores);
  if (threadIdx.x == 0) n_rated[token] = 0;
}

Choices choices_of(Tensor expert_ids, Tensor expert_weights, int n_experts, Vector bias, float scaling) {
  return {expert_ids.i32(), expert_weights.f32(), bias.data, n_experts, static_cast<int>(expert_ids.cols), scaling};
}

std::size_t score_bytes(int n_experts) {
  return 2 * static_cast<std::size_t>(n_experts) * sizeof(float);
}

// One CTA counts the pairs of each expert and lays out rows and tiles.
__global__ void count_kernel(ExpertOrder order, const std::int32_t* ids, int n_pairs, int n_experts, int tile_rows) {
  extern __shared__ std::int32_t counts[];  // [n_experts]
  for (int expert = threadIdx.x; expert < n_experts; expert += blockDim.x) counts[expert] = 0;
  __syncthreads();
  for (int pair = threadIdx.x; pair < n_pairs; pair += blockDim.x) atomicAdd(&counts[ids[pair]], 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  int row = 0, n_tiles = 0;
  for (int expert = 0; expert < n_experts; ++expert) {
    const int end = row + counts[expert];
    for (int first = row; first < end; first += tile_rows)
      order.tiles[n_tiles++] = {expert, first, min(first + tile_rows, end)};
    order.expert_ends[expert] = row = end;
  }
  *order.n_tiles = n_tiles;
}

// One CTA per expert, whose warps walk a part of all pairs each: first to count, then to place them, so that an
// expert's rows keep the tokens' order.
__global__ __launch_bounds__(kPlaceThreads) void place_kernel(ExpertOrder order, const std::int32_t* ids, int n_pairs,
                                                              int top_k) {
  __shared__ int counts[kPlaceThreads / kWarp];  // of the warps
  const int expert = blockIdx.x, warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const int n_steps = (n_pairs + kPlaceThreads - 1) / kPlaceThreads, first_pair = warp * n_steps * kWarp;
  const auto is_mine = [&](int step) {
    const int pair = first_pair + step * kWarp + lane;
    return pair < n_pairs && ids[pair] == expert;
  };
  int count = 0;
#pragma unroll 8
  for (int step = 0; step < n_steps; ++step) count += is_mine(step);
  count = __reduce_add_sync(kAllLanes, count);
  if (lane == 0) counts[warp] = count;
  __syncthreads();
  int row = expert == 0 ? 0 : order.expert_ends[expert - 1];
  row += __reduce_add_sync(kAllLanes, lane < warp ? counts[lane] : 0);
#pragma unroll 8
  for (int step = 0; step < n_steps; ++step) {
    const bool is_here = is_mine(step);
    const unsigned here = __ballot_sync(kAllLanes, is_here);
    if (is_here) {
      const int pair = first_pair + step * kWarp + lane, at = row + __popc(here & ((1U << lane) - 1));
      order.token_of[at] = pair / top_k;
      order.sorted_row[pair] = at;
    }
    row += __popc(here);
  }
}

template <typename T>
__global__ void add_experts_kernel(T* out, bool is_added, const float* results, const std::int32_t* sorted_row,
                                   const float* expert_weights, int top_k, int cols) {
  const std::int64_t token = blockIdx.x;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    float sum = is_added ? to_float(out[token * cols + col]) : 0;
    for (int i = 0; i < top_k; ++i) {
      const std::int64_t pair = token * top_k + i;
      sum += expert_weights[pair] * results[static_cast<std::int64_t>(sorted_row[pair]) * cols + col];
    }
    out[token * cols + col] = from_float<T>(sum);
  }
}

template <typename T>
__global__ void gate_kernel(T* gate, const T* up, Activation activation, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) gate[i] = from_float<T>(gated(to_float(gate[i]), to_float(up[i]), activation));
}

}  // namespace

void rate_and_choose_experts(cudaStream_t stream, Tensor expert_ids, Tensor expert_weights, Tensor x,
                             const Router& router, float* logits, unsigned* n_rated) {
  const auto n_experts = static_cast<int>(router.weights.rows);
  const dim3 n_ctas(static_cast<unsigned>(n_experts), static_cast<unsigned>(x.rows));
  const Choices choices = choices_of(expert_ids, expert_weights, n_experts, router.bias, router.scaling);
  with_float_type(x.dtype, [&]<typename T>(T) {
    with_weight_type(router.weights.dtype, [&]<typename W>(W) {
      launch_streaming("rate_experts", rate_experts_kernel<T, W>, n_ctas, kThreads, score_bytes(n_experts), stream,
                       true, choices, logits, n_rated, static_cast<const T*>(x.data),
                       static_cast<const W*>(router.weights.data), static_cast<int>(x.cols));
    });
  });
}

void choose_experts(cudaStream_t stream, Tensor expert_ids, Tensor expert_weights, const float* logits, int n_experts,
                    Vector bias, float scaling) {
  launch("choose_experts", choose_experts_kernel, static_cast<unsigned>(expert_ids.rows), kWarp, score_bytes(n_experts),
         stream, choices_of(expert_ids, expert_weights, n_experts, bias, scaling), logits);
}

void sort_by_expert(cudaStream_t stream, const ExpertOrder& order, Tensor expert_ids, int n_experts, int tile_rows) {
  const int n_pairs = static_cast<int>(expert_ids.rows * expert_ids.cols);
  launch("count_experts", count_kernel, 1, 1024, static_cast<std::size_t>(n_experts) * sizeof(std::int32_t), stream,
         order, expert_ids.i32(), n_pairs, n_experts, tile_rows);
  launch("place_tokens", place_kernel, static_cast<unsigned>(n_experts), kPlaceThreads, 0, stream, order,
         expert_ids.i32(), n_pairs, static_cast<int>(expert_ids.cols));
}

void add_experts(cudaStream_t stream, Tensor out, bool is_added, const float* results, const ExpertOrder& order,
                 Tensor expert_weights) {
  with_float_type(out.dtype, [&]<typename T>(T) {
    launch("add_experts", add_experts_kernel<T>, static_cast<unsigned>(out.rows), kThreads, 0, stream,
           static_cast<T*>(out.data), is_added, results, order.sorted_row, expert_weights.f32(),
           static_cast<int>(expert_weights.cols), static_cast<int>(out.cols));
  });
}

void gate_rows(cudaStream_t stream, Tensor gate, Tensor up, const Activation& activation) {
  const std::int64_t n = gate.rows * gate.cols;
  with_float_type(gate.dtype, [&]<typename T>(T) {
    launch("gate_rows", gate_kernel<T>, ceil_div(n, kThreads), kThreads, 0, stream, static_cast<T*>(gate.data),
           static_cast<const T*>(up.data), activation, n);
  });
}

}  // namespace inference::ops::cuda
