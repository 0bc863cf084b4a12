#include <algorithm>

#include "inference/ops/cuda/common.cuh"
#include "inference/ops/cuda/overlap.cuh"
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

// 8 consecutive values, aligned to 16 bytes.
__device__ void load_eight(float (&to)[8], const float* from) {
#pragma unroll
  for (int i = 0; i < 8; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + i);
    to[i] = four.x, to[i + 1] = four.y, to[i + 2] = four.z, to[i + 3] = four.w;
  }
}
__device__ void load_eight(float (&to)[8], const bf16* from) {
  const uint4 raw = *reinterpret_cast<const uint4*>(from);
#pragma unroll
  for (int i = 0; i < 8; ++i) to[i] = to_float(reinterpret_cast<const bf16*>(&raw)[i]);
}
__device__ void store_eight(float* to, const float (&from)[8]) {
#pragma unroll
  for (int i = 0; i < 8; i += 4) {
    *reinterpret_cast<float4*>(to + i) = make_float4(from[i], from[i + 1], from[i + 2], from[i + 3]);
  }
}
__device__ void store_eight(bf16* to, const float (&from)[8]) {
  uint4 raw;
#pragma unroll
  for (int i = 0; i < 8; ++i) reinterpret_cast<bf16*>(&raw)[i] = __float2bfloat16_rn(from[i]);
  *reinterpret_cast<uint4*>(to) = raw;
}

constexpr int kMostNormThreads = 1024;
constexpr int kNormedPerThread = 8;  // they stay in registers

