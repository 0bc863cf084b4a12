#include "inference/activations.h"

namespace inference {

Activations::Activations(ops::Device& device, const TextConfig& config, std::int64_t max_tokens) {
  const auto tensor = [&](std::int64_t rows, std::int64_t cols, DType type) {
    buffers_.emplace_back(device, static_cast<std::size_t>(rows * cols) * element_bytes(type));
    return Tensor{buffers_.back().data(), rows, cols, type};
  };
  const DType type = device.activation_type();
  const std::int64_t kv_heads = config.kv_heads;
  all_.hidden = tensor(max_tokens, config.hidden_dim, type);
  all_.normed = tensor(max_tokens, config.hidden_dim, type);
  all_.update = tensor(max_tokens, config.hidden_dim, type);
  all_.q = tensor(max_tokens, std::int64_t{config.q_heads} * config.head_dim, type);
  all_.k = tensor(max_tokens, kv_heads * config.head_dim, type);
  all_.v = tensor(max_tokens, kv_heads * config.head_dim, type);
  all_.attended = tensor(max_tokens, std::int64_t{config.q_heads} * config.head_dim, type);
  all_.index_q = tensor(max_tokens, kv_heads * config.index_dim, type);
  all_.index_k = tensor(max_tokens, config.index_dim, type);
  all_.block_ids = tensor(max_tokens, kv_heads * config.top_k_blocks, DType::I32);
  all_.expert_ids = tensor(max_tokens, config.top_k_experts, DType::I32);
  all_.expert_weights = tensor(max_tokens, config.top_k_experts, DType::F32);
  logits_ = tensor(1, config.vocab_size, type);
}

Activations::Views Activations::first(std::int64_t n_tokens) const {
  Views views = all_;
  for (Tensor* view : {&views.hidden, &views.normed, &views.update, &views.q, &views.k, &views.v, &views.attended,
                       &views.index_q, &views.index_k, &views.block_ids, &views.expert_ids, &views.expert_weights}) {
    *view = view->slice(0, n_tokens);
  }
  return views;
}

}  // namespace inference
