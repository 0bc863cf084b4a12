#include "inference/ops/cuda/common.cuh"
#include "inference/ops/cuda/rows.h"

namespace inference::ops::cuda {
namespace {

constexpr int kRowThreads = 256;
constexpr int kHeadsPerCta = 4;  // one warp each

template <typename T, typename W>
__global__ void embed_kernel(T* out,                      // [n_tokens, cols]
                             const W* table,              // [vocab_size, cols]
                             const std::uint8_t* scales,  // E8M0 [vocab_size, cols / kMxGroup] or null
                             const std::int32_t* ids, int cols) {
  const std::int64_t id = ids[blockIdx.x];
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    float value = to_float(table[id * cols + col]);
    if (scales != nullptr) value *= e8m0_to_float(scales[id * (cols / kMxGroup) + col / kMxGroup]);
    out[static_cast<std::int64_t>(blockIdx.x) * cols + col] = from_float<T>(value);
  }
}

template <typename T>
__global__ void rms_norm_kernel(T* out, const T* x, const float* weight, int cols, float eps) {
  const T* in = x + static_cast<std::int64_t>(blockIdx.x) * cols;
  float squares = 0;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) squares += to_float(in[col]) * to_float(in[col]);
  const float scale = 1 / sqrtf(block_sum(squares) / static_cast<float>(cols) + eps);
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    out[static_cast<std::int64_t>(blockIdx.x) * cols + col] =
        from_float<T>(to_float(in[col]) * scale * (1 + weight[col]));
  }
}

template <typename T>
__global__ void layer_norm_kernel(T* out, const T* x, const float* weight, const float* bias, int cols, float eps) {
  const T* in = x + static_cast<std::int64_t>(blockIdx.x) * cols;
  float sum = 0, squares = 0;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) sum += to_float(in[col]);
  const float mean = block_sum(sum) / static_cast<float>(cols);
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const float distance = to_float(in[col]) - mean;
    squares += distance * distance;
  }
  const float scale = 1 / sqrtf(block_sum(squares) / static_cast<float>(cols) + eps);
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    out[static_cast<std::int64_t>(blockIdx.x) * cols + col] =
        from_float<T>((to_float(in[col]) - mean) * scale * weight[col] + bias[col]);
  }
}

template <typename T>
__global__ void add_kernel(T* x, const T* y, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) x[i] = from_float<T>(to_float(x[i]) + to_float(y[i]));
}

constexpr int kPerThread = 8;  // bf16 in 16 bytes

__global__ void add_bias_kernel(bf16* x, const float* bias, int cols, std::int64_t n) {
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kPerThread;
  if (first >= n) return;
  uint4 raw = *reinterpret_cast<const uint4*>(x + first);
  auto* values = reinterpret_cast<bf16*>(&raw);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    values[i] = __float2bfloat16_rn(to_float(values[i]) + bias[static_cast<int>(first % cols) + i]);
  }
  *reinterpret_cast<uint4*>(x + first) = raw;
}

template <typename T>
__global__ void gelu_kernel(T* x, std::int64_t n) {
  constexpr float kSqrtHalf = 0.70710678118654752F;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = to_float(x[i]);
  x[i] = from_float<T>(v * 0.5F * (1 + erff(v * kSqrtHalf)));
}

// Angles in double: a million positions leave a float no digits behind the point.
__global__ void text_rotations_kernel(float* cosines, float* sines, int n_pairs, double theta, int rotary_dim,
                                      std::int64_t first_position, const int* shift) {
  first_position += shift_of(shift);
  for (int j = threadIdx.x; j < n_pairs; j += blockDim.x) {
    const double angle = static_cast<double>(first_position + blockIdx.x) * pow(theta, -2.0 * j / rotary_dim);
    const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * n_pairs + j;
    cosines[at] = static_cast<float>(cos(angle));
    sines[at] = static_cast<float>(sin(angle));
  }
}

__global__ void patch_rotations_kernel(float* cosines, float* sines, const PatchPosition* positions, int per_axis,
                                       double theta) {
  const PatchPosition at = positions[blockIdx.x];
  for (int i = threadIdx.x; i < 3 * per_axis; i += blockDim.x) {
    const int axis = i / per_axis;
    const double coordinate = axis == 0 ? at.t : axis == 1 ? at.h : at.w;
    const double angle = coordinate * pow(theta, -static_cast<double>(i % per_axis) / per_axis);
    cosines[static_cast<std::int64_t>(blockIdx.x) * 3 * per_axis + i] = static_cast<float>(cos(angle));
    sines[static_cast<std::int64_t>(blockIdx.x) * 3 * per_axis + i] = static_cast<float>(sin(angle));
  }
}

