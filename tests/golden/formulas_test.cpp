// Single formulas of the model against hand-derived vectors, and the mistakes that other implementations made: each
// test is named for what must hold.

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "inference/number_formats.h"
#include "tests/golden/tiny_model.h"
#include "tests/ops/host_facing_device.h"

namespace inference::testing {
namespace {

using nlohmann::json;

json cases_of(const char* name) {
  std::ifstream file(golden_dir("formulas.json"));
  return json::parse(file)["data"][name];
}

Matrix matrix_of(const std::vector<float>& values, std::int64_t rows, std::int64_t cols) {
  return {values.data(), nullptr, rows, cols, DType::F32};
}

Tensor tensor_of(std::vector<float>& values, std::int64_t rows, std::int64_t cols) {
  return {values.data(), rows, cols, DType::F32};
}

std::vector<float> identity(std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n * n), 0.0F);
  for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i * n + i)] = 1;
  return values;
}

class Formulas : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    device_ = make_device(GetParam());
    if (device_ == nullptr) GTEST_SKIP() << "no GPU answers";
    if (GetParam() == std::string("cuda")) device_ = std::make_unique<ops::HostFacingDevice>(std::move(device_));
  }
  // The feed-forward network with identity weights is the bare activation of (gate, up).
  float swiglu(float gate, float up, const ops::Activation& activation) {
    const std::vector<float> gate_row = {1, 0}, up_row = {0, 1}, one = {1};
    std::vector<float> x = {gate, up}, out = {0};
    device_->feed_forward(tensor_of(out, 1, 1), tensor_of(x, 1, 2),
                          {matrix_of(gate_row, 1, 2), matrix_of(up_row, 1, 2), matrix_of(one, 1, 1)}, activation);
    return out[0];
  }

  std::unique_ptr<ops::Device> device_;
};
INSTANTIATE_TEST_SUITE_P(Devices, Formulas, kEachDevice, [](const auto& info) { return std::string(info.param); });

TEST_P(Formulas, norm_weights_get_one_added_exactly_once) {
  const json item = cases_of("gemma_rmsnorm");
  std::vector<float> x = item["x"], weight = item["w"], out(x.size());
  const std::vector<float> expected = item["out"];
  device_->rms_norm(tensor_of(out, 1, 4), tensor_of(x, 1, 4), {weight.data(), 4}, item["eps"]);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], expected[i], 1e-6);
}

TEST_P(Formulas, gate_is_clamped_from_above_only_and_up_on_both_sides) {
  const json cases = cases_of("swigluoai");
  for (const json& item : cases) {
    const float expected = item["out"];
    EXPECT_NEAR(swiglu(item["gate"], item["up"], {1.702F, 7}), expected, 1e-5 + 2e-6 * std::abs(expected))
        << item.dump();
  }
}

TEST_P(Formulas, alpha_and_limit_come_from_the_config) {
  const double g = 2, u = 1.5;
  EXPECT_NEAR(swiglu(3, 5, {1, 2}), (2.0 + 1) * 2 / (1 + std::exp(-2.0)), 1e-5) << "both clamped to 2";
  EXPECT_NEAR(swiglu(2, 1.5F, {0.5F, 9}), (u + 1) * g / (1 + std::exp(-0.5 * g)), 1e-5);
}

TEST_P(Formulas, routing_chooses_with_the_bias_and_weighs_without_it) {
  const json item = cases_of("router_top4_of_6");
  std::vector<float> logits = item["logits"];
  const std::vector<float> bias = item["bias"], router = identity(6);
  std::vector<std::int32_t> ids(4);
  std::vector<float> weights(4);
  device_->route({ids.data(), 1, 4, DType::I32}, tensor_of(weights, 1, 4), tensor_of(logits, 1, 6),
                 matrix_of(router, 6, 6), {bias.data(), 6}, 2);
  std::vector<std::int32_t> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, item["selected_set"].get<std::vector<std::int32_t>>());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_NEAR(weights[i], item["weights_with_scale2"][std::to_string(ids[i])].get<float>(), 1e-6);
  }
}

TEST_P(Formulas, router_keeps_full_precision) {
  // Scores that bf16 could not tell apart: the larger must win.
  const std::vector<float> router = {1.0F, 1.0001F};
  std::vector<float> x = {1};
  std::int32_t id = -1;
  float weight = 0;
  device_->route({&id, 1, 1, DType::I32}, {&weight, 1, 1, DType::F32}, tensor_of(x, 1, 1), matrix_of(router, 2, 1), {},
                 1);
  EXPECT_EQ(id, 1);
  EXPECT_FLOAT_EQ(weight, 1);
}

TEST_P(Formulas, mxfp8_scale_multiplies_in_spite_of_its_name) {
  const json item = cases_of("mxfp8_dequant_example");
  const std::vector<int> codes = item["weight_codes"];
  const auto scale = static_cast<std::uint8_t>(item["scale_code"].get<int>());
  std::vector<std::uint8_t> row(kMxGroup, 0);
  for (std::size_t i = 0; i < codes.size(); ++i) row[i] = static_cast<std::uint8_t>(codes[i]);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::vector<float> x(kMxGroup, 0), out = {0};
    x[i] = 1;
    device_->linear(tensor_of(out, 1, 1), tensor_of(x, 1, kMxGroup), {row.data(), &scale, 1, kMxGroup, DType::F8E4M3});
    EXPECT_FLOAT_EQ(out[0], item["values"][i].get<float>());
  }
}

