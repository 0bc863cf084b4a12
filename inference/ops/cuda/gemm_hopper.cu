// Products of many bf16 rows with MXFP8 weights on Hopper, for one matrix, a gated pair or experts. A CTA computes 128
// rows × 256 weight rows (gated: 128 of both matrices), 64 of k at a time. One warpgroup copies rows and codes to
// shared memory; two take 128 weight rows each: codes become bf16 in registers, as wgmma's first operand, while the
// products of the codes before are under way.

#include "inference/ops/cuda/gating.cuh"
#include "inference/ops/cuda/gemm.h"
#include "inference/ops/cuda/hopper.cuh"

namespace inference::ops::cuda {
namespace {

using namespace hopper;

constexpr int kRows = kTensorTileRows;  // of x per CTA
constexpr int kWeights = 256;           // rows of weights per CTA, both matrices of a pair counted
constexpr int kDepth = 64;
constexpr int kConsumers = 2;
constexpr int kThreads = (1 + kConsumers) * kGroup;
constexpr int kStages = 5;
constexpr int kXBytes = kRows * kDepth * 2;
constexpr int kCodeStride = kDepth + 16;  // of a weight row in shared memory: lanes of 8 rows meet no bank twice
constexpr int kStageBytes = kXBytes + kWeights * kCodeStride;
constexpr int kOutStride = kWeights + 4;  // of a row of sums in shared memory: a warp's stores meet no bank twice
constexpr int kRowGroup = 16;             // row tiles that CTAs started together share
constexpr std::size_t kSharedBytes = kStages * kStageBytes + 1024;
static_assert(kXBytes == kHalfBytes && kStageBytes % 1024 == 0);
static_assert(kRows * kOutStride * sizeof(float) <= kStages * kStageBytes);

struct Shape {
  int n_rows, n, k, n_row_tiles;
};

// One CTA's operands.
struct Operands {
  const bf16* x;
  WeightPair weights;
  const std::int32_t* row_of;
  RowTile tile;
  int first_col;  // of out
  Shape shape;
};

// Shared weight row r's row of its matrix. Of a gated pair, every 16 rows hold 8 of the first matrix and the same 8 of
// the second, so that gate and up of a column meet in one thread.
template <bool kGated>
__device__ int weight_row(const Operands& o, int r) {
  return min(o.first_col + (kGated ? r / 16 * 8 + r % 8 : r), o.shape.n - 1);
}
template <bool kGated>
__device__ bool is_second(int r) {
  return kGated && r % 16 >= 8;
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

struct Barriers {
  std::uint64_t full[kStages], empty[kStages];
};

// --- the copying warpgroup ---

template <bool kGated>
__device__ void run_producer(std::uint8_t* stages, Barriers& barriers, const Operands& o) {
  constexpr int kXCopies = kXBytes / 16 / kGroup, kCodeCopies = kWeights * kDepth / 16 / kGroup;
  constexpr int kBehind = 2;  // copies under way when one is handed over
  const int x_part = threadIdx.x % 8, code_part = threadIdx.x % 4;
  int x_rows[kXCopies];
#pragma unroll
  for (int i = 0; i < kXCopies; ++i) {
    const int sorted = min(o.tile.first_row + static_cast<int>(threadIdx.x) / 8 + i * 16, o.tile.end_row - 1);
    x_rows[i] = o.row_of != nullptr ? o.row_of[sorted] : sorted;
  }
  const auto* codes =
      static_cast<const std::uint8_t*>(is_second<kGated>(threadIdx.x / 4) ? o.weights.second : o.weights.first);
  const int n_steps = (o.shape.k + kDepth - 1) / kDepth;
  for (int step = 0; step < n_steps + kBehind; ++step) {
    if (step < n_steps) {
      if (step >= kStages) wait(&barriers.empty[step % kStages], parity(step - kStages, kStages));
      std::uint8_t* stage = stages + step % kStages * kStageBytes;
      const int x_k = step * kDepth + x_part * 8, code_k = step * kDepth + code_part * 16;
      const bool has_x = x_k < o.shape.k, has_codes = code_k < o.shape.k;
#pragma unroll
      for (int i = 0; i < kXCopies; ++i) {
        const int row = threadIdx.x / 8 + i * 16;
        copy_async(stage + row * 128 + (x_part ^ row % 8) * 16,
                   o.x + static_cast<std::int64_t>(x_rows[i]) * o.shape.k + (has_x ? x_k : 0), has_x);
      }
#pragma unroll
      for (int i = 0; i < kCodeCopies; ++i) {
        const int row = threadIdx.x / 4 + i * 32;
        copy_async(stage + kXBytes + row * kCodeStride + code_part * 16,
                   codes + static_cast<std::int64_t>(weight_row<kGated>(o, row)) * o.shape.k + (has_codes ? code_k : 0),
                   has_codes);
      }
    }
    commit_copies();
    if (step < kBehind) continue;
    wait_copies<kBehind>();
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // wgmma reads what ordinary copies wrote
    arrive(&barriers.full[(step - kBehind) % kStages]);
  }
}

// --- the computing warpgroups ---

// Two codes times 2^(scale - 127) as bf16, exactly; NaN stays NaN.
__device__ std::uint32_t widen(std::uint16_t codes, std::uint32_t scale_factors) {
  const float2 two = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(codes, __NV_E4M3)));
  std::uint32_t product;
  asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(product) : "r"(pack(two.x, two.y)), "r"(scale_factors));
  return product;
}

