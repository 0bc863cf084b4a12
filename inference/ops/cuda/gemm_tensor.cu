// Matrix products on the tensor cores: CTAs of 128 × 128 (gated: 128 × 64 of both matrices), 64 of k at a time, three
// stages in shared memory. bf16 goes there by asynchronous copies; MXFP8 through registers, where it becomes bf16.

#include "inference/ops/cuda/gating.cuh"
#include "inference/ops/cuda/gemm.h"
#include "inference/ops/cuda/mma.cuh"

namespace inference::ops::cuda {
namespace {

constexpr int kRows = kTensorTileRows;  // of x per CTA
constexpr int kCols = 128;              // of weights per CTA, both matrices of a pair counted
constexpr int kDepth = 64;
constexpr int kStride = kDepth + 8;  // of a row in shared memory: 16 bytes more, so that ldmatrix meets no bank twice
constexpr int kStages = 3;
constexpr int kThreads = 256;
constexpr int kPerCopy = 8;  // bf16 in 16 bytes
constexpr int kCopiesPerRow = kDepth / kPerCopy;
constexpr int kCopiesPerThread = kRows * kCopiesPerRow / kThreads;
constexpr int kCodesPerLoad = 16;
constexpr int kLoadsPerThread = kCols * kDepth / kCodesPerLoad / kThreads;
// A warp computes 64 rows × 32 columns; two rows of four warps.
constexpr int kWarpRows = 64, kWarpCols = 32;
constexpr int kRowParts = kWarpRows / 16, kColParts = kWarpCols / 8;

struct Stage {
  bf16 x[kRows][kStride];
  bf16 w[kCols][kStride];
};

struct Shape {
  int n_rows, n, k;
};

// Where the rows of one CTA's operands begin.
template <typename W, bool kGated>
struct Operands {
  const bf16* x;
  WeightPair weights;
  const std::int32_t* row_of;
  RowTile tile;
  Shape shape;

  __device__ const bf16* x_row(int row) const {
    const int sorted = min(tile.first_row + row, tile.end_row - 1);  // rows past the end are computed and not stored
    return x + static_cast<std::int64_t>(row_of != nullptr ? row_of[sorted] : sorted) * shape.k;
  }
  // Of a gated pair, shared rows 0 … 63 hold the first matrix and 64 … 127 the second.
  __device__ std::int64_t w_row(int row) const {
    const int col = kGated ? blockIdx.x * (kCols / 2) + row % (kCols / 2) : blockIdx.x * kCols + row;
    return min(col, shape.n - 1);
  }
  __device__ bool is_second(int row) const { return kGated && row >= kCols / 2; }
};

template <typename W, bool kGated>
__device__ void copy_x(Stage& stage, const Operands<W, kGated>& o, int first) {
#pragma unroll
  for (int i = 0; i < kCopiesPerThread; ++i) {
    const int copy = threadIdx.x + i * kThreads, row = copy / kCopiesPerRow, k = copy % kCopiesPerRow * kPerCopy;
    const bool is_there = first + k < o.shape.k;
    copy_async(&stage.x[row][k], o.x_row(row) + (is_there ? first + k : 0), is_there);
  }
}

template <bool kGated>
__device__ void copy_weights(Stage& stage, const Operands<bf16, kGated>& o, int first) {
#pragma unroll
  for (int i = 0; i < kCopiesPerThread; ++i) {
    const int copy = threadIdx.x + i * kThreads, row = copy / kCopiesPerRow, k = copy % kCopiesPerRow * kPerCopy;
    const bool is_there = first + k < o.shape.k;
    const auto* w = static_cast<const bf16*>(o.is_second(row) ? o.weights.second : o.weights.first);
    copy_async(&stage.w[row][k], w + o.w_row(row) * o.shape.k + (is_there ? first + k : 0), is_there);
  }
}

// A thread's share of a stage's MXFP8 weights, on its way through registers.
struct Codes {
  uint4 codes[kLoadsPerThread];
  std::uint8_t scales[kLoadsPerThread];
};

template <bool kGated>
__device__ Codes load_codes(const Operands<E4m3, kGated>& o, int first) {
  Codes loaded;
#pragma unroll
  for (int i = 0; i < kLoadsPerThread; ++i) {
    const int load = threadIdx.x + i * kThreads, row = load / (kDepth / kCodesPerLoad);
    const int k = first + load % (kDepth / kCodesPerLoad) * kCodesPerLoad;
    const bool second = o.is_second(row), is_there = k < o.shape.k;
    const auto* w = static_cast<const std::uint8_t*>(second ? o.weights.second : o.weights.first);
    const std::uint8_t* scales = second ? o.weights.second_scales : o.weights.first_scales;
    const std::int64_t at = o.w_row(row) * o.shape.k + k;
    loaded.codes[i] = is_there ? *reinterpret_cast<const uint4*>(w + at) : uint4{};
    loaded.scales[i] = is_there ? scales[at / kMxGroup] : 127;
  }
  return loaded;
}

// code · 2^(scale - 127) as bf16. A code has 3 bits of mantissa, so nothing is rounded.
__device__ inline void store_codes(Stage& stage, const Codes& loaded) {
#pragma unroll
  for (int i = 0; i < kLoadsPerThread; ++i) {
    const int load = threadIdx.x + i * kThreads, row = load / (kDepth / kCodesPerLoad);
    const int k = load % (kDepth / kCodesPerLoad) * kCodesPerLoad;
    const auto* pairs = reinterpret_cast<const __nv_fp8x2_storage_t*>(&loaded.codes[i]);
    const float scale = e8m0_to_float(loaded.scales[i]);
    std::uint32_t wide[kCodesPerLoad / 2];
#pragma unroll
    for (int j = 0; j < kCodesPerLoad / 2; ++j) {
      const float2 two = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(pairs[j], __NV_E4M3)));
      wide[j] = pack(two.x * scale, two.y * scale);
    }
    auto* to = reinterpret_cast<uint4*>(&stage.w[row][k]);
    to[0] = {wide[0], wide[1], wide[2], wide[3]};
    to[1] = {wide[4], wide[5], wide[6], wide[7]};
  }
}

