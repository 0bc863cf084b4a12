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

void embed(cudaStream_t stream, Tensor out, const Matrix& table, const std::int32_t* ids);
void rms_norm(cudaStream_t stream, Tensor out, Tensor x, Vector weight, float eps);
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

void store_kv(cudaStream_t stream, const KvLayer& cache, Tensor k, Tensor v, std::int64_t first_position,
              const Replay& replay);
void store_index_k(cudaStream_t stream, const KvLayer& cache, Tensor index_k, std::int64_t first_position,
                   const Replay& replay);

}  // namespace inference::ops::cuda
