#pragma once
// Products with weight matrices: out = x · wᵀ (+ bias), or M3's gated pair of them, for one matrix or for one of many
// experts per group of rows.

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "inference/ops/ops.h"

namespace inference::ops::cuda {

// One matrix, or gate and up of a feed-forward network: the same shape and type.
struct WeightPair {
  const void* first = nullptr;                  // [n, k]
  const std::uint8_t* first_scales = nullptr;   // E8M0 [n, k / kMxGroup] or null
  const void* second = nullptr;                 // [n, k]
  const std::uint8_t* second_scales = nullptr;  // E8M0 [n, k / kMxGroup] or null
};

// Rows first_row … end_row - 1 of a grouped product, at most a tile's height, all of one group.
struct RowTile {
  std::int32_t group, first_row, end_row;
};

// The rows of a grouped product, sorted by group; all lists are in the GPU's memory.
struct Grouping {
  const WeightPair* weights = nullptr;   // [n_groups]
  const std::int32_t* row_of = nullptr;  // [n_rows] the row of x that a sorted row reads; null: its own
  const RowTile* tiles = nullptr;        // [max_tiles]
  const std::int32_t* n_tiles = nullptr;
  unsigned max_tiles = 0;
};

struct Product {
  Tensor out;               // [n_rows, n] of F32 or x's type
  Tensor x;                 // [n_rows, k], or what Grouping::row_of points into
  WeightPair weights = {};  // unless grouped
  DType weight_type = DType::F32;
  Vector bias = {};       // [n] or absent
  bool is_gated = false;  // out = (clamp(up) + 1) · g · sigmoid(alpha · g) of the pair's products
  Activation activation = {};
  Grouping grouping = {};  // without weights: one group of all rows
};

// By the kernel that suits the product.
void multiply(cudaStream_t stream, const Product& product, bool is_hopper);
// The same for more rows than a few; `on_tensor_cores`: or on Hopper's, where its kernel takes the product.
void multiply_many_rows(cudaStream_t stream, const Product& product, bool is_hopper, bool on_tensor_cores);

// Whether the tensor cores' kernel takes this product: bf16 rows of whole 16-byte pieces, bf16 or MXFP8 weights.
bool fits_tensor_cores(DType x_type, DType weight_type, std::int64_t k);
inline constexpr int kTensorTileRows = 128, kPlainTileRows = 64;

// mma.sync with bf16 operands and fp32 sums; MXFP8 weights become bf16 (exactly) on their way to shared memory.
void multiply_on_tensor_cores(cudaStream_t stream, const Product& product);
// Whether Hopper's kernel takes this product: bf16 rows, more than a few, with MXFP8 weights.
bool fits_hopper_product(const Product& product);
// wgmma; codes become bf16 (exactly) in registers.
void multiply_on_hopper(cudaStream_t stream, const Product& product);
// fp32 arithmetic for every combination of types and shapes.
void multiply_plainly(cudaStream_t stream, const Product& product);

// A few rows: each weight is read once, at the speed of memory.
inline constexpr std::int64_t kMaxVectorRows = 4;
void multiply_few_rows(cudaStream_t stream, const Product& product);
// Up to kMostJoint products of the same x with weights of one type, none of them gated, in one launch.
inline constexpr std::size_t kMostJoint = 5;
void multiply_few_rows_jointly(cudaStream_t stream, std::span<const Product> products);

inline WeightPair pair_of(const Ffn& ffn) {
  return {ffn.gate.data, ffn.gate.scales, ffn.up.data, ffn.up.scales};
}

// One token's experts, or a few tokens': inner[pair] = gated product of the pair's expert with the pair's token. A
// token has n_pairs of them: its top_k choices and, if there is one, the shared expert, which weighs 1.
struct ExpertVectors {
  const WeightPair* gate_up = nullptr;    // [n_experts], then the shared one's, in the GPU's memory
  const WeightPair* down = nullptr;       // the same, the first of each pair
  const std::int32_t* ids = nullptr;      // [n_tokens, top_k]
  const float* expert_weights = nullptr;  // [n_tokens, top_k]
  int top_k = 0, n_pairs = 0, n_experts = 0;
  DType gate_up_type = DType::F32, down_type = DType::F32;
  Activation activation = {};
};
// Pairs first … first + count - 1 of each token.
struct PairRange {
  int first = 0, count = 0;
};
void expert_gate_up(cudaStream_t stream, Tensor inner,  // [n_tokens * n_pairs, ffn_dim]
                    Tensor x,                           // [n_tokens, hidden_dim]
                    const ExpertVectors& experts, PairRange range);
// out[token] (+)= Σ weight · down(inner[pair]) over the token's pairs
void expert_down(cudaStream_t stream, Tensor out,  // [n_tokens, hidden_dim]
                 Tensor inner,                     // [n_tokens * n_pairs, ffn_dim]
                 const ExpertVectors& experts, bool is_added);

}  // namespace inference::ops::cuda