using Sums = float[kRowParts][kColParts][4];

// The row of shared weights where a warp's n-th part of 8 columns begins. A gated warp has two parts of each matrix, so
// that gate and up of a column meet in one thread.
template <bool kGated>
__device__ int part_row(int warp_col, int part) {
  if (!kGated) return warp_col * kWarpCols + part * 8;
  return part / 2 * (kCols / 2) + warp_col * (kWarpCols / 2) + part % 2 * 8;
}

template <bool kGated>
__device__ void multiply_stage(Sums& sums, const Stage& stage) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const int warp_row = warp / 4 * kWarpRows, warp_col = warp % 4;
#pragma unroll
  for (int k = 0; k < kDepth; k += 16) {
    std::uint32_t x[kRowParts][4], w[kColParts / 2][4];
#pragma unroll
    for (int i = 0; i < kRowParts; ++i) load_matrices(x[i], &stage.x[warp_row + i * 16 + lane % 16][k + lane / 16 * 8]);
#pragma unroll
    for (int j = 0; j < kColParts / 2; ++j) {
      const int row = part_row<kGated>(warp_col, 2 * j) + lane % 8 + lane / 16 * 8;
      load_matrices(w[j], &stage.w[row][k + lane / 8 % 2 * 8]);
    }
#pragma unroll
    for (int i = 0; i < kRowParts; ++i) {
#pragma unroll
      for (int j = 0; j < kColParts; ++j) multiply_add(sums[i][j], x[i], w[j / 2][j % 2 * 2], w[j / 2][j % 2 * 2 + 1]);
    }
  }
}

template <typename Out, bool kGated>
__device__ void store(Out* out, const Sums& sums, const RowTile& tile, const Shape& shape, const float* bias,
                      const Activation& activation) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
#pragma unroll
  for (int i = 0; i < kRowParts; ++i) {
#pragma unroll
    for (int j = 0; j < (kGated ? kColParts / 2 : kColParts); ++j) {
      const int first_col = kGated ? blockIdx.x * (kCols / 2) : blockIdx.x * kCols;
      const int col = first_col + part_row<kGated>(warp % 4, j) + lane % 4 * 2;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int row = tile.first_row + warp / 4 * kWarpRows + i * 16 + lane / 4 + e / 2 * 8;
        if (row >= tile.end_row || col + e % 2 >= shape.n) continue;
        float value = sums[i][j][e];
        if constexpr (kGated) value = gated(value, sums[i][j + kColParts / 2][e], activation);
        if (bias != nullptr) value += bias[col + e % 2];
        out[static_cast<std::int64_t>(row) * shape.n + col + e % 2] = from_float<Out>(value);
      }
    }
  }
}

