#pragma once
// Matrix products with weights in their stored type. One row of x (decode) unpacks weights in registers and is bound by
// memory; more rows (prefill) unpack a cache-sized tile of weights once per kMaxRows rows.

#include <cstdint>
#include <span>

#include "inference/ops/cpu/dot.h"
#include "inference/ops/cpu/thread_pool.h"
#include "inference/ops/ops.h"

namespace inference::ops {

// Rows of fp32 in the element order in which a stored type unpacks: the x of a product.
class PackedRows {
 public:
  // Row i is x[rows[i]], or x[i] where no rows are named; x is [.., n] with consecutive rows.
  void pack(ThreadPool& pool, const float* x, std::int64_t n_rows, std::int64_t n, DType weight_type,
            std::span<const std::int32_t> rows = {});
  const float* row(std::int64_t row) const { return data_.data() + row * stride_; }
  std::int64_t stride() const { return stride_; }

 private:
  AlignedFloats data_;  // [n_rows, padded n]
  std::int64_t stride_ = 0;
};

// out = x · wᵀ + bias, or with `up` the gated pair out = gate(x · wᵀ, x · upᵀ) of a feed-forward network.
struct Product {
  float* out = nullptr;      // [n_rows, w.rows]
  const float* x = nullptr;  // [n_rows, in_dim], rows of PackedRows
  std::int64_t x_stride = 0;
  std::int64_t n_rows = 0;
  Matrix w;          // [out_dim, in_dim]
  Vector bias = {};  // [out_dim] or absent
  const Matrix* up = nullptr;
  Activation activation = {};
};

// All products in one parallel region.
void multiply(ThreadPool& pool, std::span<const Product> products);

}  // namespace inference::ops
