#include <tuple>

#include "tests/ops/ops_fixture.h"

namespace inference::ops {
namespace {

constexpr DType kWeightTypes[] = {DType::F32, DType::F16, DType::BF16, DType::F8E4M3};

class LinearOps : public DeviceOps {};

// x row r picks column r of the weight.
TEST_P(LinearOps, one_hot_inputs_give_the_stored_weights_exactly) {
  for (const DType dtype : kWeightTypes) {
    const std::int64_t in_dim = 96, out_dim = 10;
    const StoredWeight w = random_weight(random, dtype, out_dim, in_dim);
    Activations x(in_dim, in_dim), out(in_dim, out_dim);
    for (std::int64_t i = 0; i < in_dim; ++i) x.at(i, i) = 1;
    device->linear(out.tensor(), x.tensor(), w.matrix);
    for (std::int64_t row = 0; row < in_dim; ++row) {
      for (std::int64_t col = 0; col < out_dim; ++col) {
        ASSERT_EQ(out.at(row, col), weight_at(w.matrix, col, row)) << dtype_name(dtype) << " " << row << " " << col;
      }
    }
  }
}

TEST_P(LinearOps, every_e4m3_code_under_every_plausible_scale_is_exact) {
  StoredWeight w;
  const std::int64_t n_scales = 121;  // 2^-60 … 2^60
  for (int scale = 67; scale < 67 + n_scales; ++scale) {
    for (int code = 0; code < 256; ++code) w.data.push_back(static_cast<std::byte>((code & 0x7F) == 0x7F ? 0 : code));
    for (int group = 0; group < 8; ++group) w.scales.push_back(static_cast<std::uint8_t>(scale));
  }
  w.matrix = {w.data.data(), w.scales.data(), n_scales, 256, DType::F8E4M3};
  for (std::int64_t code = 0; code < 256; code += 5) {
    Activations x(1, 256), out(1, n_scales);
    x.at(0, code) = 1;
    device->linear(out.tensor(), x.tensor(), w.matrix);
    for (std::int64_t row = 0; row < n_scales; ++row) ASSERT_EQ(out.at(0, row), weight_at(w.matrix, row, code));
  }
}

// Also where x is 0, and alike for one row and for many: a damaged checkpoint must not pass for one with weights of
// ±480.
TEST_P(LinearOps, a_nan_code_of_e4m3_makes_its_output_nan_and_no_other) {
  for (const std::int64_t in_dim : {64, 96, 1088}) {
    for (const std::int64_t n_rows : {1, 5}) {
      StoredWeight w = random_weight(random, DType::F8E4M3, 9, in_dim);
      w.data[static_cast<std::size_t>(2 * in_dim + in_dim - 1)] = std::byte{0x7F};
      w.data[static_cast<std::size_t>(8 * in_dim + 5)] = std::byte{0xFF};
      Activations x = random_activations(random, n_rows, in_dim), out(n_rows, 9);
      for (std::int64_t row = 0; row < n_rows; ++row) x.at(row, 5) = x.at(row, in_dim - 1) = 0;
      device->linear(out.tensor(), x.tensor(), w.matrix);
      for (std::int64_t row = 0; row < n_rows; ++row) {
        for (std::int64_t col = 0; col < 9; ++col) {
          EXPECT_EQ(std::isnan(out.at(row, col)), col == 2 || col == 8) << in_dim << ": " << row << " " << col;
        }
      }
    }
  }
}

TEST_P(LinearOps, any_shape_matches_the_reference) {
  const std::tuple<int, int, int> shapes[] = {// n_rows, in_dim, out_dim
                                              {1, 32, 1},    {1, 96, 5},    {1, 64, 33},   {2, 1056, 31},
                                              {3, 32, 4},    {7, 160, 64},  {25, 64, 7},   {193, 96, 9},
                                              {5, 2048, 35}, {1, 4096, 66}, {1, 1024, 48}, {4, 512, 130}};
  for (const DType dtype : kWeightTypes) {
    for (const auto& [n_rows, in_dim, out_dim] : shapes) {
      const StoredWeight w = random_weight(random, dtype, out_dim, in_dim);
      Activations x = random_activations(random, n_rows, in_dim), bias = random_activations(random, 1, out_dim);
      Activations got(n_rows, out_dim), want(n_rows, out_dim);
      const Vector b = {n_rows % 2 == 0 ? bias.values.data() : nullptr, out_dim};
      device->linear(got.tensor(), x.tensor(), w.matrix, b);
      reference->linear(want.tensor(), x.tensor(), w.matrix, b);
      EXPECT_LE(nmse(got.values, want.values), kMaxNmse)
          << dtype_name(dtype) << " [" << n_rows << ", " << in_dim << ", " << out_dim << "]";
    }
  }
}

TEST_P(LinearOps, in_dims_that_no_vector_divides_match_the_reference) {
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
    for (const int in_dim : {1, 3, 16, 17, 48, 63, 65, 513, 1176}) {
      for (const int n_rows : {1, 4}) {
        const StoredWeight w = random_weight(random, dtype, 6, in_dim);
        Activations x = random_activations(random, n_rows, in_dim), got(n_rows, 6), want(n_rows, 6);
        device->linear(got.tensor(), x.tensor(), w.matrix);
        reference->linear(want.tensor(), x.tensor(), w.matrix);
        EXPECT_LE(nmse(got.values, want.values), kMaxNmse) << dtype_name(dtype) << " " << in_dim;
      }
    }
  }
}

TEST_P(LinearOps, a_row_gives_the_same_bits_alone_and_among_others) {
  if (is_gpu()) GTEST_SKIP() << "only the CPU promises equal bits";
  for (const DType dtype : kWeightTypes) {
    for (const int in_dim : {64, 96, 1024, 1184}) {
      const StoredWeight w = random_weight(random, dtype, 37, in_dim);
      Activations x = random_activations(random, 200, in_dim), all(200, 37), one(1, 37);
      device->linear(all.tensor(), x.tensor(), w.matrix);
      for (const std::int64_t row : {0, 1, 99, 199}) {
        device->linear(one.tensor(), x.tensor().slice(row, 1), w.matrix);
        for (std::int64_t col = 0; col < 37; ++col) {
          ASSERT_EQ(one.at(0, col), all.at(row, col)) << dtype_name(dtype) << " " << in_dim;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, LinearOps, testing::ValuesIn(all_setups()), setup_name);

}  // namespace
}  // namespace inference::ops
