#include "inference/memory_plan.h"

#include <gtest/gtest.h>

namespace inference {
namespace {

constexpr double kGiB = 1 << 30;

TextConfig shape_of_m3() {
  TextConfig m3;
  m3.hidden_dim = 6144;
  m3.q_heads = 64;
  m3.kv_heads = 4;
  m3.head_dim = m3.index_dim = 128;
  m3.dense_dim = 12288;
  m3.expert_dim = m3.shared_dim = 3072;
  m3.n_experts = 128;
  m3.top_k_experts = 4;
  m3.top_k_blocks = 16;
  return m3;
}

// 8,192 tokens of M3: 2 GiB of single choices' results, 0.75 of experts' results, 1 of activations, and the fixed part.
TEST(MemoryPlan, grows_with_the_chunk_as_the_kernels_memory_does) {
  const double fixed = static_cast<double>(gpu_working_bytes(shape_of_m3(), DType::BF16, 0)) / kGiB;
  const double large = static_cast<double>(gpu_working_bytes(shape_of_m3(), DType::BF16, 8192)) / kGiB;
  EXPECT_DOUBLE_EQ(fixed, 1);
  EXPECT_GT(large, fixed + 3.5);
  EXPECT_LT(large, fixed + 4.5);
  EXPECT_LT(static_cast<double>(gpu_working_bytes(shape_of_m3(), DType::BF16, 512)) / kGiB, fixed + 0.3);
}

TEST(MemoryPlan, counts_no_choices_where_none_are_made) {
  TextConfig dense = shape_of_m3();
  dense.top_k_blocks = 0;
  EXPECT_LT(gpu_working_bytes(dense, DType::BF16, 8192) + (std::size_t{2} << 30),
            gpu_working_bytes(shape_of_m3(), DType::BF16, 8192));
}

}  // namespace
}  // namespace inference
