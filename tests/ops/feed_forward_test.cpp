#include "tests/ops/ops_fixture.h"

namespace inference::ops {
namespace {

class FeedForwardOps : public DeviceOps {};

struct StoredFfn {
  StoredWeight gate, up, down;
  Ffn ffn() const { return {gate.matrix, up.matrix, down.matrix}; }
};

StoredFfn random_ffn(std::mt19937& random, DType dtype, int hidden_dim, int ffn_dim) {
  return {random_weight(random, dtype, ffn_dim, hidden_dim), random_weight(random, dtype, ffn_dim, hidden_dim),
          random_weight(random, dtype, hidden_dim, ffn_dim)};
}

constexpr Activation kActivation{.alpha = 1.702F, .limit = 7};

// gate and up are diagonal, down is the identity: the output is the activation of chosen values.
TEST_P(FeedForwardOps, gate_is_clamped_from_above_only_and_up_on_both_sides) {
  const std::vector<float> gates = {-100, -8, -1, 0, 1, 7, 8, 100}, ups = {2, -9, 9, 5, -1, 0, 7.5F, -7.5F};
  StoredFfn f = random_ffn(random, DType::F32, 8, 8);
  Activations x(1, 8), got(1, 8), want(1, 8);
  for (StoredWeight* w : {&f.gate, &f.up, &f.down}) {
    for (std::size_t i = 0; i < 64; ++i) reinterpret_cast<float*>(w->data.data())[i] = 0;
  }
  for (std::size_t i = 0; i < 8; ++i) {
    x.values[i] = 1;
    reinterpret_cast<float*>(f.gate.data.data())[9 * i] = gates[i];
    reinterpret_cast<float*>(f.up.data.data())[9 * i] = ups[i];
    reinterpret_cast<float*>(f.down.data.data())[9 * i] = 1;
  }
  device->feed_forward(got.tensor(), x.tensor(), f.ffn(), kActivation);
  reference->feed_forward(want.tensor(), x.tensor(), f.ffn(), kActivation);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(got.values[i], want.values[i], 1e-6F * std::abs(want.values[i]) + 1e-30F) << i;
}

TEST_P(FeedForwardOps, matches_the_reference_in_every_type) {
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F8E4M3}) {
    for (const auto& [n_rows, hidden_dim, ffn_dim] :
         {std::tuple{1, 64, 96}, {5, 32, 64}, {200, 64, 32}, {2, 96, 160}}) {
      const StoredFfn f = random_ffn(random, dtype, hidden_dim, ffn_dim);
      const float scale = dtype == DType::F16 ? 0.05F : 1;  // its test weights are larger
      Activations x = random_activations(random, n_rows, hidden_dim, scale), got(n_rows, hidden_dim), want = got;
      device->feed_forward(got.tensor(), x.tensor(), f.ffn(), kActivation);
      reference->feed_forward(want.tensor(), x.tensor(), f.ffn(), kActivation);
      EXPECT_LE(nmse(got.values, want.values), kMaxNmse) << dtype_name(dtype) << " " << n_rows;
    }
  }
}

TEST_P(FeedForwardOps, awkward_dims_match_the_reference) {
  const StoredFfn f = random_ffn(random, DType::BF16, 20, 48);
  Activations x = random_activations(random, 3, 20), got(3, 20), want(3, 20);
  device->feed_forward(got.tensor(), x.tensor(), f.ffn(), kActivation);
  reference->feed_forward(want.tensor(), x.tensor(), f.ffn(), kActivation);
  EXPECT_LE(nmse(got.values, want.values), kMaxNmse);
}

