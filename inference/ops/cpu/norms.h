#pragma once
// What works on one row of fp32 activations at a time: norms, rotations, gelu.

#include <cstdint>
#include <vector>

#include "inference/ops/cpu/thread_pool.h"
#include "inference/ops/ops.h"

namespace inference::ops {

// cos and sin of each row's angles, computed in double: fp32 angles are off by 1e-3 at position 16,000.
struct Rotations {
  std::vector<float> cosines, sines;  // [n_rows, n_pairs]
  std::int64_t n_pairs = 0;           // element j of a head rotates with j + n_pairs
};

// Calls for each row, several at a time in parallel where the work is worth it. row_cost: elements touched.
template <typename F>
void for_each_row(ThreadPool& pool, std::int64_t n_rows, std::int64_t row_cost, const F& f) {
  constexpr std::int64_t kTaskCost = 16384;  // about 4 µs of simple vector work, a few times what a region costs
  const std::int64_t rows_per_task = std::max<std::int64_t>(1, kTaskCost / std::max<std::int64_t>(1, row_cost));
  pool.run((n_rows + rows_per_task - 1) / rows_per_task, [&](std::int64_t task, int) {
    const std::int64_t end = std::min((task + 1) * rows_per_task, n_rows);
    for (std::int64_t row = task * rows_per_task; row < end; ++row) f(row);
  });
}

// One row each.
void gemma_norm_row(float* out, const float* x, const Vector& weight, float eps);
void layer_norm_row(float* out, const float* x, const Vector& weight, const Vector& bias, float eps);
void rotate_head(float* head, const float* cosines, const float* sines, std::int64_t n_pairs);
void add_row(float* x, const float* y, std::int64_t n);
void scale_add_row(float* x, const float* y, float factor, std::int64_t n);  // x += factor * y
void gelu_row(float* x, std::int64_t n);

}  // namespace inference::ops
