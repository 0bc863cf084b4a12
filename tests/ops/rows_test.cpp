// Operations on single rows: embedding, norms, rotations, gelu, addition.

#include "tests/ops/ops_fixture.h"

namespace inference::ops {
namespace {

class RowsOps : public DeviceOps {};

TEST_P(RowsOps, embedding_gives_the_stored_row_exactly) {
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
    const StoredWeight table = random_weight(random, dtype, 50, 21);
    const std::int32_t ids[] = {49, 0, 7, 7};
    Activations out(4, 21);
    device->embed(out.tensor(), table.matrix, ids);
    for (std::int64_t token = 0; token < 4; ++token) {
      for (std::int64_t i = 0; i < 21; ++i) EXPECT_EQ(out.at(token, i), weight_at(table.matrix, ids[token], i));
    }
  }
}

TEST_P(RowsOps, norms_match_the_reference) {
  for (const int dim : {1, 7, 64, 100, 1280}) {
    Activations x = random_activations(random, 9, dim, 3), w = random_activations(random, 1, dim), got(9, dim),
                want = got;
    Activations b = random_activations(random, 1, dim);
    const Vector weight{w.values.data(), dim}, bias{b.values.data(), dim};
    device->rms_norm(got.tensor(), x.tensor(), weight, 1e-6F);
    reference->rms_norm(want.tensor(), x.tensor(), weight, 1e-6F);
    EXPECT_LE(nmse(got.values, want.values), 1e-12) << dim;
    device->layer_norm(got.tensor(), x.tensor(), weight, bias, 1e-5F);
    reference->layer_norm(want.tensor(), x.tensor(), weight, bias, 1e-5F);
    EXPECT_LE(nmse(got.values, want.values), 1e-12) << dim;
  }
}

TEST_P(RowsOps, adding_then_normalising_is_both) {
  for (const int dim : {8, 100, 1280, 6144}) {
    Activations x = random_activations(random, 3, dim, 3), y = random_activations(random, 3, dim, 2);
    Activations w = random_activations(random, 1, dim), got(3, dim), want(3, dim), sum = x;
    const Vector weight{w.values.data(), dim};
    device->add_norm(got.tensor(), x.tensor(), y.tensor(), weight, 1e-6F);
    reference->add(sum.tensor(), y.tensor());
    reference->rms_norm(want.tensor(), sum.tensor(), weight, 1e-6F);
    EXPECT_EQ(x.values, sum.values) << dim;
    EXPECT_LE(nmse(got.values, want.values), 1e-12) << dim;
  }
}

TEST_P(RowsOps, heads_are_normalised_then_rotated_at_near_and_far_positions) {
  for (const std::int64_t first_position : {0, 1000, 1000000}) {
    for (const auto& [head_dim, rotary_dim] : {std::pair{16, 8}, {128, 64}, {24, 24}, {20, 10}}) {
      Activations x = random_activations(random, 5, 3 * head_dim, 4), w = random_activations(random, 1, head_dim);
      Activations want = x;
      const HeadNorm norm{{w.values.data(), head_dim}, 1e-6F};
      device->norm_rope_heads(x.tensor(), norm, {rotary_dim, 5e6F}, first_position);
      reference->norm_rope_heads(want.tensor(), norm, {rotary_dim, 5e6F}, first_position);
      EXPECT_LE(nmse(x.values, want.values), 1e-12) << head_dim << " at " << first_position;
    }
  }
}

TEST_P(RowsOps, rope_3d_matches_the_reference_and_leaves_the_rest_alone) {
  const int head_dim = 80, heads = 2;
  Activations x = random_activations(random, 6, heads * head_dim), before = x, want = x;
  const PatchPosition positions[] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {3, 40, 63}, {0, 143, 143}};
  device->rope_3d(x.tensor(), positions, heads, 10000);
  reference->rope_3d(want.tensor(), positions, heads, 10000);
  EXPECT_LE(nmse(x.values, want.values), 1e-12);
  for (std::int64_t patch = 0; patch < 6; ++patch) {
    for (const std::int64_t i : {78, 79, 158, 159}) EXPECT_EQ(x.at(patch, i), before.at(patch, i));
  }
}

TEST_P(RowsOps, gelu_matches_the_exact_one_over_its_whole_range) {
  Activations x(3, 2001);
  for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = (static_cast<float>(i) - 3000) / 250;  // ±12
  x.values[0] = -100;
  x.values[1] = 100;
  Activations want = x;
  device->gelu(x.tensor());
  reference->gelu(want.tensor());
  for (std::size_t i = 0; i < x.values.size(); ++i) EXPECT_NEAR(x.values[i], want.values[i], 2e-6F) << i;
}

TEST_P(RowsOps, addition_is_elementwise) {
  Activations x = random_activations(random, 7, 33), y = random_activations(random, 7, 33), want = x;
  device->add(x.tensor(), y.tensor());
  reference->add(want.tensor(), y.tensor());
  EXPECT_EQ(x.values, want.values);
}

INSTANTIATE_TEST_SUITE_P(Devices, RowsOps, testing::ValuesIn(all_setups()), setup_name);

}  // namespace
}  // namespace inference::ops
