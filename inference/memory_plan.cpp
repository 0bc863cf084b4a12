#include "inference/memory_plan.h"

#include <algorithm>

namespace inference {

std::size_t gpu_working_bytes(const TextConfig& config, DType activation_type, std::int64_t prefill_chunk) {
  constexpr std::int64_t kFixedBytes = std::int64_t{1} << 30;
  const std::int64_t q_dim = std::int64_t{config.q_heads} * config.head_dim;
  const std::int64_t kv_dim = std::int64_t{config.kv_heads} * config.head_dim;
  const std::int64_t index_dim = (std::int64_t{config.kv_heads} + 1) * config.index_dim;
  const std::int64_t streams = 3 * std::int64_t{config.hidden_dim} + 2 * q_dim + 2 * kv_dim + index_dim;
  // Gate and up of all tokens, and of their experts; the experts' results are fp32.
  const std::int64_t experts = config.top_k_experts;
  const std::int64_t inner =
      std::max({2 * std::int64_t{config.dense_dim}, 2 * std::int64_t{config.shared_dim}, experts * config.expert_dim});
  const std::int64_t results = experts * config.hidden_dim * static_cast<std::int64_t>(sizeof(float));
  // Sparse attention by blocks leaves a bf16 result and a logarithm for each choice.
  constexpr std::int64_t kLogBytes = sizeof(float), kPartElementBytes = 2;
  const std::int64_t parts = config.top_k_blocks * (q_dim * kPartElementBytes + config.q_heads * kLogBytes);
  const auto element = static_cast<std::int64_t>(element_bytes(activation_type));
  return static_cast<std::size_t>(kFixedBytes + prefill_chunk * ((streams + inner) * element + results + parts));
}

}  // namespace inference