// x += y, unless y is null; out = rms_norm(x).
template <typename T>
__global__ __launch_bounds__(kMostNormThreads) void add_norm_kernel(T* out, T* x, const T* y, const float* weight,
                                                                    int cols, float eps) {
  wait_for_previous();
  allow_next();
  const int col = threadIdx.x * kNormedPerThread;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * cols + col;
  const bool is_there = col < cols;
  float values[kNormedPerThread] = {}, weights[kNormedPerThread], squares = 0;
  if (is_there) {
    load_eight(values, x + first);
    load_eight(weights, weight + col);
    if (y != nullptr) {
      float more[kNormedPerThread];
      load_eight(more, y + first);
#pragma unroll
      for (int i = 0; i < kNormedPerThread; ++i) values[i] = to_float(from_float<T>(values[i] + more[i]));
      store_eight(x + first, values);
    }
  }
#pragma unroll
  for (const float value : values) squares += value * value;
  const float scale = 1 / sqrtf(block_sum(squares) / static_cast<float>(cols) + eps);
  if (!is_there) return;
#pragma unroll
  for (int i = 0; i < kNormedPerThread; ++i) values[i] = values[i] * scale * (1 + weights[i]);
  store_eight(out + first, values);
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

struct Add {
  __device__ float operator()(float x, float y) const { return x + y; }
};
struct Gelu {
  __device__ float operator()(float x, float /*y*/) const {
    constexpr float kSqrtHalf = 0.70710678118654752F;
    return x * 0.5F * (1 + erff(x * kSqrtHalf));
  }
};

// x = f(x, y), eight values a thread or one; y may be null.
template <int kCount, typename T, typename F>
__global__ void map_kernel(T* x, const T* y, std::int64_t n, F f) {
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kCount;
  if (first >= n) return;
  if constexpr (kCount == 8) {
    float values[8], others[8] = {};
    load_eight(values, x + first);
    if (y != nullptr) load_eight(others, y + first);
#pragma unroll
    for (int i = 0; i < 8; ++i) values[i] = f(values[i], others[i]);
    store_eight(x + first, values);
  } else {
    x[first] = from_float<T>(f(to_float(x[first]), y != nullptr ? to_float(y[first]) : 0));
  }
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

// One warp per head of one of the tensors. The pairs of a rotation lie in different lanes, so the normalised head
// passes through shared memory. C: the cache's type.
template <typename T, typename C>
__global__ void finish_heads_kernel(const __grid_constant__ HeadSets sets, Rotations rotations,
                                    std::int64_t first_position, const int* shift) {
  extern __shared__ float shared_heads[];
  wait_for_previous();
  allow_next();
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  int set_idx = 0;
  unsigned first_cta = 0;
  while (blockIdx.x >= sets.sets[set_idx].end_cta) first_cta = sets.sets[set_idx++].end_cta;
  const HeadSet set = sets.sets[set_idx];
  const std::int64_t head = static_cast<std::int64_t>(blockIdx.x - first_cta) * kHeadsPerCta + warp;
  if (head >= set.n_rows * set.n_heads) return;
  const int head_dim = set.head_dim;
  const float* weight = set.weight;
  float* normed = shared_heads + warp * head_dim;
  T* values = static_cast<T*>(set.x) + head * head_dim;
  const std::int64_t row = head / set.n_heads;
  C* stored = nullptr;
  if (set.cache.pages != nullptr) {
    const std::int64_t position = first_position + shift_of(shift) + row;
    const int page_size = set.cache.page_size;
    stored = static_cast<C*>(set.cache.pages[position / page_size]) + set.cache.first +
             (head % set.n_heads * page_size + position % page_size) * head_dim;
  }
  float squares = 0;
  for (int i = lane; i < head_dim; i += kWarp) {
    normed[i] = to_float(values[i]);
    squares += normed[i] * normed[i];
  }
  if (weight != nullptr) {
    const float scale = 1 / sqrtf(warp_sum(squares) / static_cast<float>(head_dim) + set.eps);
    for (int i = lane; i < head_dim; i += kWarp) normed[i] *= scale * (1 + weight[i]);
  }
  __syncwarp();
  for (int i = lane; i < head_dim; i += kWarp) {
    float value = normed[i];
    if (set.is_rotated && i < 2 * rotations.n_pairs) {
      const bool is_first = i < rotations.n_pairs;
      const int pair = is_first ? i : i - rotations.n_pairs;
      const float cosine = rotations.cosines[row * rotations.n_pairs + pair];
      const float sine = rotations.sines[row * rotations.n_pairs + pair];
      value = is_first ? value * cosine - normed[i + rotations.n_pairs] * sine : value * cosine + normed[pair] * sine;
    }
    values[i] = from_float<T>(value);
    if (stored != nullptr) stored[i] = from_float<C>(to_float(values[i]));
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

template <typename F>
void launch_map(const char* what, cudaStream_t stream, Tensor x, Tensor y, F f) {
  const std::int64_t n = x.rows * x.cols;
  with_float_type(x.dtype, [&]<typename T>(T) {
    const auto start = [&](auto kernel, int count) {
      launch(what, kernel, ceil_div(n, std::int64_t{kRowThreads} * count), kRowThreads, 0, stream,
             static_cast<T*>(x.data), static_cast<const T*>(y.data), n, f);
    };
    if (x.cols % 8 == 0) {  // rows begin at multiples of 16 bytes
      start(map_kernel<8, T, F>, 8);
    } else {
      start(map_kernel<1, T, F>, 1);
    }
  });
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

bool fits_add_norm(std::int64_t cols) {
  return cols % kNormedPerThread == 0 && cols <= kMostNormThreads * kNormedPerThread;
}

void add_norm(cudaStream_t stream, Tensor out, Tensor x, Tensor y, Vector weight, float eps) {
  INFERENCE_CHECK(fits_add_norm(x.cols), "add_norm of ", x.cols, " columns");
  const int n_threads = static_cast<int>(ceil_div(x.cols / kNormedPerThread, kWarp)) * kWarp;
  with_float_type(x.dtype, [&]<typename T>(T) {
    launch_streaming("add_norm", add_norm_kernel<T>, rows_of(x), n_threads, 0, stream, true, static_cast<T*>(out.data),
                     static_cast<T*>(x.data), static_cast<const T*>(y.data), weight.data, static_cast<int>(x.cols),
                     eps);
  });
}

void rms_norm(cudaStream_t stream, Tensor out, Tensor x, Vector weight, float eps) {
  if (fits_add_norm(x.cols)) return add_norm(stream, out, x, {}, weight, eps);
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
  launch_map("add", stream, x, y, Add{});
}

void add_bias(cudaStream_t stream, Tensor x, Vector bias) {
  INFERENCE_CHECK(x.dtype == DType::BF16 && x.cols % kPerThread == 0, "a bias for ", x.cols, " columns");
  const std::int64_t n = x.rows * x.cols;
  launch("add_bias", add_bias_kernel, ceil_div(n, kRowThreads * kPerThread), kRowThreads, 0, stream,
         static_cast<bf16*>(x.data), bias.data, static_cast<int>(x.cols), n);
}

void gelu(cudaStream_t stream, Tensor x) {
  launch_map("gelu", stream, x, {}, Gelu{});
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
  HeadSets sets;
  sets.add(x, weight, eps, head_dim, true, {});
  finish_heads(stream, sets, x.dtype, x.dtype, rotations, 0, {});
}

void HeadSets::add(Tensor x, Vector weight, float eps, int head_dim, bool is_rotated, const HeadSet::Cache& cache) {
  INFERENCE_CHECK(n_sets < kMostHeadSets, "too many heads at once");
  const int n_heads = static_cast<int>(x.cols) / head_dim;
  const unsigned before = n_sets > 0 ? sets[n_sets - 1].end_cta : 0;
  sets[n_sets++] = {x.data,  weight.data, eps,    is_rotated,
                    n_heads, head_dim,    x.rows, before + ceil_div(x.rows * n_heads, kHeadsPerCta),
                    cache};
}

void finish_heads(cudaStream_t stream, const HeadSets& sets, DType type, DType cache_type, const Rotations& rotations,
                  std::int64_t first_position, const Replay& replay) {
  int largest_dim = 0;
  for (int i = 0; i < sets.n_sets; ++i) largest_dim = std::max(largest_dim, sets.sets[i].head_dim);
  const std::size_t smem_bytes = static_cast<std::size_t>(kHeadsPerCta * largest_dim) * sizeof(float);
  with_float_type(type, [&]<typename T>(T) {
    with_float_type(cache_type, [&]<typename C>(C) {
      launch_streaming("finish_heads", finish_heads_kernel<T, C>, sets.sets[sets.n_sets - 1].end_cta,
                       kHeadsPerCta * kWarp, smem_bytes, stream, true, sets, rotations, first_position, replay.shift);
    });
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
