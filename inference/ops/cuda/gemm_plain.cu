// Matrix products in fp32 for every combination of types and shapes: tiles of 64 × 64, sixteen columns at a time.

#include "inference/ops/cuda/common.cuh"
#include "inference/ops/cuda/gating.cuh"
#include "inference/ops/cuda/gemm.h"

namespace inference::ops::cuda {
namespace {

constexpr int kTile = kPlainTileRows;  // rows and columns of out per CTA
constexpr int kDepth = 16;             // of k per step
constexpr int kPerThread = 4;          // rows and columns of out per thread
constexpr int kThreads = (kTile / kPerThread) * (kTile / kPerThread);
constexpr int kStride = kTile + 4;

struct Sums {
  float at[kPerThread][kPerThread] = {};
};

// tile[depth][row] = source(row, first + depth)
template <typename Source>
__device__ void load_tile(float (&tile)[kDepth][kStride], const Source& source) {
  for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads)
    tile[i % kDepth][i / kDepth] = source(i / kDepth, i % kDepth);
}

__device__ void add_products(Sums& sums, const float (&x)[kDepth][kStride], const float (&w)[kDepth][kStride], int row,
                             int col) {
#pragma unroll
  for (int d = 0; d < kDepth; ++d) {
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
      for (int j = 0; j < kPerThread; ++j) sums.at[i][j] += x[d][row + i] * w[d][col + j];
    }
  }
}

template <typename W>
__device__ float weight_at(const void* weights, const std::uint8_t* scales, std::int64_t row, int col, int k) {
  const float value = to_float(static_cast<const W*>(weights)[row * k + col]);
  return scales == nullptr ? value : value * e8m0_to_float(scales[row * (k / kMxGroup) + col / kMxGroup]);
}

struct Shape {
  int n_rows, n, k;
};

template <typename Out, typename T, typename W, bool kGated>
__global__ __launch_bounds__(kThreads) void multiply_kernel(Out* out, const T* x, WeightPair weights, const float* bias,
                                                            Activation activation, Grouping grouping, Shape shape) {
  __shared__ float x_tile[kDepth][kStride], w_tile[kDepth][kStride], up_tile[kGated ? kDepth : 1][kStride];
  RowTile tile = {0, static_cast<int>(blockIdx.y) * kTile, shape.n_rows};
  if (grouping.weights != nullptr) {
    if (static_cast<int>(blockIdx.y) >= *grouping.n_tiles) return;
    tile = grouping.tiles[blockIdx.y];
    weights = grouping.weights[tile.group];
  }
  const int first_col = blockIdx.x * kTile;
  const int row = threadIdx.x / (kTile / kPerThread) * kPerThread,
            col = threadIdx.x % (kTile / kPerThread) * kPerThread;
  Sums sums, ups;
  for (int first = 0; first < shape.k; first += kDepth) {
    load_tile(x_tile, [&](int r, int d) {
      const int sorted = tile.first_row + r;
      if (sorted >= tile.end_row || first + d >= shape.k) return 0.0F;
      const std::int64_t source = grouping.row_of != nullptr ? grouping.row_of[sorted] : sorted;
      return to_float(x[source * shape.k + first + d]);
    });
    const auto load_weights = [&](auto& to, const void* data, const std::uint8_t* scales) {
      load_tile(to, [&](int c, int d) {
        if (first_col + c >= shape.n || first + d >= shape.k) return 0.0F;
        return weight_at<W>(data, scales, first_col + c, first + d, shape.k);
      });
    };
    load_weights(w_tile, weights.first, weights.first_scales);
    if constexpr (kGated) load_weights(up_tile, weights.second, weights.second_scales);
    __syncthreads();
    add_products(sums, x_tile, w_tile, row, col);
    if constexpr (kGated) add_products(ups, x_tile, up_tile, row, col);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int out_row = tile.first_row + row + i;
    if (out_row >= tile.end_row) continue;
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) {
      const int out_col = first_col + col + j;
      if (out_col >= shape.n) continue;
      float value = sums.at[i][j];
      if constexpr (kGated) value = gated(value, ups.at[i][j], activation);
      if (bias != nullptr) value += bias[out_col];
      out[static_cast<std::int64_t>(out_row) * shape.n + out_col] = from_float<Out>(value);
    }
  }
}

template <typename Out, typename T, typename W, bool kGated>
void launch_multiply(cudaStream_t stream, const Product& p) {
  const Shape shape = {static_cast<int>(p.out.rows), static_cast<int>(p.out.cols), static_cast<int>(p.x.cols)};
  const unsigned n_row_tiles = p.grouping.weights != nullptr ? p.grouping.max_tiles : ceil_div(shape.n_rows, kTile);
  launch("multiply_plainly", multiply_kernel<Out, T, W, kGated>, dim3(ceil_div(shape.n, kTile), n_row_tiles), kThreads,
         0, stream, static_cast<Out*>(p.out.data), static_cast<const T*>(p.x.data), p.weights, p.bias.data,
         p.activation, p.grouping, shape);
}

}  // namespace

void multiply_plainly(cudaStream_t stream, const Product& p) {
  with_float_type(p.x.dtype, [&]<typename T>(T) {
    with_weight_type(p.weight_type, [&]<typename W>(W) {
      if (p.is_gated) {
        launch_multiply<T, T, W, true>(stream, p);
      } else if (p.out.dtype == DType::F32) {
        launch_multiply<float, T, W, false>(stream, p);
      } else {
        launch_multiply<T, T, W, false>(stream, p);
      }
    });
  });
}

}  // namespace inference::ops::cuda
