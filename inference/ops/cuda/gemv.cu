// Few rows times a matrix: a warp per output element, 16 bytes of weights per lane and step.

#include "inference/ops/cuda/common.cuh"
#include "inference/ops/cuda/gating.cuh"
#include "inference/ops/cuda/gemm.h"

namespace inference::ops::cuda {
namespace {

constexpr int kWarps = 8;

template <typename W>
constexpr int kPerLoad = 16 / sizeof(W);

// 16 bytes of weights as floats.
template <typename W>
__device__ void widen(float (&to)[kPerLoad<W>], uint4 raw) {
  const auto* values = reinterpret_cast<const W*>(&raw);
#pragma unroll
  for (int i = 0; i < kPerLoad<W>; ++i) to[i] = to_float(values[i]);
}
template <>
__device__ void widen<E4m3>(float (&to)[16], uint4 raw) {
  const auto* codes = reinterpret_cast<const __nv_fp8x2_storage_t*>(&raw);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float2 two = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(codes[i], __NV_E4M3)));
    to[2 * i] = two.x;
    to[2 * i + 1] = two.y;
  }
}

// Consecutive activations as floats; x is aligned to what is read.
template <int kCount>
__device__ void load_x(float (&to)[kCount], const float* x) {
#pragma unroll
  for (int i = 0; i < kCount; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(x + i);
    to[i] = four.x, to[i + 1] = four.y, to[i + 2] = four.z, to[i + 3] = four.w;
  }
}
template <int kCount>
__device__ void load_x(float (&to)[kCount], const bf16* x) {
  if constexpr (kCount == 4) {
    const uint2 raw = *reinterpret_cast<const uint2*>(x);
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i] = to_float(reinterpret_cast<const bf16*>(&raw)[i]);
  } else {
#pragma unroll
    for (int i = 0; i < kCount; i += 8) {
      const uint4 raw = *reinterpret_cast<const uint4*>(x + i);
#pragma unroll
      for (int j = 0; j < 8; ++j) to[i + j] = to_float(reinterpret_cast<const bf16*>(&raw)[j]);
    }
  }
}

// sums[r] += this lane's part of w_row · x_row(r), for rows x, x + k, …
template <int kRows, typename T, typename W>
__device__ void add_products(float (&sums)[kRows], const W* w, const std::uint8_t* scales, const T* x, int k,
                             int n_rows) {
  constexpr int kStep = kPerLoad<W>;
  const int lane = threadIdx.x % kWarp;
  if (k % kStep != 0) {  // rows that no 16-byte loads fit
    for (int i = lane; i < k; i += kWarp) {
      const float weight = to_float(w[i]) * (scales != nullptr ? e8m0_to_float(scales[i / kMxGroup]) : 1);
      for (int row = 0; row < kRows && row < n_rows; ++row)
        sums[row] += weight * to_float(x[static_cast<std::int64_t>(row) * k + i]);
    }
    return;
  }
#pragma unroll 4
  for (int i = lane * kStep; i < k; i += kWarp * kStep) {
    float weights[kStep], values[kStep];
    widen<W>(weights, __ldcs(reinterpret_cast<const uint4*>(w + i)));
    const float scale = sizeof(W) == 1 ? e8m0_to_float(scales[i / kMxGroup]) : 1;
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      if (row >= n_rows) break;
      load_x(values, x + static_cast<std::int64_t>(row) * k + i);
      float part = 0;
#pragma unroll
      for (int j = 0; j < kStep; ++j) part += weights[j] * values[j];
      sums[row] += scale * part;
    }
  }
}

template <typename W>
__device__ const W* row_of(const void* weights, std::int64_t row, int k) {
  return static_cast<const W*>(weights) + row * k;
}
__device__ const std::uint8_t* scales_of(const std::uint8_t* scales, std::int64_t row, int k) {
  return scales == nullptr ? nullptr : scales + row * (k / kMxGroup);
}

template <typename Out, typename T, typename W, int kRows, bool kGated>
__global__ void few_rows_kernel(Out* out,    // [n_rows, n]
                                const T* x,  // [n_rows, k]
                                WeightPair weights, const float* bias, Activation activation, int n, int k,
                                int n_rows) {
  const int col = blockIdx.x * kWarps + threadIdx.x / kWarp;
  if (col >= n) return;
  float sums[kRows] = {}, ups[kRows] = {};
  add_products<kRows>(sums, row_of<W>(weights.first, col, k), scales_of(weights.first_scales, col, k), x, k, n_rows);
  if constexpr (kGated) {
    add_products<kRows>(ups, row_of<W>(weights.second, col, k), scales_of(weights.second_scales, col, k), x, k, n_rows);
  }
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    float value = warp_sum(sums[row]);
    if constexpr (kGated) value = gated(value, warp_sum(ups[row]), activation);
    if (row >= n_rows || threadIdx.x % kWarp != 0) continue;
    out[static_cast<std::int64_t>(row) * n + col] = from_float<Out>(value + (bias != nullptr ? bias[col] : 0));
  }
}

