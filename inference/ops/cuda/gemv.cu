// Few rows times a matrix: a warp per output column or two, 16 bytes of each one's weights per lane and step.

#include "inference/ops/cuda/common.cuh"
#include "inference/ops/cuda/gating.cuh"
#include "inference/ops/cuda/gemm.h"
#include "inference/ops/cuda/overlap.cuh"

namespace inference::ops::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kManyCols = 2;  // outputs of a warp, where there are enough for all multiprocessors
constexpr int kFewestManyCols = 4096;
constexpr int kCtasPerSm = 3;  // M3's 6144 outputs are then one wave

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

// Rows of weights, their scales or null.
template <typename W, int kCols>
struct WeightRows {
  const W* codes[kCols];
  const std::uint8_t* scales[kCols];
};

// sums[c][r] += this lane's part of w_row(c) · x_row(r), for rows x, x + k, … Activations are read once for all c.
template <int kCols, int kRows, typename T, typename W>
__device__ void add_products(float (&sums)[kCols][kRows], const WeightRows<W, kCols>& w, const T* x, int k,
                             int n_rows) {
  constexpr int kStep = kPerLoad<W>;
  const int lane = threadIdx.x % kWarp;
  if (k % kStep != 0) {  // rows that no 16-byte loads fit
    for (int i = lane; i < k; i += kWarp) {
      for (int col = 0; col < kCols; ++col) {
        const float scale = w.scales[col] != nullptr ? e8m0_to_float(w.scales[col][i / kMxGroup]) : 1;
        const float weight = to_float(w.codes[col][i]) * scale;
        for (int row = 0; row < kRows && row < n_rows; ++row)
          sums[col][row] += weight * to_float(x[static_cast<std::int64_t>(row) * k + i]);
      }
    }
    return;
  }
  constexpr int kAhead = 4;  // loads of each row under way together
  for (int first = lane * kStep; first < k; first += kAhead * kWarp * kStep) {
    uint4 raw[kAhead][kCols] = {};
    float scales[kAhead][kCols];
#pragma unroll
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const int i = first + ahead * kWarp * kStep;
#pragma unroll
      for (int col = 0; col < kCols; ++col) {
        scales[ahead][col] = 1;
        if (i >= k) continue;
        raw[ahead][col] = __ldcs(reinterpret_cast<const uint4*>(w.codes[col] + i));
        if (sizeof(W) == 1) scales[ahead][col] = e8m0_to_float(w.scales[col][i / kMxGroup]);
      }
    }
#pragma unroll
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const int i = first + ahead * kWarp * kStep;
      if (i >= k) break;
      float weights[kCols][kStep], values[kStep];
#pragma unroll
      for (int col = 0; col < kCols; ++col) widen<W>(weights[col], raw[ahead][col]);
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        if (row >= n_rows) break;
        load_x(values, x + static_cast<std::int64_t>(row) * k + i);
#pragma unroll
        for (int col = 0; col < kCols; ++col) {
          float part = 0;
#pragma unroll
          for (int j = 0; j < kStep; ++j) part += weights[col][j] * values[j];
          sums[col][row] += scales[ahead][col] * part;
        }
      }
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

// Consecutive rows of the first matrix; behind the last one it is repeated.
template <typename W, int kCols>
__device__ WeightRows<W, kCols> rows_from(const WeightPair& weights, int first, int n, int k) {
  WeightRows<W, kCols> rows;
#pragma unroll
  for (int col = 0; col < kCols; ++col) {
    const int row = min(first + col, n - 1);
    rows.codes[col] = row_of<W>(weights.first, row, k);
    rows.scales[col] = scales_of(weights.first_scales, row, k);
  }
  return rows;
}
// The same row of gate and up.
template <typename W>
__device__ WeightRows<W, 2> rows_of_pair(const WeightPair& weights, int row, int k) {
  return {{row_of<W>(weights.first, row, k), row_of<W>(weights.second, row, k)},
          {scales_of(weights.first_scales, row, k), scales_of(weights.second_scales, row, k)}};
}

// One of a launch's products; CTAs up to end_cta - 1, from where the one before it ends.
struct JointPart {
  void* out;  // [n_rows, n]
  WeightPair weights;
  const float* bias;
  int n;
  unsigned end_cta;
};
struct JointParts {
  JointPart parts[kMostJoint];
};