// One warp per head. The pairs of a rotation lie in different lanes, so the normalised head passes through shared
// memory.
template <typename T>
__global__ void norm_rotate_kernel(T* x,                 // [n_rows, n_heads, head_dim]
                                   const float* weight,  // [head_dim] or null: no norm
                                   float eps, std::int64_t n_heads_in_all, int n_heads, int head_dim,
                                   Rotations rotations) {
  extern __shared__ float shared_heads[];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const std::int64_t head = static_cast<std::int64_t>(blockIdx.x) * kHeadsPerCta + warp;
  if (head >= n_heads_in_all) return;
  float* normed = shared_heads + warp * head_dim;
  T* values = x + head * head_dim;
  float squares = 0;
  for (int i = lane; i < head_dim; i += kWarp) {
    normed[i] = to_float(values[i]);
    squares += normed[i] * normed[i];
  }
  if (weight != nullptr) {
    const float scale = 1 / sqrtf(warp_sum(squares) / static_cast<float>(head_dim) + eps);
    for (int i = lane; i < head_dim; i += kWarp) normed[i] *= scale * (1 + weight[i]);
  }
  __syncwarp();
  const std::int64_t row = head / n_heads;
  for (int i = lane; i < head_dim; i += kWarp) {
    float value = normed[i];
    if (i < 2 * rotations.n_pairs) {
      const bool is_first = i < rotations.n_pairs;
      const int pair = is_first ? i : i - rotations.n_pairs;
      const float cosine = rotations.cosines[row * rotations.n_pairs + pair];
      const float sine = rotations.sines[row * rotations.n_pairs + pair];
      value = is_first ? value * cosine - normed[i + rotations.n_pairs] * sine : value * cosine + normed[pair] * sine;
    }
    values[i] = from_float<T>(value);
  }
}

// Row `blockIdx.x` of k and v to its slot of the cache.
template <typename T, typename C>
__global__ void store_kv_kernel(void* const* pages, const T* k, const T* v, int kv_heads, int head_dim, int page_size,
                                std::int64_t first_position, const int* shift) {
  first_position += shift_of(shift);
  const std::int64_t position = first_position + blockIdx.x;
  C* page = static_cast<C*>(pages[position / page_size]);
  const int slot = static_cast<int>(position % page_size), cols = kv_heads * head_dim;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    const int at = (col / head_dim * page_size + slot) * head_dim + col % head_dim;
    page[at] = from_float<C>(to_float(k[static_cast<std::int64_t>(blockIdx.x) * cols + col]));
    page[kv_heads * page_size * head_dim + at] =
        from_float<C>(to_float(v[static_cast<std::int64_t>(blockIdx.x) * cols + col]));
  }
}

template <typename T, typename C>
__global__ void store_index_kernel(void* const* pages, const T* index_k, int index_dim, int page_size,
                                   std::int64_t first_position, const int* shift) {
  first_position += shift_of(shift);
  const std::int64_t position = first_position + blockIdx.x;
  C* row = static_cast<C*>(pages[position / page_size]) + position % page_size * index_dim;
  for (int i = threadIdx.x; i < index_dim; i += blockDim.x) {
    row[i] = from_float<C>(to_float(index_k[static_cast<std::int64_t>(blockIdx.x) * index_dim + i]));
  }
}

unsigned rows_of(Tensor x) {
  return static_cast<unsigned>(x.rows);
}

}  // namespace

void embed(cudaStream_t stream, Tensor out, const Matrix& table, const std::int32_t* ids) {
  with_float_type(out.dtype, [&]<typename T>(T) {
    with_weight_type(table.dtype, [&]<typename W>(W) {
      launch("embed", embed_kernel<T, W>, rows_of(out), kRowThreads, 0, stream, static_cast<T*>(out.data),
             static_cast<const W*>(table.data), table.scales, ids, static_cast<int>(out.cols));
    });
  });
}

void rms_norm(cudaStream_t stream, Tensor out, Tensor x, Vector weight, float eps) {
  with_float_type(x.dtype, [&]<typename T>(T) {
    launch("rms_norm", rms_norm_kernel<T>, rows_of(x), kRowThreads, 0, stream, static_cast<T*>(out.data),
           static_cast<const T*>(x.data), weight.data, static_cast<int>(x.cols), eps);
  });
}