// E8M0 as two equal bf16; code 0 is a subnormal.
__device__ std::uint32_t factors_of(std::uint32_t scale) {
  return max(scale << 7, 0x40U) * 0x10001U;
}

// A thread's scales of one step: of the two rows of each of two row parts.
struct Scales {
  std::uint32_t of_row[2][2];  // low byte: the first 32 of k
};

template <bool kGated>
__device__ Scales load_scales(const Operands& o, int weight_part, int step) {
  const int n_groups = o.shape.k / kMxGroup, first = step * kDepth / kMxGroup;
  const int warp = threadIdx.x % kGroup / kWarp, g = threadIdx.x % kWarp / 4;
  Scales loaded;
#pragma unroll
  for (int part = 0; part < 2; ++part) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = weight_part + part * 64 + warp * 16 + g + 8 * r;
      const std::uint8_t* scales = is_second<kGated>(row) ? o.weights.second_scales : o.weights.first_scales;
      scales += static_cast<std::int64_t>(weight_row<kGated>(o, row)) * n_groups;
      loaded.of_row[part][r] = scales[min(first, n_groups - 1)] | scales[min(first + 1, n_groups - 1)] << 8;
    }
  }
  return loaded;
}

// A 64 × 16 part of the weights as wgmma takes it.
__device__ void load_weights(std::uint32_t (&a)[4], const std::uint8_t* codes, const std::uint32_t (&scales)[2],
                             int k) {
  const int t = threadIdx.x % 4;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const auto* two = reinterpret_cast<const std::uint16_t*>(codes + e % 2 * 8 * kCodeStride + k + e / 2 * 8 + 2 * t);
    a[e] = widen(*two, factors_of(scales[e % 2] >> (k >= kMxGroup ? 8 : 0) & 0xFF));
  }
}

// Sums go to shared memory as they are: ptxas moves arithmetic, but no stores, above the wait for the last products.
template <typename Out, bool kGated>
__device__ void store_results(Out* out, float* results, const float (&sums)[2][64], const Operands& o,
                              const float* bias, const Activation& activation) {
  constexpr int kCols = kGated ? kWeights / 2 : kWeights;
  const int group = threadIdx.x / kGroup - 1, warp = threadIdx.x % kGroup / kWarp, lane = threadIdx.x % kWarp;
  const int g = lane / 4, t = lane % 4;
  asm volatile("bar.sync 1, %0;" ::"n"(kConsumers * kGroup) : "memory");  // both have read their last stage
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    const int first = group * 128 + part * 64 + warp * 16;  // shared weight row
#pragma unroll
    for (int j = 0; j < kRows / 8; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float* row = results + (j * 8 + 2 * t + e) * kOutStride;
        row[first + g] = sums[part][4 * j + e];
        row[first + g + 8] = sums[part][4 * j + 2 + e];
      }
    }
  }
  asm volatile("bar.sync 1, %0;" ::"n"(kConsumers * kGroup) : "memory");
  const int n_rows = o.tile.end_row - o.tile.first_row;
  for (int i = threadIdx.x - kGroup; i < n_rows * kCols; i += kConsumers * kGroup) {
    const int row = i / kCols, col = i % kCols;
    if (o.first_col + col >= o.shape.n) continue;
    const float* sum = results + row * kOutStride + (kGated ? col / 8 * 16 + col % 8 : col);
    float value = kGated ? gated(sum[0], sum[8], activation) : *sum;
    if (bias != nullptr) value += bias[o.first_col + col];
    out[static_cast<std::int64_t>(o.tile.first_row + row) * o.shape.n + o.first_col + col] = from_float<Out>(value);
  }
}

