#include <limits>

#include "tests/ops/ops_fixture.h"

namespace inference::ops {
namespace {

class SelectionOps : public DeviceOps {
 protected:
  // Chooses on the device for queries at n_past … and the given index keys.
  static Ids choose(Device& device, const KvLayer& layer, Activations& q, const Selection& selection,
                    std::int64_t n_past) {
    Ids ids(q.rows, q.cols / layer.index_dim * selection.top_k_blocks);
    device.select_blocks(ids.tensor(), q.tensor(), layer, selection, n_past);
    return ids;
  }
};

TEST_P(SelectionOps, keeps_the_best_blocks_and_its_own) {
  // Keys along one axis: block b's best key is rating[b]; one query at position 4 * 6 + 1.
  const float rating[] = {1, 5, 3, 5, 2, 4, -9};
  TestCache cache(DType::F32, 4, 1, 8, 8, 28);
  Activations k(26, 8), q(1, 8);
  for (std::int64_t p = 0; p < 26; ++p) k.at(p, 0) = p % 4 == 1 ? rating[p / 4] : -10;
  q.at(0, 0) = 1;
  device->store_index_k(cache.layer, k.tensor(), 0);
  const Selection base{.block_size = 4, .top_k_blocks = 3};
  EXPECT_EQ(choose(*device, cache.layer, q, base, 25).values, (std::vector<std::int32_t>{1, 3, 6}));
  Selection first = base;
  first.init_blocks = 1;
  EXPECT_EQ(choose(*device, cache.layer, q, first, 25).values, (std::vector<std::int32_t>{0, 1, 6}));
  Selection local = base;
  local.local_blocks = 2;
  EXPECT_EQ(choose(*device, cache.layer, q, local, 25).values, (std::vector<std::int32_t>{1, 5, 6}));
  Selection none = base;
  none.local_blocks = 0;
  EXPECT_EQ(choose(*device, cache.layer, q, none, 25).values, (std::vector<std::int32_t>{1, 3, 5}));
  Selection wide = base;
  wide.top_k_blocks = 9;
  EXPECT_EQ(choose(*device, cache.layer, q, wide, 25).values, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, -1, -1}));
}

TEST_P(SelectionOps, ties_go_to_the_lower_block) {
  TestCache cache(DType::F32, 4, 1, 8, 16, 40);
  Activations k(40, 16), q(1, 16);
  std::fill(k.values.begin(), k.values.end(), 0.5F);
  std::fill(q.values.begin(), q.values.end(), 0.25F);
  device->store_index_k(cache.layer, k.tensor(), 0);
  EXPECT_EQ(choose(*device, cache.layer, q, {.block_size = 4, .top_k_blocks = 3}, 38).values,
            (std::vector<std::int32_t>{0, 1, 9}));
}

TEST_P(SelectionOps, later_keys_of_the_own_block_do_not_count) {
  TestCache cache(DType::F32, 4, 1, 8, 8, 8);
  Activations k(8, 8), q(8, 8);
  k.at(7, 0) = 100;  // only position 7 may see it
  k.at(0, 0) = 1;
  for (std::int64_t p = 0; p < 8; ++p) q.at(p, 0) = 1;
  device->store_index_k(cache.layer, k.tensor(), 0);
  const Ids ids = choose(*device, cache.layer, q, {.block_size = 4, .top_k_blocks = 1, .local_blocks = 0}, 0);
  EXPECT_EQ(ids.values, (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST_P(SelectionOps, nan_scores_lose) {
  TestCache cache(DType::F32, 4, 1, 8, 8, 16);
  Activations k(16, 8), q(1, 8);
  for (std::int64_t p = 0; p < 16; ++p) k.at(p, 0) = -1;
  k.at(0, 0) = k.at(5, 0) = std::numeric_limits<float>::quiet_NaN();
  for (std::int64_t p = 4; p < 8; ++p) k.at(p, 0) = std::numeric_limits<float>::quiet_NaN();
  q.at(0, 0) = 1;
  device->store_index_k(cache.layer, k.tensor(), 0);
  EXPECT_EQ(choose(*device, cache.layer, q, {.block_size = 4, .top_k_blocks = 3}, 15).values,
            (std::vector<std::int32_t>{0, 2, 3}));
}

TEST_P(SelectionOps, random_keys_match_the_reference) {
  for (const DType dtype : {DType::F32, DType::BF16}) {
    for (const int index_dim : {16, 24, 128}) {
      for (const int block_size : {8, 20, 64}) {
        const std::int64_t n_past = 333, n_tokens = 90;
        TestCache cache(dtype, block_size, 1, 8, index_dim, n_past + n_tokens);
        Activations k = random_activations(random, n_past + n_tokens, index_dim);
        Activations q = random_activations(random, n_tokens, 3 * index_dim);
        device->store_index_k(cache.layer, k.tensor(), 0);
        const Selection selection{.block_size = block_size, .top_k_blocks = 4, .init_blocks = block_size % 8 == 0};
        EXPECT_EQ(choose(*device, cache.layer, q, selection, n_past).values,
                  choose(*reference, cache.layer, q, selection, n_past).values)
            << dtype_name(dtype) << " index_dim " << index_dim << " block " << block_size;
      }
    }
  }
}

// Blocks whose scores differ in the last bit or not at all must not swap places with the division into calls.
TEST_P(SelectionOps, near_ties_are_decided_alike_in_chunks_and_token_by_token) {
  if (is_gpu()) GTEST_SKIP() << "only the CPU promises equal bits";
  for (const DType dtype : {DType::F32, DType::BF16}) {
    const std::int64_t n_tokens = 700, index_dim = 128;
    TestCache cache(dtype, 16, 1, 8, index_dim, n_tokens);
    Activations k = random_activations(random, n_tokens, index_dim);
    // All blocks hold permutations of the same key: sums equal but for rounding.
    for (std::int64_t p = 16; p < n_tokens; ++p) {
      for (std::int64_t i = 0; i < index_dim; ++i) k.at(p, i) = k.at(p % 16, i);
      k.at(p, p % index_dim) *= 1 + 1e-6F;
    }
    Activations q = random_activations(random, n_tokens, 4 * index_dim);
    device->store_index_k(cache.layer, k.tensor(), 0);
    const Selection selection{.block_size = 16, .top_k_blocks = 5};
    const Ids whole = choose(*device, cache.layer, q, selection, 0);
    for (const std::int64_t step : {1, 37}) {
      Ids parts(n_tokens, 4 * 5);
      for (std::int64_t token = 0; token < n_tokens; token += step) {
        const std::int64_t n = std::min(step, n_tokens - token);
        device->select_blocks(parts.tensor().slice(token, n), q.tensor().slice(token, n), cache.layer, selection,
                              token);
      }
      EXPECT_EQ(whole.values, parts.values) << dtype_name(dtype) << " step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SelectionOps, testing::ValuesIn(all_setups()), setup_name);

}  // namespace
}  // namespace inference::ops
