#pragma once
// Operations on single rows: embedding, norms, rotations, gelu, addition, filling the cache.

#include <cuda_runtime.h>

#include <cstdint>

#include "inference/ops/cuda/recording.h"
#include "inference/ops/ops.h"

namespace inference::ops::cuda {

// Cosines and sines of the angles that positions rotate by.
struct Rotations {
  const float* cosines = nullptr;  // [n_rows, n_pairs]
  const float* sines = nullptr;    // [n_rows, n_pairs]
  int n_pairs = 0;
};

// What a text's rotations were made for.
struct RotationsKey {
  int rotary_dim = -1;
  float theta = 0;
  std::int64_t first_position = 0, n_tokens = 0;
  bool operator==(const RotationsKey&) const = default;
};

void embed(cudaStream_t stream, Tensor out, const Matrix& table, const std::int32_t* ids);
void rms_norm(cudaStream_t stream, Tensor out, Tensor x, Vector weight, float eps);
// x += y; out = rms_norm(x), for rows that it fits.
bool fits_add_norm(std::int64_t cols);
void add_norm(cudaStream_t stream, Tensor out, Tensor x, Tensor y, Vector weight, float eps);
void layer_norm(cudaStream_t stream, Tensor out, Tensor x, Vector weight, Vector bias, float eps);
void add(cudaStream_t stream, Tensor x, Tensor y);
void gelu(cudaStream_t stream, Tensor x);
// x [n_rows, cols] of bf16 += bias [cols]; cols in whole pieces of 16 bytes.
void add_bias(cudaStream_t stream, Tensor x, Vector bias);

// Angles position · theta^(-2j / rotary_dim) of consecutive positions; writes [n_rows, rotary_dim / 2] each.
void text_rotations(cudaStream_t stream, float* cosines, float* sines, const Rope& rope, std::int64_t first_position,
                    std::int64_t n_rows, const Replay& replay);
// The bands of t, h and w of each patch; writes [n_rows, 3 * per_axis] each.
void patch_rotations(cudaStream_t stream, float* cosines, float* sines, const PatchPosition* positions, int per_axis,
                     float theta, std::int64_t n_rows);

// Normalises each head (unless the weight is absent), then rotates pairs j and j + n_pairs.
void norm_rotate_heads(cudaStream_t stream, Tensor x, Vector weight, float eps, int head_dim,
                       const Rotations& rotations);

// Heads that one launch normalises, rotates and stores.
struct HeadSet {
  // Where in a layer's cache they go, too: row i to slot (first_position + i) % page_size of its page.
  struct Cache {
    void* const* pages = nullptr;  // null: nowhere
    std::int64_t first = 0;        // element of the page where head 0's slot 0 lies
    int page_size = 0;
  };
  void* x;              // [n_rows, n_heads, head_dim]
  const float* weight;  // [head_dim] or null: no norm
  float eps;
  bool is_rotated;
  int n_heads, head_dim;
  std::int64_t n_rows;
  unsigned end_cta;  // CTAs from where the set before it ends
  Cache cache;
};
inline constexpr int kMostHeadSets = 5;
struct HeadSets {
  HeadSet sets[kMostHeadSets] = {};
  int n_sets = 0;

  void add(Tensor x, Vector weight, float eps, int head_dim, bool is_rotated, const HeadSet::Cache& cache);
};
void finish_heads(cudaStream_t stream, const HeadSets& sets, DType type, DType cache_type, const Rotations& rotations,
                  std::int64_t first_position, const Replay& replay);

void store_kv(cudaStream_t stream, const KvLayer& cache, Tensor k, Tensor v, std::int64_t first_position,
              const Replay& replay);
void store_index_k(cudaStream_t stream, const KvLayer& cache, Tensor index_k, std::int64_t first_position,
                   const Replay& replay);

}  // namespace inference::ops::cuda