void layer_norm(cudaStream_t stream, Tensor out, Tensor x, Vector weight, Vector bias, float eps) {
  with_float_type(x.dtype, [&]<typename T>(T) {
    launch("layer_norm", layer_norm_kernel<T>, rows_of(x), kRowThreads, 0, stream, static_cast<T*>(out.data),
           static_cast<const T*>(x.data), weight.data, bias.data, static_cast<int>(x.cols), eps);
  });
}

void add(cudaStream_t stream, Tensor x, Tensor y) {
  with_float_type(x.dtype, [&]<typename T>(T) {
    launch("add", add_kernel<T>, ceil_div(x.rows * x.cols, kRowThreads), kRowThreads, 0, stream,
           static_cast<T*>(x.data), static_cast<const T*>(y.data), x.rows * x.cols);
  });
}

void add_bias(cudaStream_t stream, Tensor x, Vector bias) {
  INFERENCE_CHECK(x.dtype == DType::BF16 && x.cols % kPerThread == 0, "a bias for ", x.cols, " columns");
  const std::int64_t n = x.rows * x.cols;
  launch("add_bias", add_bias_kernel, ceil_div(n, kRowThreads * kPerThread), kRowThreads, 0, stream,
         static_cast<bf16*>(x.data), bias.data, static_cast<int>(x.cols), n);
}

void gelu(cudaStream_t stream, Tensor x) {
  with_float_type(x.dtype, [&]<typename T>(T) {
    launch("gelu", gelu_kernel<T>, ceil_div(x.rows * x.cols, kRowThreads), kRowThreads, 0, stream,
           static_cast<T*>(x.data), x.rows * x.cols);
  });
}

void text_rotations(cudaStream_t stream, float* cosines, float* sines, const Rope& rope, std::int64_t first_position,
                    std::int64_t n_rows, const Replay& replay) {
  launch("text_rotations", text_rotations_kernel, static_cast<unsigned>(n_rows), kWarp, 0, stream, cosines, sines,
         rope.rotary_dim / 2, static_cast<double>(rope.theta), rope.rotary_dim, first_position, replay.shift);
}

void patch_rotations(cudaStream_t stream, float* cosines, float* sines, const PatchPosition* positions, int per_axis,
                     float theta, std::int64_t n_rows) {
  launch("patch_rotations", patch_rotations_kernel, static_cast<unsigned>(n_rows), kWarp, 0, stream, cosines, sines,
         positions, per_axis, static_cast<double>(theta));
}

void norm_rotate_heads(cudaStream_t stream, Tensor x, Vector weight, float eps, int head_dim,
                       const Rotations& rotations) {
  const int n_heads = static_cast<int>(x.cols) / head_dim;
  const std::int64_t n_in_all = x.rows * n_heads;
  const std::size_t smem_bytes = static_cast<std::size_t>(kHeadsPerCta * head_dim) * sizeof(float);
  with_float_type(x.dtype, [&]<typename T>(T) {
    launch("norm_rotate_heads", norm_rotate_kernel<T>, ceil_div(n_in_all, kHeadsPerCta), kHeadsPerCta * kWarp,
           smem_bytes, stream, static_cast<T*>(x.data), weight.data, eps, n_in_all, n_heads, head_dim, rotations);
  });
}

void store_kv(cudaStream_t stream, const KvLayer& cache, Tensor k, Tensor v, std::int64_t first_position,
              const Replay& replay) {
  with_float_type(k.dtype, [&]<typename T>(T) {
    with_float_type(cache.dtype, [&]<typename C>(C) {
      launch("store_kv", store_kv_kernel<T, C>, rows_of(k), kRowThreads, 0, stream, cache.page_table,
             static_cast<const T*>(k.data), static_cast<const T*>(v.data), cache.kv_heads, cache.head_dim,
             cache.page_size, first_position, replay.shift);
    });
  });
}

void store_index_k(cudaStream_t stream, const KvLayer& cache, Tensor index_k, std::int64_t first_position,
                   const Replay& replay) {
  with_float_type(index_k.dtype, [&]<typename T>(T) {
    with_float_type(cache.dtype, [&]<typename C>(C) {
      launch("store_index_k", store_index_kernel<T, C>, rows_of(index_k), kWarp * 4, 0, stream, cache.index_page_table,
             static_cast<const T*>(index_k.data), cache.index_dim, cache.page_size, first_position, replay.shift);
    });
  });
}

}  // namespace inference::ops::cuda