template <typename Out, bool kGated>
__device__ void run_consumer(Out* out, std::uint8_t* stages, Barriers& barriers, const Operands& o, const float* bias,
                             const Activation& activation) {
  const int group = threadIdx.x / kGroup - 1, warp = threadIdx.x % kGroup / kWarp, g = threadIdx.x % kWarp / 4;
  const int n_steps = (o.shape.k + kDepth - 1) / kDepth;
  float sums[2][64];
  std::uint32_t a[2][2][4];  // [k parts by turns][row parts]
  Scales coming = load_scales<kGated>(o, group * 128, 0);
  for (int step = 0; step < n_steps; ++step) {
    const std::uint8_t* stage = stages + step % kStages * kStageBytes;
    const std::uint8_t* codes = stage + kXBytes + (group * 128 + warp * 16 + g) * kCodeStride;
    const Scales scales = coming;
    if (step + 1 < n_steps) coming = load_scales<kGated>(o, group * 128, step + 1);
    wait(&barriers.full[step % kStages], parity(step, kStages));
#pragma unroll
    for (int i = 0; i < kDepth / 16; ++i) {
#pragma unroll
      for (int part = 0; part < 2; ++part)
        load_weights(a[i % 2][part], codes + part * 64 * kCodeStride, scales.of_row[part], i * 16);
      begin_products();
      constexpr int kStep = 32 >> 4;  // 16 of k, in the descriptor's unit
#pragma unroll
      for (int part = 0; part < 2; ++part)
        multiply_group<0>(sums[part], a[i % 2][part], descriptor(stage, 16) + i * kStep, step + i > 0);
      end_group();
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");  // the other half of `a` is free again
      if (i == 0 && step > 0) arrive(&barriers.empty[(step - 1) % kStages]);
    }
  }
  wait_products<0>(sums[0]);
  settle(sums[1]);
  store_results<Out, kGated>(out, reinterpret_cast<float*>(stages), sums, o, bias, activation);
}

#endif  // __CUDA_ARCH_FEAT_SM90_ALL

template <typename Out, bool kGated>
__global__ __launch_bounds__(kThreads, 1) void multiply_kernel(Out* out, const bf16* x, WeightPair weights,
                                                               const float* bias, Activation activation,
                                                               Grouping grouping, Shape shape) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL  // never launched on other GPUs, for which wgmma does not compile
  extern __shared__ std::uint8_t dynamic[];
  __shared__ Barriers barriers;
  auto* stages = reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(dynamic) + 1023) / 1024 * 1024);
  constexpr int kCols = kGated ? kWeights / 2 : kWeights;
  // CTAs that run together share kRowGroup row tiles, whose rows stay in the L2 while all weights pass.
  const int n_col_tiles = (shape.n + kCols - 1) / kCols, per_group = kRowGroup * n_col_tiles;
  const int row_tile = static_cast<int>(blockIdx.x) / per_group * kRowGroup + static_cast<int>(blockIdx.x) % kRowGroup;
  if (row_tile >= (grouping.weights != nullptr ? *grouping.n_tiles : shape.n_row_tiles)) return;
  Operands operands = {x,
                       weights,
                       grouping.row_of,
                       {0, row_tile * kRows, min((row_tile + 1) * kRows, shape.n_rows)},
                       static_cast<int>(blockIdx.x) % per_group / kRowGroup * kCols,
                       shape};
  if (grouping.weights != nullptr) {
    operands.tile = grouping.tiles[row_tile];
    operands.weights = grouping.weights[operands.tile.group];
  }
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init_barrier(&barriers.full[i], kGroup);
      init_barrier(&barriers.empty[i], kConsumers * kGroup);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x < kGroup) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
    run_producer<kGated>(stages, barriers, operands);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
    run_consumer<Out, kGated>(out, stages, barriers, operands, bias, activation);
  }
#endif
}

template <typename Out, bool kGated>
void launch_multiply(cudaStream_t stream, const Product& p) {
  const auto n_row_tiles =
      static_cast<int>(p.grouping.weights != nullptr ? p.grouping.max_tiles : ceil_div(p.out.rows, kRows));
  const Shape shape = {static_cast<int>(p.out.rows), static_cast<int>(p.out.cols), static_cast<int>(p.x.cols),
                       n_row_tiles};
  const unsigned n_col_tiles = ceil_div(shape.n, kGated ? kWeights / 2 : kWeights);
  launch("multiply_on_hopper", multiply_kernel<Out, kGated>, ceil_div(n_row_tiles, kRowGroup) * kRowGroup * n_col_tiles,
         kThreads, kSharedBytes, stream, static_cast<Out*>(p.out.data), static_cast<const bf16*>(p.x.data), p.weights,
         p.bias.data, p.activation, p.grouping, shape);
}

}  // namespace

bool fits_hopper_product(const Product& p) {
  constexpr std::int64_t kFewestRows = 33;
  return p.x.dtype == DType::BF16 && p.weight_type == DType::F8E4M3 && p.out.rows >= kFewestRows;
}

void multiply_on_hopper(cudaStream_t stream, const Product& p) {
  INFERENCE_CHECK(fits_hopper_product(p), "no Hopper kernel for ", dtype_name(p.weight_type));
  if (p.is_gated) {
    launch_multiply<bf16, true>(stream, p);
  } else if (p.out.dtype == DType::F32) {
    launch_multiply<float, false>(stream, p);
  } else {
    launch_multiply<bf16, false>(stream, p);
  }
}

}  // namespace inference::ops::cuda
