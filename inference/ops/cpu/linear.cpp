#include "inference/ops/cpu/linear.h"

#include "inference/ops/cpu/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/ops/cpu/linear.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "inference/ops/cpu/activation-inl.h"
#include "inference/ops/cpu/dot-inl.h"

#ifndef INFERENCE_OPS_CPU_LINEAR_ONCE
#define INFERENCE_OPS_CPU_LINEAR_ONCE
namespace inference::ops {

// A task: kPanel output columns of at most kMaxRows rows.
inline constexpr std::int64_t kPanel = 32;
inline constexpr std::int64_t kMaxRows = 192;

// Fewer multiplications than this take the caller less time than waking somebody.
inline constexpr std::int64_t kMinShared = 32768;

struct PanelScratch {
  alignas(64) float weights[kPanel * kSumBlock];  // unpacked, [kPanel, kSumBlock]
  alignas(64) float up[kMaxRows * kPanel];        // [n_rows, kPanel]
};

struct PanelTask {
  std::int64_t first_row, n_rows, first_col, n_cols;
};

}  // namespace inference::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace inference::ops::HWY_NAMESPACE {

// out[r][c] (+)= sums * factor for one tile.
template <int kRows>
HWY_INLINE void store_tile(float* out, std::int64_t stride, const Quad (&sums)[kRows], std::int64_t n_cols,
                           float factor, bool accumulate) {
  const hn::Full128<float> d4;
  const Quad f = hn::Set(d4, factor);
  for (int r = 0; r < kRows; ++r) {
    float* to = out + r * stride;
    if (n_cols >= 4) {
      const Quad sum = hn::Mul(sums[r], f);
      hn::StoreU(accumulate ? hn::Add(hn::LoadU(d4, to), sum) : sum, d4, to);
    } else {
      alignas(16) float sum[4];
      hn::Store(hn::Mul(sums[r], f), d4, sum);
      for (std::int64_t c = 0; c < n_cols; ++c) to[c] = accumulate ? to[c] + sum[c] : sum[c];
    }
  }
}

// One row of x against columns whose weights are unpacked in registers.
template <class Row>
HWY_INLINE void multiply_row(float* out, const float* x, const Matrix& w, std::int64_t first_col, std::int64_t n_cols) {
  for (std::int64_t col = 0; col < n_cols; col += 4) {
    Row rows[4];
    for (std::int64_t c = 0; c < 4; ++c) rows[c] = Row(w, first_col + std::min(col + c, n_cols - 1));
    // What the next four columns (perhaps another thread's) will read; hardware alone does not keep up with short rows.
    const Row next(w, std::min(first_col + col + 4, w.rows - 1));
    if constexpr (std::is_same_v<Row, MxFp8Row>) prefetch(next.scales, static_cast<std::size_t>(w.cols / kMxGroup * 4));
    Quad sums[1];
    dot_tile<1, true>(sums, &x, rows, static_cast<std::size_t>(w.cols), next.data);
    store_tile<1>(out + col, 0, sums, n_cols - col, kSumFactor<Row>, false);
  }
}

// Several rows of x: each kSumBlock of the panel's weights is unpacked once and stays in cache for all rows.
template <class Row>
HWY_INLINE void multiply_rows(float* out, std::int64_t out_stride, const float* x, std::int64_t x_stride,
                              const Matrix& w, const PanelTask& task, PanelScratch& scratch) {
  const auto in_dim = static_cast<std::size_t>(w.cols);
  for (std::size_t first = 0; first < in_dim; first += kSumBlock) {
    const std::size_t n = std::min(kSumBlock, in_dim - first);
    for (std::int64_t col = 0; col < task.n_cols; ++col) {
      unpack_row(scratch.weights + col * kSumBlock, Row(w, task.first_col + col), first, n);
    }
    for (std::int64_t col = 0; col < task.n_cols; col += 4) {
      F32Row rows[4];
      for (std::int64_t c = 0; c < 4; ++c) {
        rows[c].data = scratch.weights + std::min(col + c, task.n_cols - 1) * kSumBlock;
      }
      for_row_tiles<kTileRows<F32Row>>(static_cast<int>(task.n_rows), [&](int row, auto count) HWY_ATTR {
        const float* xs[count];
        for (int r = 0; r < count; ++r) xs[r] = x + (row + r) * x_stride + first;
        Quad sums[count];
        dot_tile<count>(sums, xs, rows, padded(n));
        store_tile<count>(out + row * out_stride + col, out_stride, sums, task.n_cols - col, kSumFactor<Row>,
                          first > 0);
      });
    }
  }
}

