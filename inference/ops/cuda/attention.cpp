#include "inference/ops/cuda/attention.h"

#include "inference/ops/cuda/checks.h"

namespace inference::ops::cuda {

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
          .source = {.pages = cache.page_table, .page_size = cache.page_size, .dtype = cache.dtype},
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

}  // namespace inference::ops::cuda