template <typename Out, typename T, typename W, int kRows, int kCols>
__global__ __launch_bounds__(kWarps* kWarp, kCtasPerSm) void few_rows_kernel(const __grid_constant__ JointParts joint,
                                                                             const T* x,  // [n_rows, k]
                                                                             int k, int n_rows) {
  wait_for_previous();
  allow_next();
  int part = 0;
  unsigned first_cta = 0;
  while (blockIdx.x >= joint.parts[part].end_cta) first_cta = joint.parts[part++].end_cta;
  const WeightPair weights = joint.parts[part].weights;
  const float* bias = joint.parts[part].bias;
  const int n = joint.parts[part].n;
  const int first_col = static_cast<int>((blockIdx.x - first_cta) * kWarps + threadIdx.x / kWarp) * kCols;
  if (first_col >= n) return;
  auto* out = static_cast<Out*>(joint.parts[part].out);
  float sums[kCols][kRows] = {};
  add_products(sums, rows_from<W, kCols>(weights, first_col, n, k), x, k, n_rows);
#pragma unroll
  for (int i = 0; i < kCols; ++i) {
    const int col = first_col + i;
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      const float value = warp_sum(sums[i][row]);
      if (row >= n_rows || col >= n || threadIdx.x % kWarp != 0) continue;
      out[static_cast<std::int64_t>(row) * n + col] = from_float<Out>(value + (bias != nullptr ? bias[col] : 0));
    }
  }
}

template <typename T, typename W, int kRows>
__global__ void few_gated_rows_kernel(T* out,      // [n_rows, n]
                                      const T* x,  // [n_rows, k]
                                      WeightPair weights, Activation activation, int n, int k, int n_rows) {
  const int col = blockIdx.x * kWarps + threadIdx.x / kWarp;
  if (col >= n) return;
  float sums[2][kRows] = {};
  add_products(sums, rows_of_pair<W>(weights, col, k), x, k, n_rows);
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const float value = gated(warp_sum(sums[0][row]), warp_sum(sums[1][row]), activation);
    if (row >= n_rows || threadIdx.x % kWarp != 0) continue;
    out[static_cast<std::int64_t>(row) * n + col] = from_float<T>(value);
  }
}

__device__ int expert_of(const ExpertVectors& e, int token, int i) {
  return i < e.top_k ? e.ids[token * e.top_k + i] : e.n_experts;
}

template <typename T, typename W>
__global__ void expert_gate_up_kernel(T* inner, const T* x, ExpertVectors e, PairRange range, int n, int k) {
  wait_for_previous();
  allow_next();
  const int col = blockIdx.x * kWarps + threadIdx.x / kWarp;
  if (col >= n) return;
  const int token = blockIdx.y / range.count, i = range.first + blockIdx.y % range.count;
  const int pair = token * e.n_pairs + i, expert = expert_of(e, token, i);
  float sums[2][1] = {};
  add_products(sums, rows_of_pair<W>(e.gate_up[expert], col, k), x + static_cast<std::int64_t>(token) * k, k, 1);
  const float value = gated(warp_sum(sums[0][0]), warp_sum(sums[1][0]), e.activation);
  if (threadIdx.x % kWarp == 0) inner[static_cast<std::int64_t>(pair) * n + col] = from_float<T>(value);
}

template <typename T, typename W>
__global__ __launch_bounds__(kWarps* kWarp, kCtasPerSm) void expert_down_kernel(T* out, const T* inner, ExpertVectors e,
                                                                                bool is_added, int n, int k) {
  const int first_col = (blockIdx.x * kWarps + threadIdx.x / kWarp) * kManyCols, token = blockIdx.y;
  if (first_col >= n) return;
  float totals[kManyCols] = {};
  for (int i = 0; i < e.n_pairs; ++i) {
    const float weight = i < e.top_k ? e.expert_weights[token * e.top_k + i] : 1;
    float sums[kManyCols][1] = {};
    add_products(sums, rows_from<W, kManyCols>(e.down[expert_of(e, token, i)], first_col, n, k),
                 inner + static_cast<std::int64_t>(token * e.n_pairs + i) * k, k, 1);
#pragma unroll
    for (int col = 0; col < kManyCols; ++col) totals[col] += weight * sums[col][0];
  }
#pragma unroll
  for (int i = 0; i < kManyCols; ++i) {
    const float total = warp_sum(totals[i]);
    if (threadIdx.x % kWarp != 0 || first_col + i >= n) continue;
    T& to = out[static_cast<std::int64_t>(token) * n + first_col + i];
    to = from_float<T>(is_added ? to_float(to) + total : total);
  }
}

