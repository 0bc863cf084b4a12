#include "inference/ops/cuda/attention.h"

#include <algorithm>

#include "inference/ops/cuda/address_space.h"
#include "inference/ops/cuda/checks.h"
#include "inference/ops/cuda/index_summary.h"

namespace inference::ops::cuda {

// A cache's page holds all layers, one behind the other.
static_assert(kSummaryBytes % kMapRowBytes == 0);

AttentionCall paged_call(Tensor out, Tensor q, const KvLayer& cache, const Heads& heads, std::int64_t first_position) {
  INFERENCE_CHECK(heads.kv_heads == cache.kv_heads && heads.head_dim == cache.head_dim &&
                      heads.q_heads % heads.kv_heads == 0 && q.cols == std::int64_t{heads.q_heads} * heads.head_dim &&
                      out.rows == q.rows && out.cols == q.cols,
                  "attention: shapes differ");
  check_kv_pages(cache, first_position + q.rows);
  return {.out = out.data,
          .q = q.data,
          .activation_type = q.dtype,
          .n_tokens = q.rows,
          .heads = heads,
          .source = {.pages = cache.page_table,
                     .page_size = cache.page_size,
                     .fits_map = std::ranges::all_of(cache.pages, begins_a_map_row),
                     .dtype = cache.dtype},
          .n_keys = first_position + q.rows};
}

AttentionCall segment_call(Tensor out, Tensor q, Tensor k, Tensor v, int heads) {
  return {.out = out.data,
          .q = q.data,
          .activation_type = q.dtype,
          .n_tokens = q.rows,
          .heads = {heads, heads, static_cast<int>(q.cols) / heads},
          .source = {.keys = k.data, .values = v.data, .dtype = k.dtype},
          .n_keys = q.rows,
          .is_causal = false};
}

AttentionCall first_tokens(AttentionCall call, std::int64_t n) {
  call.n_keys -= call.n_tokens - n;
  call.n_tokens = n;
  return call;
}

AttentionCall last_tokens(AttentionCall call, std::int64_t n) {
  const std::int64_t row_bytes = std::int64_t{call.heads.q_heads} * call.heads.head_dim *
                                 static_cast<std::int64_t>(element_bytes(call.activation_type));
  const std::int64_t n_before = call.n_tokens - n;
  call.q = static_cast<const std::byte*>(call.q) + n_before * row_bytes;
  call.out = static_cast<std::byte*>(call.out) + n_before * row_bytes;
  if (call.block_ids != nullptr) call.block_ids += n_before * call.heads.kv_heads * call.top_k;
  call.n_tokens = n;
  return call;
}

}  // namespace inference::ops::cuda