TEST_P(FeedForwardOps, router_chooses_by_score_plus_bias_and_weighs_by_score) {
  // The logit of expert e is x[e]; the identity as router.
  StoredWeight router = random_weight(random, DType::F32, 5, 5);
  for (std::size_t i = 0; i < 25; ++i) reinterpret_cast<float*>(router.data.data())[i] = i % 6 == 0 ? 1.0F : 0.0F;
  Activations x(2, 5), weights(2, 2);
  x.values = {0, 0, 0, 0, 0, 3, 1, 2, 0, -1};  // a tie of all, then an order
  const std::vector<float> bias = {0, 0, 0, 0, 0.5F};
  Ids ids(2, 2);
  device->route(ids.tensor(), weights.tensor(), x.tensor(), router.matrix, {bias.data(), 5}, 2.0F);
  const auto sigmoid = [](float v) { return 1 / (1 + std::exp(-v)); };
  EXPECT_EQ(ids.values, (std::vector<std::int32_t>{4, 0, 0, 2}));
  EXPECT_FLOAT_EQ(weights.at(0, 0), 1.0F);
  EXPECT_FLOAT_EQ(weights.at(0, 1), 1.0F);
  EXPECT_FLOAT_EQ(weights.at(1, 0), 2 * sigmoid(3) / (sigmoid(3) + sigmoid(2)));
  EXPECT_FLOAT_EQ(weights.at(1, 1), 2 * sigmoid(2) / (sigmoid(3) + sigmoid(2)));
}

TEST_P(FeedForwardOps, router_matches_the_reference) {
  const StoredWeight router = random_weight(random, DType::F32, 128, 96);
  Activations x = random_activations(random, 50, 96), bias = random_activations(random, 1, 128, 0.1F);
  Activations got(50, 4), want(50, 4);
  Ids got_ids(50, 4), want_ids(50, 4);
  device->route(got_ids.tensor(), got.tensor(), x.tensor(), router.matrix, {bias.values.data(), 128}, 2.0F);
  reference->route(want_ids.tensor(), want.tensor(), x.tensor(), router.matrix, {bias.values.data(), 128}, 2.0F);
  EXPECT_EQ(got_ids.values, want_ids.values);
  EXPECT_LE(nmse(got.values, want.values), kMaxNmse);
}

TEST_P(FeedForwardOps, experts_match_the_reference_and_each_token_alone) {
  for (const DType dtype : {DType::F32, DType::BF16, DType::F8E4M3}) {
    const std::int64_t n_tokens = 67, hidden_dim = 64;
    std::vector<StoredFfn> stored;
    std::vector<Ffn> experts;
    for (int e = 0; e < 6; ++e) stored.push_back(random_ffn(random, dtype, hidden_dim, 96));
    for (const StoredFfn& f : stored) experts.push_back(f.ffn());
    Activations x = random_activations(random, n_tokens, hidden_dim), got(n_tokens, hidden_dim), want = got;
    Activations weights = random_activations(random, n_tokens, 2);
    Ids ids(n_tokens, 2);
    for (std::size_t i = 0; i < ids.values.size(); i += 2) {
      ids.values[i] = static_cast<std::int32_t>(random() % 5);  // expert 5 is chosen as the second only
      ids.values[i + 1] = static_cast<std::int32_t>(random() % 5 + 1);
      if (ids.values[i] == ids.values[i + 1]) ids.values[i] = 0;
    }
    const StoredFfn stored_shared = random_ffn(random, dtype, hidden_dim, 32);
    const Ffn shared_ffn = stored_shared.ffn();
    device->mix_experts(got.tensor(), x.tensor(), ids.tensor(), weights.tensor(), experts, nullptr, kActivation);
    reference->mix_experts(want.tensor(), x.tensor(), ids.tensor(), weights.tensor(), experts, nullptr, kActivation);
    EXPECT_LE(nmse(got.values, want.values), kMaxNmse) << dtype_name(dtype);
    device->mix_experts(got.tensor(), x.tensor(), ids.tensor(), weights.tensor(), experts, &shared_ffn, kActivation);
    reference->mix_experts(want.tensor(), x.tensor(), ids.tensor(), weights.tensor(), experts, &shared_ffn,
                           kActivation);
    EXPECT_LE(nmse(got.values, want.values), kMaxNmse) << dtype_name(dtype) << " with a shared expert";
    if (is_gpu()) continue;  // only the CPU promises equal bits
    for (const std::int64_t token : {0, 33, 66}) {
      Activations one(1, hidden_dim);
      device->mix_experts(one.tensor(), x.tensor().slice(token, 1), ids.tensor().slice(token, 1),
                          weights.tensor().slice(token, 1), experts, &shared_ffn, kActivation);
      for (std::int64_t i = 0; i < hidden_dim; ++i) ASSERT_EQ(one.at(0, i), got.at(token, i)) << dtype_name(dtype);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, FeedForwardOps, testing::ValuesIn(all_setups()), setup_name);

}  // namespace
}  // namespace inference::ops
