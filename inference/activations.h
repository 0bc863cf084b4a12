#pragma once
// Everything the forward pass writes between the layers, allocated once for the largest chunk of tokens.

#include <vector>

#include "inference/model_config.h"
#include "inference/ops/ops.h"

namespace inference {

class Activations {
 public:
  Activations(ops::Device& device, const TextConfig& config, std::int64_t max_tokens);

  // Views on the first n_tokens rows.
  struct Views {
    Tensor hidden;          // [n_tokens, hidden_dim], the residual stream
    Tensor normed;          // [n_tokens, hidden_dim]
    Tensor update;          // [n_tokens, hidden_dim], what a sublayer adds to the residual
    Tensor q;               // [n_tokens, q_heads, head_dim]
    Tensor k;               // [n_tokens, kv_heads, head_dim]
    Tensor v;               // [n_tokens, kv_heads, head_dim]
    Tensor attended;        // [n_tokens, q_heads, head_dim]
    Tensor index_q;         // [n_tokens, kv_heads, index_dim]
    Tensor index_k;         // [n_tokens, index_dim]
    Tensor block_ids;       // I32 [n_tokens, kv_heads, top_k_blocks]
    Tensor expert_ids;      // I32 [n_tokens, top_k_experts]
    Tensor expert_weights;  // F32 [n_tokens, top_k_experts]
  };
  Views first(std::int64_t n_tokens) const;
  Tensor logits() const { return logits_; }  // [1, vocab_size]
  std::int64_t max_tokens() const { return all_.hidden.rows; }

 private:
  Views all_;
  Tensor logits_;
  std::vector<ops::Buffer> buffers_;
};

}  // namespace inference
