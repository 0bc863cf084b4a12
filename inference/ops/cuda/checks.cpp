#include "inference/ops/cuda/checks.h"

#include <span>

namespace inference::ops::cuda {
namespace {

void check_pages(std::span<void* const> pages, void* const* on_gpu, int page_size, std::int64_t n_positions) {
  INFERENCE_CHECK(on_gpu != nullptr && n_positions <= static_cast<std::int64_t>(pages.size()) * page_size &&
                      n_positions < INT32_MAX,
                  "a cache of ", pages.size(), " pages for ", n_positions, " positions");
}

}  // namespace

void check_weight(const Matrix& w) {
  INFERENCE_CHECK(
      (w.dtype == DType::F8E4M3) == (w.scales != nullptr) && (w.scales == nullptr || w.cols % kMxGroup == 0),
      "a weight of ", dtype_name(w.dtype), " with ", w.cols, " columns and ", w.scales == nullptr ? "no" : "",
      " scales");
}

void check_ffn(Tensor out, Tensor x, const Ffn& ffn) {
  INFERENCE_CHECK(out.rows == x.rows && x.cols == ffn.gate.cols && x.cols == ffn.up.cols &&
                      ffn.gate.rows == ffn.up.rows && ffn.down.cols == ffn.gate.rows && out.cols == ffn.down.rows &&
                      ffn.gate.dtype == ffn.up.dtype,
                  "feed-forward: shapes differ");
  check_weight(ffn.gate);
  check_weight(ffn.up);
  check_weight(ffn.down);
}

void check_kv_pages(const KvLayer& cache, std::int64_t n_positions) {
  check_pages(cache.pages, cache.page_table, cache.page_size, n_positions);
}
void check_index_pages(const KvLayer& cache, std::int64_t n_positions) {
  check_pages(cache.index_pages, cache.index_page_table, cache.page_size, n_positions);
}

}  // namespace inference::ops::cuda
