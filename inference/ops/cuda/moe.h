#pragma once
// Around the experts' products: the router's choice, sorting tokens by expert, adding the experts' results up.

#include <cuda_runtime.h>

#include <cstdint>

#include "inference/ops/cuda/gemm.h"
#include "inference/ops/ops.h"

namespace inference::ops::cuda {

// A few tokens' choices in one launch, in fp32 throughout.
void rate_and_choose_experts(cudaStream_t stream, Tensor expert_ids,  // I32 [n_tokens, top_k]
                             Tensor expert_weights,                   // F32 [n_tokens, top_k]
                             Tensor x,                                // [n_tokens, hidden_dim]
                             const Router& router,                    // without scales
                             float* logits,                           // [n_tokens, n_experts], free to use
                             unsigned* n_rated);                      // [n_tokens], zeros before and after

// From logits to the chosen experts and their weights.
void choose_experts(cudaStream_t stream, Tensor expert_ids,  // I32 [n_tokens, top_k]
                    Tensor expert_weights,                   // F32 [n_tokens, top_k]
                    const float* logits,                     // [n_tokens, n_experts]
                    int n_experts, Vector bias, float scaling);

// (token, choice) pairs in the order of their experts, and the tiles that a grouped product takes them in.
struct ExpertOrder {
  std::int32_t* token_of = nullptr;     // [n_pairs] sorted row → token
  std::int32_t* sorted_row = nullptr;   // [n_pairs] pair → sorted row
  std::int32_t* expert_ends = nullptr;  // [n_experts] the sorted row behind an expert's last
  RowTile* tiles = nullptr;             // [n_pairs / tile_rows + n_experts]
  std::int32_t* n_tiles = nullptr;      // [1]
};
void sort_by_expert(cudaStream_t stream, const ExpertOrder& order, Tensor expert_ids, int n_experts, int tile_rows);

// out[token] (+)= Σ weight · results[sorted row of the pair]
void add_experts(cudaStream_t stream, Tensor out,      // [n_tokens, hidden_dim]
                 bool is_added, const float* results,  // [n_pairs, hidden_dim]
                 const ExpertOrder& order, Tensor expert_weights);

// gate = M3's gate of gate and up, elementwise
void gate_rows(cudaStream_t stream, Tensor gate, Tensor up, const Activation& activation);

}  // namespace inference::ops::cuda