template <typename Out, typename T, typename W, int kRows, int kCols>
void launch_few_rows(cudaStream_t stream, std::span<const Product> products) {
  JointParts joint = {};
  unsigned n_ctas = 0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Product& p = products[i];
    n_ctas += ceil_div(p.out.cols, kWarps * kCols);
    joint.parts[i] = {p.out.data, p.weights, p.bias.data, static_cast<int>(p.out.cols), n_ctas};
  }
  const Tensor x = products[0].x;
  launch_streaming("multiply_few_rows", few_rows_kernel<Out, T, W, kRows, kCols>, n_ctas, kWarps * kWarp, 0, stream,
                   products.size() > 1, joint, static_cast<const T*>(x.data), static_cast<int>(x.cols),
                   static_cast<int>(x.rows));
}

template <typename Out, typename T, typename W>
void launch_few_rows(cudaStream_t stream, std::span<const Product> products) {
  std::int64_t n_cols = 0;
  for (const Product& p : products) n_cols += p.out.cols;
  if (products[0].x.rows > 1) {
    launch_few_rows<Out, T, W, static_cast<int>(kMaxVectorRows), 1>(stream, products);
  } else if (n_cols < kFewestManyCols) {
    launch_few_rows<Out, T, W, 1, 1>(stream, products);
  } else {
    launch_few_rows<Out, T, W, 1, kManyCols>(stream, products);
  }
}

template <typename T, typename W>
void launch_few_gated_rows(cudaStream_t stream, const Product& p) {
  const auto kernel =
      p.x.rows == 1 ? few_gated_rows_kernel<T, W, 1> : few_gated_rows_kernel<T, W, static_cast<int>(kMaxVectorRows)>;
  launch_streaming("multiply_few_rows", kernel, ceil_div(p.out.cols, kWarps), kWarps * kWarp, 0, stream, false,
                   static_cast<T*>(p.out.data), static_cast<const T*>(p.x.data), p.weights, p.activation,
                   static_cast<int>(p.out.cols), static_cast<int>(p.x.cols), static_cast<int>(p.x.rows));
}

}  // namespace

void multiply_few_rows(cudaStream_t stream, const Product& p) {
  INFERENCE_CHECK(p.x.rows <= kMaxVectorRows && p.grouping.weights == nullptr, "too many rows: ", p.x.rows);
  if (!p.is_gated) return multiply_few_rows_jointly(stream, {&p, 1});
  with_float_type(p.x.dtype, [&]<typename T>(T) {
    with_weight_type(p.weight_type, [&]<typename W>(W) { launch_few_gated_rows<T, W>(stream, p); });
  });
}

void multiply_few_rows_jointly(cudaStream_t stream, std::span<const Product> products) {
  INFERENCE_CHECK(!products.empty() && products.size() <= kMostJoint, products.size(), " products in one launch");
  const Product& first = products[0];
  for (const Product& p : products) {
    INFERENCE_CHECK(p.x.rows <= kMaxVectorRows && p.x.data == first.x.data && p.weight_type == first.weight_type &&
                        p.out.dtype == first.out.dtype && !p.is_gated,
                    "products that share no launch");
  }
  with_float_type(first.x.dtype, [&]<typename T>(T) {
    with_weight_type(first.weight_type, [&]<typename W>(W) {
      if (first.out.dtype == DType::F32) {
        launch_few_rows<float, T, W>(stream, products);
      } else {
        launch_few_rows<T, T, W>(stream, products);
      }
    });
  });
}

void expert_gate_up(cudaStream_t stream, Tensor inner, Tensor x, const ExpertVectors& e, PairRange range) {
  const dim3 n_ctas(ceil_div(inner.cols, kWarps), static_cast<unsigned>(x.rows) * static_cast<unsigned>(range.count));
  with_float_type(x.dtype, [&]<typename T>(T) {
    with_weight_type(e.gate_up_type, [&]<typename W>(W) {
      launch_streaming("expert_gate_up", expert_gate_up_kernel<T, W>, n_ctas, kWarps * kWarp, 0, stream,
                       range.first == 0, static_cast<T*>(inner.data), static_cast<const T*>(x.data), e, range,
                       static_cast<int>(inner.cols), static_cast<int>(x.cols));
    });
  });
}

void expert_down(cudaStream_t stream, Tensor out, Tensor inner, const ExpertVectors& e, bool is_added) {
  const dim3 n_ctas(ceil_div(out.cols, kWarps * kManyCols), static_cast<unsigned>(out.rows));
  with_float_type(out.dtype, [&]<typename T>(T) {
    with_weight_type(e.down_type, [&]<typename W>(W) {
      launch_streaming("expert_down", expert_down_kernel<T, W>, n_ctas, kWarps * kWarp, 0, stream, false,
                       static_cast<T*>(out.data), static_cast<const T*>(inner.data), e, is_added,
                       static_cast<int>(out.cols), static_cast<int>(inner.cols));
    });
  });
}

}  // namespace inference::ops::cuda
