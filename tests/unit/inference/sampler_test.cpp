#include "inference/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "inference/check.h"

namespace inference {
namespace {

// How often each id comes in n draws.
std::map<std::int32_t, int> draw(const SamplingOptions& options, const std::vector<float>& logits, int n,
                                 std::vector<std::int32_t> masked = {}) {
  Sampler sampler(options, std::move(masked));
  std::map<std::int32_t, int> counts;
  for (int i = 0; i < n; ++i) ++counts[sampler.sample(logits)];
  return counts;
}

const std::vector<float> kLogits = {std::log(0.5F), std::log(0.3F), std::log(0.15F), std::log(0.05F)};

TEST(Sampler, greedy_takes_the_best_and_the_lower_id_of_equals) {
  EXPECT_EQ(Sampler({.temperature = 0}, {}).sample(std::vector<float>{1, 3, 3, 2}), 1);
}

TEST(Sampler, draws_in_proportion_to_the_probabilities) {
  const auto counts = draw({}, kLogits, 20000);
  EXPECT_NEAR(counts.at(0), 10000, 300);
  EXPECT_NEAR(counts.at(1), 6000, 300);
  EXPECT_NEAR(counts.at(2), 3000, 250);
  EXPECT_NEAR(counts.at(3), 1000, 150);
}

TEST(Sampler, temperature_sharpens_and_flattens) {
  EXPECT_GT(draw({.temperature = 0.25F}, kLogits, 10000).at(0), 8500);
  EXPECT_NEAR(draw({.temperature = 1000}, kLogits, 20000).at(3), 5000, 300);
}

TEST(Sampler, top_k_top_p_and_min_p_cut_the_tail) {
  EXPECT_EQ(draw({.top_k = 2}, kLogits, 2000).size(), 2U);
  EXPECT_EQ(draw({.top_p = 0.79F}, kLogits, 2000).size(), 2U);
  EXPECT_EQ(draw({.top_p = 0.81F}, kLogits, 2000).size(), 3U);
  EXPECT_EQ(draw({.top_p = 0.01F}, kLogits, 2000).size(), 1U) << "at least the best is kept";
  EXPECT_EQ(draw({.min_p = 0.2F}, kLogits, 2000).size(), 3U);
  EXPECT_EQ(draw({.min_p = 1}, kLogits, 2000).size(), 1U);
}

TEST(Sampler, never_returns_a_masked_id) {
  EXPECT_EQ(draw({}, kLogits, 2000, {0, 2}).count(0), 0U);
  EXPECT_EQ(draw({}, kLogits, 2000, {0, 2}).count(2), 0U);
  EXPECT_EQ(Sampler({.temperature = 0}, {0}).sample(kLogits), 1);
}

TEST(Sampler, the_same_seed_gives_the_same_tokens) {
  const auto sequence = [](std::uint64_t seed) {
    Sampler sampler({.seed = seed}, {});
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(sampler.sample(kLogits));
    return ids;
  };
  EXPECT_EQ(sequence(7), sequence(7));
  EXPECT_NE(sequence(7), sequence(8));
}

TEST(Sampler, refuses_options_out_of_range) {
  for (const SamplingOptions& options :
       {SamplingOptions{.temperature = -1}, SamplingOptions{.temperature = NAN}, SamplingOptions{.top_k = -1},
        SamplingOptions{.top_p = 0}, SamplingOptions{.top_p = 1.5F}, SamplingOptions{.min_p = -0.1F}}) {
    EXPECT_THROW(Sampler(options, {}), Error);
  }
}

}  // namespace
}  // namespace inference
