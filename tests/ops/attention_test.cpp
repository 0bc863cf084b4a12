#include <algorithm>
#include <iterator>

#include "tests/ops/ops_fixture.h"

namespace inference::ops {
namespace {

class AttentionOps : public DeviceOps {};

struct Shape {
  Heads heads;
  int page_size;
  std::int64_t n_past, n_tokens;
};

const Shape kShapes[] = {{{4, 1, 16}, 16, 0, 1},   {{4, 2, 16}, 16, 5, 37},  {{8, 2, 128}, 128, 0, 300},
                         {{8, 4, 64}, 32, 100, 1}, {{3, 3, 24}, 20, 33, 70}, {{16, 1, 32}, 64, 63, 66},
                         {{10, 2, 80}, 16, 7, 29}, {{1, 1, 8}, 4, 0, 9},     {{8, 2, 128}, 128, 511, 2}};

void store_random(std::mt19937& random, Device& device, const KvLayer& layer, std::int64_t n_tokens) {
  const std::int64_t dim = std::int64_t{layer.kv_heads} * layer.head_dim;
  Activations k = random_activations(random, n_tokens, dim), v = random_activations(random, n_tokens, dim);
  device.store_kv(layer, k.tensor(), v.tensor(), 0);
}

TEST_P(AttentionOps, a_single_visible_token_gives_its_value) {
  for (const DType dtype : {DType::F32, DType::BF16}) {
    TestCache cache(dtype, 16, 2, 48, 8, 1);
    Activations k(1, 96), v(1, 96), q = random_activations(random, 1, 4 * 48), out(1, 4 * 48);
    for (std::int64_t i = 0; i < 96; ++i) v.at(0, i) = static_cast<float>(i);  // exact in bf16
    device->store_kv(cache.layer, k.tensor(), v.tensor(), 0);
    device->attend(out.tensor(), q.tensor(), cache.layer, {4, 2, 48}, 0);
    for (std::int64_t i = 0; i < 4 * 48; ++i) EXPECT_EQ(out.at(0, i), static_cast<float>(i / 96 * 48 + i % 48)) << i;
  }
}

TEST_P(AttentionOps, a_query_that_points_at_one_key_gets_its_value) {
  const Heads heads{2, 1, 32};
  TestCache cache(DType::F32, 16, 1, 32, 8, 32);
  Activations k(32, 32), v(32, 32), q(32, 64), out(32, 64);
  for (std::int64_t p = 0; p < 32; ++p) {
    k.at(p, p) = 1000;
    for (std::int64_t i = 0; i < 32; ++i) v.at(p, i) = static_cast<float>(100 * p + i);
    q.at(p, p / 2) = 1;   // head 0 looks at position p / 2
    q.at(p, 32 + p) = 1;  // head 1 at its own
  }
  device->store_kv(cache.layer, k.tensor(), v.tensor(), 0);
  device->attend(out.tensor(), q.tensor(), cache.layer, heads, 0);
  for (std::int64_t p = 0; p < 32; ++p) {
    for (std::int64_t i = 0; i < 32; ++i) {
      EXPECT_FLOAT_EQ(out.at(p, i), static_cast<float>(p / 2 * 100 + i));
      EXPECT_FLOAT_EQ(out.at(p, 32 + i), static_cast<float>(p * 100 + i));
    }
  }
}

TEST_P(AttentionOps, stored_pages_equal_the_reference_bit_for_bit) {
  for (const DType dtype : {DType::F32, DType::BF16}) {
    TestCache got(dtype, 16, 3, 20, 12, 40), want(dtype, 16, 3, 20, 12, 40);
    Activations k = random_activations(random, 33, 60), v = random_activations(random, 33, 60);
    Activations index_k = random_activations(random, 33, 12);
    for (auto [each, cache] : {std::pair{device.get(), &got}, std::pair{reference.get(), &want}}) {
      each->store_kv(cache->layer, k.tensor(), v.tensor(), 7);
      each->store_index_k(cache->layer, index_k.tensor(), 7);
    }
    EXPECT_EQ(got.memory, want.memory);
  }
}

TEST_P(AttentionOps, dense_attention_matches_the_reference) {
  for (const DType dtype : {DType::F32, DType::BF16}) {
    for (const Shape& s : kShapes) {
      TestCache cache(dtype, s.page_size, s.heads.kv_heads, s.heads.head_dim, 8, s.n_past + s.n_tokens);
      store_random(random, *device, cache.layer, s.n_past + s.n_tokens);
      const std::int64_t cols = std::int64_t{s.heads.q_heads} * s.heads.head_dim;
      Activations q = random_activations(random, s.n_tokens, cols, 2), got(s.n_tokens, cols), want(s.n_tokens, cols);
      device->attend(got.tensor(), q.tensor(), cache.layer, s.heads, s.n_past);
      reference->attend(want.tensor(), q.tensor(), cache.layer, s.heads, s.n_past);
      EXPECT_LE(nmse(got.values, want.values), kMaxNmse) << dtype_name(dtype) << " head_dim " << s.heads.head_dim;
    }
  }
}

// Each token and kv head chooses among the blocks up to its own, its own included.
Ids random_choice(std::mt19937& random, const Shape& s, std::int64_t top_k) {
  Ids ids(s.n_tokens, s.heads.kv_heads * top_k);
  std::fill(ids.values.begin(), ids.values.end(), -1);
  for (std::int64_t row = 0; row < s.n_tokens * s.heads.kv_heads; ++row) {
    const auto own = static_cast<std::int32_t>((s.n_past + row / s.heads.kv_heads) / s.page_size);
    std::vector<std::int32_t> others, blocks = {own};
    for (std::int32_t b = 0; b < own; ++b) others.push_back(b);
    std::sample(others.begin(), others.end(), std::back_inserter(blocks), top_k - 1, random);
    std::sort(blocks.begin(), blocks.end());
    std::copy(blocks.begin(), blocks.end(), ids.values.begin() + row * top_k);
  }
  return ids;
}

TEST_P(AttentionOps, chosen_blocks_match_the_reference) {
  for (const DType dtype : {DType::F32, DType::BF16}) {
    for (const Shape& s : kShapes) {
      TestCache cache(dtype, s.page_size, s.heads.kv_heads, s.heads.head_dim, 8, s.n_past + s.n_tokens);
      store_random(random, *device, cache.layer, s.n_past + s.n_tokens);
      const std::int64_t cols = std::int64_t{s.heads.q_heads} * s.heads.head_dim;
      Activations q = random_activations(random, s.n_tokens, cols, 2), got(s.n_tokens, cols), want(s.n_tokens, cols);
      Ids ids = random_choice(random, s, 3);
      device->attend_blocks(got.tensor(), q.tensor(), ids.tensor(), cache.layer, s.heads, s.n_past);
      reference->attend_blocks(want.tensor(), q.tensor(), ids.tensor(), cache.layer, s.heads, s.n_past);
      EXPECT_LE(nmse(got.values, want.values), kMaxNmse) << dtype_name(dtype) << " head_dim " << s.heads.head_dim;
    }
  }
}

TEST_P(AttentionOps, choosing_every_block_gives_the_bits_of_dense_attention) {
  if (is_gpu()) GTEST_SKIP() << "only the CPU promises equal bits";
  const Shape s{{8, 2, 64}, 16, 40, 100};
  TestCache cache(DType::BF16, s.page_size, 2, 64, 8, 140);
  store_random(random, *device, cache.layer, 140);
  Activations q = random_activations(random, 100, 512), dense(100, 512), sparse(100, 512);
  Ids ids = random_choice(random, s, 9);
  device->attend(dense.tensor(), q.tensor(), cache.layer, s.heads, s.n_past);
  device->attend_blocks(sparse.tensor(), q.tensor(), ids.tensor(), cache.layer, s.heads, s.n_past);
  EXPECT_EQ(dense.values, sparse.values);
}

TEST_P(AttentionOps, one_call_many_calls_and_token_by_token_give_the_same_bits) {
  if (is_gpu()) GTEST_SKIP() << "only the CPU promises equal bits";
  for (const DType dtype : {DType::F32, DType::BF16}) {
    for (const int head_dim : {128, 40}) {
      const Shape s{{6, 2, head_dim}, 32, 0, 150};
      TestCache cache(dtype, s.page_size, 2, head_dim, 8, 150);
      store_random(random, *device, cache.layer, 150);
      Activations q = random_activations(random, 150, 6 * head_dim), whole(150, 6 * head_dim), parts(150, 6 * head_dim);
      Ids ids = random_choice(random, s, 2);
      device->attend_blocks(whole.tensor(), q.tensor(), ids.tensor(), cache.layer, s.heads, 0);
      for (const std::int64_t step : {1, 47}) {
        for (std::int64_t token = 0; token < 150; token += step) {
          const std::int64_t n = std::min(step, 150 - token);
          device->attend_blocks(parts.tensor().slice(token, n), q.tensor().slice(token, n),
                                ids.tensor().slice(token, n), cache.layer, s.heads, token);
        }
        EXPECT_EQ(whole.values, parts.values) << dtype_name(dtype) << " step " << step;
      }
    }
  }
}

TEST_P(AttentionOps, segments_match_the_reference) {
  const std::int64_t ends[] = {1, 130, 143, 400};
  for (const int head_dim : {16, 80}) {
    const int heads = 3;
    Activations q = random_activations(random, 400, heads * head_dim, 2);
    Activations k = random_activations(random, 400, heads * head_dim);
    Activations v = random_activations(random, 400, heads * head_dim);
    Activations got(400, heads * head_dim), want(400, heads * head_dim);
    device->attend_segments(got.tensor(), q.tensor(), k.tensor(), v.tensor(), ends, heads);
    reference->attend_segments(want.tensor(), q.tensor(), k.tensor(), v.tensor(), ends, heads);
    EXPECT_LE(nmse(got.values, want.values), kMaxNmse) << head_dim;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, AttentionOps, testing::ValuesIn(all_setups()), setup_name);

}  // namespace
}  // namespace inference::ops