TEST_P(Formulas, every_e4m3_code_and_scale_decodes) {
  const json decoded = cases_of("fp8_e4m3fn_decode");
  for (std::size_t code = 0; code < decoded.size(); ++code) {
    if (!decoded[code].is_number()) continue;  // NaN
    EXPECT_EQ(e4m3_to_float(static_cast<std::uint8_t>(code)), decoded[code].get<float>()) << code;
  }
  EXPECT_TRUE(std::isnan(e4m3_to_float(0x7F)));
  EXPECT_TRUE(std::isnan(e4m3_to_float(0xFF)));
  const json scales = cases_of("e8m0_decode_examples");
  for (const auto& [code, value] : scales.items()) {
    EXPECT_EQ(e8m0_to_float(static_cast<std::uint8_t>(std::stoi(code))), value.get<float>());
  }
}

TEST_P(Formulas, rope_turns_split_halves_of_the_rotary_part_only) {
  const ops::Rope rope = {64, 5e6F};
  std::vector<float> weight(128, 0.0F);  // the norm of a head of ones is 1
  std::vector<float> x(2 * 128, 1.0F);
  device_->norm_rope_heads(tensor_of(x, 2, 128), {{weight.data(), 128}, 0}, rope, 41);
  for (int token = 0; token < 2; ++token) {
    for (int j = 0; j < 32; ++j) {
      const double angle = (41 + token) * std::pow(5e6, -2.0 * j / 64);
      EXPECT_NEAR(x[static_cast<std::size_t>(token * 128 + j)], std::cos(angle) - std::sin(angle), 2e-5);
      EXPECT_NEAR(x[static_cast<std::size_t>(token * 128 + j + 32)], std::cos(angle) + std::sin(angle), 2e-5);
    }
    for (int j = 64; j < 128; ++j) EXPECT_NEAR(x[static_cast<std::size_t>(token * 128 + j)], 1, 1e-6);
  }
}

TEST_P(Formulas, vision_rope_has_a_time_band_and_leaves_the_rest_alone) {
  // head_dim 80: 13 frequencies for each of t, h, w; elements 78 and 79 pass.
  std::vector<float> x(80, 1.0F);
  const ops::PatchPosition position = {0, 3, 5};
  device_->rope_3d(tensor_of(x, 1, 80), {&position, 1}, 1, 10000);
  for (std::size_t i = 0; i < 39; ++i) {
    const double axis = i < 13 ? 0 : i < 26 ? 3 : 5;
    const double angle = axis * std::pow(10000.0, -2.0 * static_cast<double>(i % 13) / 26);
    EXPECT_NEAR(x[i], std::cos(angle) - std::sin(angle), 2e-5) << i;
    EXPECT_NEAR(x[i + 39], std::cos(angle) + std::sin(angle), 2e-5) << i;
  }
  EXPECT_EQ(x[78], 1);
  EXPECT_EQ(x[79], 1);
}

TEST_P(Formulas, gelu_is_exact_not_the_tanh_form) {
  std::vector<float> x = {2.3F, -2.3F};
  device_->gelu(tensor_of(x, 1, 2));
  const double exact = 2.3 * 0.5 * (1 + std::erf(2.3 / std::sqrt(2.0)));
  EXPECT_NEAR(x[0], exact, 1e-6);  // the tanh form is off by 4e-4 here
  EXPECT_NEAR(x[1], exact - 2.3, 1e-6);
}

// Index keys whose score for the query (1, 1) of a head are given.
TEST_P(Formulas, each_kv_head_selects_its_own_blocks) {
  const json item = cases_of("msa_block_selection_tiny");
  const std::vector<float> score0 = item["scores_head0"], score1 = item["scores_head1"];
  const int block_size = item["block_size"], top_k = item["topk"];
  // Two index dims: dim 0 holds head 0's scores, dim 1 head 1's; the heads' queries pick one each.
  std::vector<float> keys;
  for (std::size_t i = 0; i < score0.size(); ++i) {
    keys.push_back(score0[i]);
    keys.push_back(score1[i]);
  }
  std::vector<void*> pages;
  for (std::size_t block = 0; block * static_cast<std::size_t>(block_size) < score0.size(); ++block) {
    pages.push_back(keys.data() + block * static_cast<std::size_t>(block_size) * 2);
  }
  const ops::KvLayer cache = {{}, pages, DType::F32, block_size, 2, 2, 2};
  std::vector<float> index_q = {1, 0, 0, 1};
  for (const json& expected : item["cases"]) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(2 * top_k));
    device_->select_blocks({ids.data(), 1, 2 * top_k, DType::I32}, tensor_of(index_q, 1, 4), cache,
                           {block_size, top_k, 0, 1}, expected["pos"].get<std::int64_t>());
    for (int head = 0; head < 2; ++head) {
      std::vector<std::int32_t> wanted = expected[head == 0 ? "head0" : "head1"];
      wanted.resize(static_cast<std::size_t>(top_k), -1);
      const std::vector<std::int32_t> chosen(ids.begin() + head * top_k, ids.begin() + (head + 1) * top_k);
      EXPECT_EQ(chosen, wanted) << "position " << expected["pos"] << " head " << head;
    }
  }
}

TEST_P(Formulas, ties_go_to_the_lower_block_and_nan_scores_lose) {
  std::vector<float> keys = {1, 5, 5, NAN, 5, 0};  // one key per block; the last is the query's own
  std::vector<void*> pages;
  for (float& key : keys) pages.push_back(&key);
  const ops::KvLayer cache = {{}, pages, DType::F32, 1, 1, 1, 1};
  std::vector<float> index_q = {1};
  std::vector<std::int32_t> ids(3);
  device_->select_blocks({ids.data(), 1, 3, DType::I32}, tensor_of(index_q, 1, 1), cache, {1, 3, 0, 1}, 5);
  EXPECT_EQ(ids, (std::vector<std::int32_t>{1, 2, 5}));
}

}  // namespace
}  // namespace inference::testing
