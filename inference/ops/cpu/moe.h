#pragma once
// Mixture of experts: the router's choice, and the chosen experts' networks with each expert's weights read once for
// all the tokens that chose it.

#include <cstdint>
#include <span>
#include <vector>

#include "inference/ops/cpu/linear.h"
#include "inference/ops/cpu/thread_pool.h"
#include "inference/ops/ops.h"

namespace inference::ops {

// From logits [n_tokens, n_experts] to the chosen experts and their weights [n_tokens, top_k_experts].
void choose_experts(Tensor expert_ids, Tensor expert_weights, const float* logits, std::int64_t n_experts, Vector bias,
                    float scaling);

// Feed-forward networks over rows of x; keeps its buffers from call to call.
class FfnRunner {
 public:
  explicit FfnRunner(ThreadPool& pool) : pool_(pool) {}

  void run(float* out, Tensor x, const Ffn& ffn, const Activation& activation);
  void mix(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
           const Ffn* shared, const Activation& activation);

 private:
  // A chosen expert and its rows in the buffers below.
  struct Part {
    const Ffn* ffn;
    std::int64_t first_row, n_rows;
  };
  void run_parts(float* out, std::span<const Part> parts, const Activation& activation);

  ThreadPool& pool_;
  PackedRows x_;              // [n_rows, hidden_dim]
  std::vector<float> inner_;  // [n_rows, ffn_dim]
  PackedRows packed_inner_;   // [n_rows, ffn_dim]
  std::vector<float> out_;    // [n_rows, hidden_dim]
};

}  // namespace inference::ops