// out[n_rows, n_cols] = x · wᵀ for the task's part of a product.
void multiply_panel(float* out, std::int64_t out_stride, const Product& product, const Matrix& w, const PanelTask& task,
                    PanelScratch& scratch) {
  const float* x = product.x + task.first_row * product.x_stride;
  with_weight_type(w.dtype, [&](auto row_type) HWY_ATTR {
    using Row = decltype(row_type);
    if (task.n_rows == 1 && w.cols % kChunk<Row> == 0) {
      multiply_row<Row>(out, x, w, task.first_col, task.n_cols);
    } else {
      multiply_rows<Row>(out, out_stride, x, product.x_stride, w, task, scratch);
    }
  });
}

void run_panel(const Product& product, const PanelTask& task, PanelScratch& scratch) {
  const std::int64_t stride = product.w.rows;
  float* out = product.out + task.first_row * stride + task.first_col;
  multiply_panel(out, stride, product, product.w, task, scratch);
  if (product.up != nullptr) multiply_panel(scratch.up, kPanel, product, *product.up, task, scratch);
  for (std::int64_t row = 0; row < task.n_rows; ++row, out += stride) {
    if (product.bias.data != nullptr) add_to(out, product.bias.data + task.first_col, task.n_cols);
    if (product.up != nullptr) gate_with(out, scratch.up + row * kPanel, task.n_cols, product.activation);
  }
}

void pack_one(float* to, const float* x, std::int64_t n, DType weight_type) {
  with_weight_type(weight_type, [&](auto row_type) HWY_ATTR {
    pack_row<decltype(row_type)>(to, x, static_cast<std::size_t>(n), 1.0F);
  });
}

}  // namespace inference::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace inference::ops {

HWY_EXPORT(run_panel);
HWY_EXPORT(pack_one);

void PackedRows::pack(ThreadPool& pool, const float* x, std::int64_t n_rows, std::int64_t n, DType weight_type,
                      std::span<const std::int32_t> rows) {
  stride_ = static_cast<std::int64_t>(padded(static_cast<std::size_t>(n)));
  data_.reserve(static_cast<std::size_t>(n_rows * stride_));
  constexpr std::int64_t kRowsPerTask = 16;
  pool.run((n_rows + kRowsPerTask - 1) / kRowsPerTask, [&](std::int64_t task, int) {
    const std::int64_t end = std::min((task + 1) * kRowsPerTask, n_rows);
    for (std::int64_t row = task * kRowsPerTask; row < end; ++row) {
      const std::int64_t from = rows.empty() ? row : rows[static_cast<std::size_t>(row)];
      HWY_DYNAMIC_DISPATCH(pack_one)(data_.data() + row * stride_, x + from * n, n, weight_type);
    }
  });
}

void multiply(ThreadPool& pool, std::span<const Product> products) {
  struct Task {
    const Product* product;
    PanelTask panel;
  };
  std::vector<Task> tasks;
  std::int64_t n_products = 0;  // of two numbers
  for (const Product& product : products) {
    n_products += product.n_rows * product.w.rows * product.w.cols;
    for (std::int64_t row = 0; row < product.n_rows; row += kMaxRows) {
      for (std::int64_t col = 0; col < product.w.rows; col += kPanel) {
        tasks.push_back(
            {&product, {row, std::min(kMaxRows, product.n_rows - row), col, std::min(kPanel, product.w.rows - col)}});
      }
    }
  }
  const auto run = [&tasks](std::int64_t task_idx, int) {
    static thread_local PanelScratch scratch;
    const Task& task = tasks[static_cast<std::size_t>(task_idx)];
    HWY_DYNAMIC_DISPATCH(run_panel)(*task.product, task.panel, scratch);
  };
  const auto n_tasks = static_cast<std::int64_t>(tasks.size());
  if (n_products >= kMinShared) {
    pool.run(n_tasks, run);
  } else {
    for (std::int64_t task_idx = 0; task_idx < n_tasks; ++task_idx) run(task_idx, 0);
  }
}

}  // namespace inference::ops
#endif