template <typename Out, typename W, bool kGated>
__global__ __launch_bounds__(kThreads) void multiply_kernel(Out* out, const bf16* x, WeightPair weights,
                                                            const float* bias, Activation activation, Grouping grouping,
                                                            Shape shape) {
  extern __shared__ __align__(16) std::uint8_t shared[];
  auto* stages = reinterpret_cast<Stage*>(shared);
  constexpr bool kHasCodes = sizeof(W) == 1;
  RowTile tile = {0, static_cast<int>(blockIdx.y) * kRows, shape.n_rows};
  if (grouping.weights != nullptr) {
    if (static_cast<int>(blockIdx.y) >= *grouping.n_tiles) return;
    tile = grouping.tiles[blockIdx.y];
    weights = grouping.weights[tile.group];
  }
  const Operands<W, kGated> operands = {x, weights, grouping.row_of, tile, shape};
  const int n_steps = (shape.k + kDepth - 1) / kDepth;
  for (int step = 0; step < kStages - 1; ++step) {
    if (step < n_steps) {
      copy_x(stages[step], operands, step * kDepth);
      if constexpr (kHasCodes) {
        store_codes(stages[step], load_codes(operands, step * kDepth));
      } else {
        copy_weights(stages[step], operands, step * kDepth);
      }
    }
    commit_copies();
  }
  Sums sums = {};
  for (int step = 0; step < n_steps; ++step) {
    wait_copies<kStages - 2>();
    __syncthreads();
    // The stage that is filled now was read in the last step, which every thread has left.
    const int coming = step + kStages - 1;
    Stage& free_stage = stages[coming % kStages];
    Codes codes;
    if (coming < n_steps) {
      copy_x(free_stage, operands, coming * kDepth);
      if constexpr (kHasCodes) {
        codes = load_codes(operands, coming * kDepth);
      } else {
        copy_weights(free_stage, operands, coming * kDepth);
      }
    }
    commit_copies();
    multiply_stage<kGated>(sums, stages[step % kStages]);
    if constexpr (kHasCodes) {
      if (coming < n_steps) store_codes(free_stage, codes);
    }
  }
  store<Out, kGated>(out, sums, tile, shape, bias, activation);
}

template <typename Out, typename W, bool kGated>
void launch_multiply(cudaStream_t stream, const Product& p) {
  const Shape shape = {static_cast<int>(p.out.rows), static_cast<int>(p.out.cols), static_cast<int>(p.x.cols)};
  const unsigned n_row_tiles = p.grouping.weights != nullptr ? p.grouping.max_tiles : ceil_div(shape.n_rows, kRows);
  const dim3 n_ctas(ceil_div(shape.n, kGated ? kCols / 2 : kCols), n_row_tiles);
  launch("multiply_on_tensor_cores", multiply_kernel<Out, W, kGated>, n_ctas, kThreads, kStages * sizeof(Stage), stream,
         static_cast<Out*>(p.out.data), static_cast<const bf16*>(p.x.data), p.weights, p.bias.data, p.activation,
         p.grouping, shape);
}

template <typename W>
void multiply_with(cudaStream_t stream, const Product& p) {
  if (p.is_gated) {
    launch_multiply<bf16, W, true>(stream, p);
  } else if (p.out.dtype == DType::F32) {
    launch_multiply<float, W, false>(stream, p);
  } else {
    launch_multiply<bf16, W, false>(stream, p);
  }
}

}  // namespace

bool fits_tensor_cores(DType x_type, DType weight_type, std::int64_t k) {
  return x_type == DType::BF16 && k % kPerCopy == 0 && (weight_type == DType::BF16 || weight_type == DType::F8E4M3);
}

void multiply_on_tensor_cores(cudaStream_t stream, const Product& p) {
  INFERENCE_CHECK(fits_tensor_cores(p.x.dtype, p.weight_type, p.x.cols), "no tensor cores for ",
                  dtype_name(p.weight_type), " with ", p.x.cols, " columns");
  if (p.weight_type == DType::BF16) {
    multiply_with<bf16>(stream, p);
  } else {
    multiply_with<E4m3>(stream, p);
  }
}

}  // namespace inference::ops::cuda