template <typename T, typename W>
__global__ void expert_gate_up_kernel(T* inner, const T* x, const WeightPair* experts, const std::int32_t* ids,
                                      int top_k, Activation activation, int n, int k) {
  const int col = blockIdx.x * kWarps + threadIdx.x / kWarp, pair = blockIdx.y;
  if (col >= n) return;
  const WeightPair weights = experts[ids[pair]];
  const T* row = x + static_cast<std::int64_t>(pair / top_k) * k;
  float gate[1] = {}, up[1] = {};
  add_products<1>(gate, row_of<W>(weights.first, col, k), scales_of(weights.first_scales, col, k), row, k, 1);
  add_products<1>(up, row_of<W>(weights.second, col, k), scales_of(weights.second_scales, col, k), row, k, 1);
  const float value = gated(warp_sum(gate[0]), warp_sum(up[0]), activation);
  if (threadIdx.x % kWarp == 0) inner[static_cast<std::int64_t>(pair) * n + col] = from_float<T>(value);
}

template <typename T, typename W>
__global__ void expert_down_kernel(T* out, const T* inner, const WeightPair* experts, const std::int32_t* ids,
                                   const float* expert_weights, int top_k, int n, int k) {
  const int col = blockIdx.x * kWarps + threadIdx.x / kWarp, token = blockIdx.y;
  if (col >= n) return;
  float total = 0;
  for (int i = 0; i < top_k; ++i) {
    const int pair = token * top_k + i;
    const WeightPair weights = experts[ids[pair]];
    float sum[1] = {};
    add_products<1>(sum, row_of<W>(weights.first, col, k), scales_of(weights.first_scales, col, k),
                    inner + static_cast<std::int64_t>(pair) * k, k, 1);
    total += expert_weights[pair] * sum[0];
  }
  total = warp_sum(total);
  if (threadIdx.x % kWarp == 0) out[static_cast<std::int64_t>(token) * n + col] = from_float<T>(total);
}

template <typename Out, typename T, typename W, bool kGated>
void launch_few_rows(cudaStream_t stream, const Product& p) {
  const int n = static_cast<int>(p.out.cols), k = static_cast<int>(p.x.cols), n_rows = static_cast<int>(p.x.rows);
  const auto kernel = n_rows == 1 ? few_rows_kernel<Out, T, W, 1, kGated>
                                  : few_rows_kernel<Out, T, W, static_cast<int>(kMaxVectorRows), kGated>;
  launch("multiply_few_rows", kernel, ceil_div(n, kWarps), kWarps * kWarp, 0, stream, static_cast<Out*>(p.out.data),
         static_cast<const T*>(p.x.data), p.weights, p.bias.data, p.activation, n, k, n_rows);
}

}  // namespace

void multiply_few_rows(cudaStream_t stream, const Product& p) {
  INFERENCE_CHECK(p.x.rows <= kMaxVectorRows && p.grouping.weights == nullptr, "too many rows: ", p.x.rows);
  with_float_type(p.x.dtype, [&]<typename T>(T) {
    with_weight_type(p.weight_type, [&]<typename W>(W) {
      if (p.is_gated) {
        launch_few_rows<T, T, W, true>(stream, p);
      } else if (p.out.dtype == DType::F32) {
        launch_few_rows<float, T, W, false>(stream, p);
      } else {
        launch_few_rows<T, T, W, false>(stream, p);
      }
    });
  });
}

void expert_gate_up(cudaStream_t stream, Tensor inner, Tensor x, const ExpertVectors& e) {
  const dim3 n_ctas(ceil_div(inner.cols, kWarps), static_cast<unsigned>(inner.rows));
  with_float_type(x.dtype, [&]<typename T>(T) {
    with_weight_type(e.gate_up_type, [&]<typename W>(W) {
      launch("expert_gate_up", expert_gate_up_kernel<T, W>, n_ctas, kWarps * kWarp, 0, stream,
             static_cast<T*>(inner.data), static_cast<const T*>(x.data), e.gate_up, e.ids, e.top_k, e.activation,
             static_cast<int>(inner.cols), static_cast<int>(x.cols));
    });
  });
}

void expert_down(cudaStream_t stream, Tensor out, Tensor inner, const ExpertVectors& e) {
  const dim3 n_ctas(ceil_div(out.cols, kWarps), static_cast<unsigned>(out.rows));
  with_float_type(out.dtype, [&]<typename T>(T) {
    with_weight_type(e.down_type, [&]<typename W>(W) {
      launch("expert_down", expert_down_kernel<T, W>, n_ctas, kWarps * kWarp, 0, stream, static_cast<T*>(out.data),
             static_cast<const T*>(inner.data), e.down, e.ids, e.expert_weights, e.top_k, static_cast<int>(out.cols),
             static_cast<int>(inner.cols));
    });
  });
}

}  // namespace inference::ops::cuda
