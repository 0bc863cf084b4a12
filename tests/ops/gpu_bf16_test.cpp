// The GPU computing in bf16 against the reference in fp32. All inputs are bf16 values, so only the rounding of results,
// and of attention weights, is left: at most 2^-8 of each value, squared and averaged about 2.5e-6.

#include <algorithm>
#include <tuple>

#include "tests/ops/ops_fixture.h"

namespace inference::ops {
namespace {

constexpr double kRounded = 6e-6;       // one rounding of the result
constexpr double kRoundedTwice = 1e-5;  // and one of something before it

class GpuBf16 : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    std::unique_ptr<Device> inner = make_cuda_device(DType::BF16, 0, reason);
    if (inner == nullptr) GTEST_SKIP() << reason;
    gpu = std::make_unique<HostFacingDevice>(std::move(inner));
  }

  Activations bf16_values(std::int64_t rows, std::int64_t cols, float scale = 1) {
    Activations x = random_activations(random, rows, cols, scale);
    for (float& value : x.values) value = bf16_to_float(float_to_bf16(value));
    return x;
  }

  std::unique_ptr<Device> gpu;
  std::unique_ptr<Device> reference = make_reference_device();
  std::mt19937 random{11};
};

TEST_F(GpuBf16, products_match_the_reference) {
  const std::tuple<int, int, int> shapes[] = {// n_rows, in_dim, out_dim
                                              {1, 96, 40},    {3, 4096, 136}, {4, 1024, 64},    {5, 96, 24},
                                              {64, 256, 128}, {129, 96, 200}, {300, 2048, 96},  {17, 160, 33},
                                              {9, 77, 12},    {130, 32, 129}, {200, 1088, 300}, {1, 3200, 4104}};
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F8E4M3}) {
    for (const auto& [n_rows, in_dim, out_dim] : shapes) {
      if (dtype == DType::F8E4M3 && in_dim % kMxGroup != 0) continue;
      for (const bool has_bias : {false, true}) {
        const StoredWeight w = random_weight(random, dtype, out_dim, in_dim);
        Activations x = bf16_values(n_rows, in_dim), bias = random_activations(random, 1, out_dim);
        Activations got(n_rows, out_dim), want(n_rows, out_dim);
        const Vector b = {has_bias ? bias.values.data() : nullptr, out_dim};
        gpu->linear(got.tensor(), x.tensor(), w.matrix, b);
        reference->linear(want.tensor(), x.tensor(), w.matrix, b);
        EXPECT_LE(nmse(got.values, want.values), kRounded)
            << dtype_name(dtype) << " [" << n_rows << ", " << in_dim << ", " << out_dim << "] bias " << has_bias;
      }
    }
  }
}

TEST_F(GpuBf16, every_e4m3_code_under_every_plausible_scale_is_exact_on_the_tensor_cores) {
  StoredWeight w;
  const std::int64_t n_scales = 121;  // 2^-60 … 2^60
  for (int scale = 67; scale < 67 + n_scales; ++scale) {
    for (int code = 0; code < 256; ++code) w.data.push_back(static_cast<std::byte>((code & 0x7F) == 0x7F ? 0 : code));
    for (int group = 0; group < 8; ++group) w.scales.push_back(static_cast<std::uint8_t>(scale));
  }
  w.matrix = {w.data.data(), w.scales.data(), n_scales, 256, DType::F8E4M3};
  Activations x(256, 256), out(256, n_scales);
  for (std::int64_t i = 0; i < 256; ++i) x.at(i, i) = 1;
  gpu->linear(out.tensor(), x.tensor(), w.matrix);
  for (std::int64_t code = 0; code < 256; ++code) {
    for (std::int64_t row = 0; row < n_scales; ++row) ASSERT_EQ(out.at(code, row), weight_at(w.matrix, row, code));
  }
}

TEST_F(GpuBf16, mxfp8_products_keep_large_and_small_activations) {
  const StoredWeight w = random_weight(random, DType::F8E4M3, 72, 256);
  for (const float scale : {1e-30F, 1e-6F, 1e6F, 1e30F}) {
    for (const std::int64_t n_rows : {1, 4, 150}) {
      Activations x = bf16_values(n_rows, 256, scale), got(n_rows, 72), want = got;
      for (std::int64_t i = 0; i < 256; i += 3) x.at(0, i) = bf16_to_float(float_to_bf16(x.at(0, i) * 1e-3F));
      gpu->linear(got.tensor(), x.tensor(), w.matrix);
      reference->linear(want.tensor(), x.tensor(), w.matrix);
      for (float* value : {got.values.data(), want.values.data()}) {
        for (std::int64_t i = 0; i < n_rows * 72; ++i) value[i] /= scale;
      }
      EXPECT_LE(nmse(got.values, want.values), kRounded) << scale << ", " << n_rows << " rows";
    }
  }
}

TEST_F(GpuBf16, damaged_mxfp8_weights_give_nan) {
  for (const std::int64_t n_rows : {1, 20, 200}) {
    StoredWeight w = random_weight(random, DType::F8E4M3, 70, 128);
    w.data[33 * 128 + 65] = std::byte{0xFF};
    w.data[69 * 128 + 2] = std::byte{0x7F};
    Activations x = bf16_values(n_rows, 128), out(n_rows, 70);
    gpu->linear(out.tensor(), x.tensor(), w.matrix);
    for (std::int64_t row = 0; row < n_rows; ++row) {
      for (std::int64_t col = 0; col < 70; ++col) {
        ASSERT_EQ(std::isnan(out.at(row, col)), col == 33 || col == 69) << n_rows << " rows, " << row << ", " << col;
      }
    }
  }
}

struct Shape {
  Heads heads;
  int page_size;
  std::int64_t n_past, n_tokens;
};

// Group sizes 1 to 16, heads of 64, 80 and 128, lengths around whole blocks, one token and many.
const Shape kShapes[] = {{{16, 1, 128}, 128, 0, 1},    {{16, 1, 128}, 128, 127, 1},    {{32, 2, 128}, 128, 2047, 1},
                         {{32, 2, 128}, 128, 2048, 1}, {{64, 4, 128}, 128, 3000, 2},   {{8, 2, 128}, 128, 0, 300},
                         {{16, 2, 64}, 64, 700, 90},   {{6, 2, 64}, 64, 1000, 1},      {{6, 2, 64}, 64, 5, 130},
                         {{20, 1, 64}, 16, 33, 40},    {{2, 2, 80}, 32, 100, 33},      {{32, 2, 128}, 128, 200, 150},
                         {{8, 1, 128}, 128, 1000, 77}, {{16, 1, 128}, 128, 2048, 128}, {{16, 4, 128}, 128, 2500, 65},
                         {{8, 2, 128}, 128, 1500, 1},  {{16, 2, 128}, 128, 3000, 3},   {{6, 2, 128}, 128, 300, 15},
                         {{4, 1, 128}, 128, 3000, 40}};

void store_random(std::mt19937& random, Device& device, const KvLayer& layer, std::int64_t n_tokens) {
  const std::int64_t dim = std::int64_t{layer.kv_heads} * layer.head_dim;
  Activations k = random_activations(random, n_tokens, dim), v = random_activations(random, n_tokens, dim);
  device.store_kv(layer, k.tensor(), v.tensor(), 0);
}

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

TEST_F(GpuBf16, attention_matches_the_reference) {
  for (const Shape& s : kShapes) {
    TestCache cache(DType::BF16, s.page_size, s.heads.kv_heads, s.heads.head_dim, 8, s.n_past + s.n_tokens);
    store_random(random, *reference, cache.layer, s.n_past + s.n_tokens);
    const std::int64_t cols = std::int64_t{s.heads.q_heads} * s.heads.head_dim;
    Activations q = bf16_values(s.n_tokens, cols, 2), got(s.n_tokens, cols), want(s.n_tokens, cols);
    gpu->attend(got.tensor(), q.tensor(), cache.layer, s.heads, s.n_past);
    reference->attend(want.tensor(), q.tensor(), cache.layer, s.heads, s.n_past);
    EXPECT_LE(nmse(got.values, want.values), kRoundedTwice) << "dense, " << s.n_past << "+" << s.n_tokens;
    for (const int top_k : {1, 3, 16}) {
      Ids ids = random_choice(random, s, top_k);
      gpu->attend_blocks(got.tensor(), q.tensor(), ids.tensor(), cache.layer, s.heads, s.n_past);
      reference->attend_blocks(want.tensor(), q.tensor(), ids.tensor(), cache.layer, s.heads, s.n_past);
      EXPECT_LE(nmse(got.values, want.values), kRoundedTwice)
          << top_k << " blocks, " << s.n_past << "+" << s.n_tokens << " head_dim " << s.heads.head_dim;
    }
  }
}

// So many tokens that they fill all multiprocessors more than once; the first and the last ones are compared.
TEST_F(GpuBf16, attention_of_many_tokens_matches_the_reference) {
  const Heads heads = {64, 4, 128};
  const std::int64_t cols = std::int64_t{heads.q_heads} * heads.head_dim, n_compared = 30;
  const std::pair<std::int64_t, std::int64_t> shapes[] = {{1000, 280}, {900, 283}, {0, 600}};  // n_past, n_tokens
  for (const auto& [n_past, n_tokens] : shapes) {
    TestCache cache(DType::BF16, 128, heads.kv_heads, heads.head_dim, 8, n_past + n_tokens);
    store_random(random, *reference, cache.layer, n_past + n_tokens);
    Activations q = bf16_values(n_tokens, cols, 2), got(n_tokens, cols), want(n_compared, cols);
    std::fill(got.values.begin(), got.values.end(), NAN);
    gpu->attend(got.tensor(), q.tensor(), cache.layer, heads, n_past);
    for (const std::int64_t token : {std::int64_t{0}, n_tokens / 2, n_tokens - n_compared}) {
      reference->attend(want.tensor(), q.tensor().slice(token, n_compared), cache.layer, heads, n_past + token);
      const auto first = got.values.begin() + token * cols;
      EXPECT_LE(nmse({first, first + n_compared * cols}, want.values), kRoundedTwice)
          << n_past << "+" << n_tokens << ", from token " << token;
    }
  }
}

// Long enough contexts that tokens beside each other choose different blocks: all of them, the later ones, or none but
// their own; the last keys are no whole block.
TEST_F(GpuBf16, unlike_choices_match_the_reference) {
  const Shape shapes[] = {{{16, 1, 128}, 128, 6000, 259}, {{8, 2, 128}, 128, 5000, 300}, {{4, 1, 128}, 128, 3700, 500}};
  for (const Shape& s : shapes) {
    TestCache cache(DType::BF16, s.page_size, s.heads.kv_heads, s.heads.head_dim, 8, s.n_past + s.n_tokens);
    store_random(random, *reference, cache.layer, s.n_past + s.n_tokens);
    const std::int64_t cols = std::int64_t{s.heads.q_heads} * s.heads.head_dim;
    Activations q = bf16_values(s.n_tokens, cols, 2), got(s.n_tokens, cols), want(s.n_tokens, cols);
    for (const int top_k : {5, 16}) {
      Ids ids = random_choice(random, s, top_k);
      for (std::int64_t i = 0; i < s.n_tokens / 3 * ids.cols; ++i) ids.values[i] = ids.values[i % ids.cols];  // alike
      std::fill(got.values.begin(), got.values.end(), NAN);
      gpu->attend_blocks(got.tensor(), q.tensor(), ids.tensor(), cache.layer, s.heads, s.n_past);
      reference->attend_blocks(want.tensor(), q.tensor(), ids.tensor(), cache.layer, s.heads, s.n_past);
      EXPECT_LE(nmse(got.values, want.values), kRoundedTwice)
          << top_k << " blocks, " << s.n_past << "+" << s.n_tokens << ", " << s.heads.q_heads << " heads";
    }
  }
}

class GpuBf16UnlikeChoices : public GpuBf16, public testing::WithParamInterface<Shape> {};

// So many tokens that each multiprocessor takes many lists of tokens, long and short ones; some tokens are compared.
TEST_P(GpuBf16UnlikeChoices, of_many_tokens_match_the_reference) {
  constexpr std::int64_t kTopK = 16, kCompared = 30;
  const Shape& s = GetParam();
  TestCache cache(DType::BF16, s.page_size, s.heads.kv_heads, s.heads.head_dim, 8, s.n_past + s.n_tokens);
  store_random(random, *reference, cache.layer, s.n_past + s.n_tokens);
  const std::int64_t cols = std::int64_t{s.heads.q_heads} * s.heads.head_dim;
  Activations q = bf16_values(s.n_tokens, cols, 2), got(s.n_tokens, cols), want(kCompared, cols);
  Ids ids = random_choice(random, s, kTopK);
  std::fill(got.values.begin(), got.values.end(), NAN);
  gpu->attend_blocks(got.tensor(), q.tensor(), ids.tensor(), cache.layer, s.heads, s.n_past);
  EXPECT_TRUE(std::ranges::all_of(got.values, [](float v) { return std::isfinite(v); }));
  for (const std::int64_t token : {std::int64_t{0}, s.n_tokens / 2, s.n_tokens - kCompared}) {
    reference->attend_blocks(want.tensor(), q.tensor().slice(token, kCompared), ids.tensor().slice(token, kCompared),
                             cache.layer, s.heads, s.n_past + token);
    const auto first = got.values.begin() + token * cols;
    EXPECT_LE(nmse({first, first + kCompared * cols}, want.values), kRoundedTwice) << "from token " << token;
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, GpuBf16UnlikeChoices,
                         testing::Values(Shape{{64, 4, 128}, 128, 3500, 2300}, Shape{{32, 4, 128}, 128, 9000, 700},
                                         Shape{{64, 1, 128}, 128, 3500, 1100}));

TEST_F(GpuBf16, segments_match_the_reference) {
  const std::int64_t ends[] = {1, 130, 143, 400};
  const std::pair<int, int> shapes[] = {
      {3, 64}, {3, 80}, {3, 16}, {200, 64}, {200, 80}};  // many: another kernel's tiles
  for (const auto& [heads, head_dim] : shapes) {
    const std::int64_t cols = std::int64_t{heads} * head_dim;
    Activations q = bf16_values(400, cols, 2), k = bf16_values(400, cols), v = bf16_values(400, cols);
    Activations got(400, cols), want(400, cols);
    gpu->attend_segments(got.tensor(), q.tensor(), k.tensor(), v.tensor(), ends, heads);
    reference->attend_segments(want.tensor(), q.tensor(), k.tensor(), v.tensor(), ends, heads);
    EXPECT_LE(nmse(got.values, want.values), kRoundedTwice) << heads << " heads of " << head_dim;
  }
}

// Sums of exact products of bf16 values: fp32 and double choose alike but for ties.
TEST_F(GpuBf16, chosen_blocks_equal_the_reference) {
  const std::tuple<int, int, int, int> shapes[] = {// index_dim, block_size, n_past, n_tokens
                                                   {128, 128, 2047, 1}, {128, 128, 2048, 1},   {128, 128, 0, 1},
                                                   {128, 128, 4000, 2}, {128, 128, 1900, 300}, {64, 64, 1500, 77},
                                                   {64, 64, 777, 1},    {128, 128, 127, 2},    {24, 20, 300, 50}};
  for (const auto& [index_dim, block_size, n_past, n_tokens] : shapes) {
    for (const int top_k : {1, 4, 16}) {
      TestCache cache(DType::BF16, block_size, 1, 8, index_dim, n_past + n_tokens);
      Activations k = random_activations(random, n_past + n_tokens, index_dim);
      Activations q = bf16_values(n_tokens, 4 * index_dim);
      reference->store_index_k(cache.layer, k.tensor(), 0);
      const Selection selection{.block_size = block_size, .top_k_blocks = top_k, .init_blocks = top_k == 4};
      Ids got(n_tokens, 4 * top_k), want(n_tokens, 4 * top_k);
      gpu->select_blocks(got.tensor(), q.tensor(), cache.layer, selection, n_past);
      reference->select_blocks(want.tensor(), q.tensor(), cache.layer, selection, n_past);
      EXPECT_EQ(got.values, want.values) << index_dim << " " << block_size << " " << n_past << "+" << n_tokens;
    }
  }
}

// The blocks of many tokens are divided among more CTAs the fewer they are; every 97th token's choice is compared.
TEST_F(GpuBf16, chosen_blocks_of_many_tokens_equal_the_reference) {
  const std::tuple<std::int64_t, std::int64_t> shapes[] = {// n_past, n_tokens
                                                           {0, 8229},
                                                           {500, 1548},
                                                           {7000, 4200},
                                                           {9000, 100},
                                                           {17000, 70}};
  constexpr int kTopK = 16;
  for (const auto& [n_past, n_tokens] : shapes) {
    TestCache cache(DType::BF16, 128, 1, 8, 128, n_past + n_tokens);
    Activations k = random_activations(random, n_past + n_tokens, 128);
    Activations q = bf16_values(n_tokens, 4 * 128);
    reference->store_index_k(cache.layer, k.tensor(), 0);
    const Selection selection{.block_size = 128, .top_k_blocks = kTopK};
    Ids all(n_tokens, 4 * kTopK);
    gpu->select_blocks(all.tensor(), q.tensor(), cache.layer, selection, n_past);
    for (std::int64_t token = n_tokens - 1; token >= 0; token -= 97) {
      Ids want(1, 4 * kTopK);
      reference->select_blocks(want.tensor(), q.tensor().slice(token, 1), cache.layer, selection, n_past + token);
      const auto first = all.values.begin() + token * want.tensor().cols;
      ASSERT_EQ(std::vector<std::int32_t>(first, first + want.tensor().cols), want.values)
          << n_past << "+" << n_tokens << ", token " << token;
    }
  }
}

struct StoredFfn {
  StoredWeight gate, up, down;
  Ffn ffn() const { return {gate.matrix, up.matrix, down.matrix}; }
};

TEST_F(GpuBf16, experts_and_dense_networks_match_the_reference) {
  const Activation activation{.alpha = 1.702F, .limit = 7};
  for (const DType dtype : {DType::F32, DType::BF16, DType::F8E4M3}) {
    for (const auto& [n_tokens, hidden_dim, ffn_dim] : {std::tuple{1, 64, 96},
                                                        {3, 256, 160},
                                                        {2, 384, 256},
                                                        {1, 1152, 640},
                                                        {67, 64, 96},
                                                        {300, 128, 192},
                                                        {40, 160, 32}}) {
      std::vector<StoredFfn> stored;
      std::vector<Ffn> experts;
      for (int e = 0; e < 8; ++e) {  // the last one is shared
        stored.push_back({random_weight(random, dtype, ffn_dim, hidden_dim),
                          random_weight(random, dtype, ffn_dim, hidden_dim),
                          random_weight(random, dtype, hidden_dim, ffn_dim)});
      }
      for (const StoredFfn& f : stored) experts.push_back(f.ffn());
      experts.pop_back();
      Activations x = bf16_values(n_tokens, hidden_dim), got(n_tokens, hidden_dim), want = got;
      gpu->feed_forward(got.tensor(), x.tensor(), experts[0], activation);
      reference->feed_forward(want.tensor(), x.tensor(), experts[0], activation);
      EXPECT_LE(nmse(got.values, want.values), 3e-5) << dtype_name(dtype) << " dense, " << n_tokens << " tokens";
      Activations weights = random_activations(random, n_tokens, 4);
      Ids ids(n_tokens, 4);
      for (std::int64_t token = 0; token < n_tokens; ++token) {
        std::vector<std::int32_t> some = {0, 1, 2, 3, 4, 5};  // nobody chooses the last one
        std::shuffle(some.begin(), some.end(), random);
        std::copy(some.begin(), some.begin() + 4, ids.values.begin() + token * 4);
      }
      const StoredFfn narrow = {random_weight(random, dtype, 32, hidden_dim),
                                random_weight(random, dtype, 32, hidden_dim),
                                random_weight(random, dtype, hidden_dim, 32)};
      const Ffn alike = stored.back().ffn(), unlike = narrow.ffn();
      for (const Ffn* shared : {static_cast<const Ffn*>(nullptr), &alike, &unlike}) {
        gpu->mix_experts(got.tensor(), x.tensor(), ids.tensor(), weights.tensor(), experts, shared, activation);
        reference->mix_experts(want.tensor(), x.tensor(), ids.tensor(), weights.tensor(), experts, shared, activation);
        EXPECT_LE(nmse(got.values, want.values), 3e-5)
            << dtype_name(dtype) << " experts, " << n_tokens << " tokens, shared expert: "
            << (shared == nullptr  ? "none"
                : shared == &alike ? "like the others"
                                   : "narrow");
      }
    }
  }
}

TEST_F(GpuBf16, router_chooses_as_the_reference) {
  const StoredWeight router = random_weight(random, DType::F32, 128, 96);
  for (const int n_tokens : {1, 50}) {
    Activations x = bf16_values(n_tokens, 96), bias = random_activations(random, 1, 128, 0.1F);
    Activations got(n_tokens, 4), want(n_tokens, 4);
    Ids got_ids(n_tokens, 4), want_ids(n_tokens, 4);
    gpu->route(got_ids.tensor(), got.tensor(), x.tensor(), router.matrix, {bias.values.data(), 128}, 2.0F);
    reference->route(want_ids.tensor(), want.tensor(), x.tensor(), router.matrix, {bias.values.data(), 128}, 2.0F);
    EXPECT_EQ(got_ids.values, want_ids.values);
    EXPECT_LE(nmse(got.values, want.values), kMaxNmse);
  }
}

TEST_F(GpuBf16, routed_experts_match_the_reference) {
  const Activation activation{.alpha = 1.702F, .limit = 7};
  for (const DType dtype : {DType::BF16, DType::F8E4M3}) {
    for (const int n_tokens : {1, 3, 1, 40}) {
      constexpr std::int64_t kHidden = 256, kDim = 96, kExperts = 7;
      std::vector<StoredFfn> stored;
      std::vector<Ffn> experts;
      for (int e = 0; e <= kExperts; ++e) {  // the last one is shared
        stored.push_back({random_weight(random, dtype, kDim, kHidden), random_weight(random, dtype, kDim, kHidden),
                          random_weight(random, dtype, kHidden, kDim)});
      }
      for (const StoredFfn& f : stored) experts.push_back(f.ffn());
      const Ffn shared = experts.back();
      experts.pop_back();
      const StoredWeight weights = random_weight(random, DType::F32, kExperts, kHidden);
      Activations bias = random_activations(random, 1, kExperts, 0.1F);
      const Router router = {weights.matrix, {bias.values.data(), kExperts}, 2};
      Activations x = bf16_values(n_tokens, kHidden), got(n_tokens, kHidden), want = got;
      Activations got_weights(n_tokens, 4), want_weights(n_tokens, 4);
      Ids got_ids(n_tokens, 4), want_ids(n_tokens, 4);
      for (const Ffn* one : {&shared, static_cast<const Ffn*>(nullptr)}) {
        gpu->route_and_mix(got.tensor(), got_ids.tensor(), got_weights.tensor(), x.tensor(), router, experts, one,
                           activation);
        reference->route_and_mix(want.tensor(), want_ids.tensor(), want_weights.tensor(), x.tensor(), router, experts,
                                 one, activation);
        EXPECT_EQ(got_ids.values, want_ids.values) << n_tokens << " tokens";
        EXPECT_LE(nmse(got_weights.values, want_weights.values), kMaxNmse);
        EXPECT_LE(nmse(got.values, want.values), 3e-5) << dtype_name(dtype) << ", " << n_tokens << " tokens";
      }
    }
  }
}

TEST_F(GpuBf16, rows_match_the_reference) {
  for (const int dim : {7, 64, 100, 6144}) {
    Activations x = bf16_values(9, dim, 3), w = random_activations(random, 1, dim), got(9, dim), want = got;
    Activations b = random_activations(random, 1, dim);
    const Vector weight{w.values.data(), dim}, bias{b.values.data(), dim};
    gpu->rms_norm(got.tensor(), x.tensor(), weight, 1e-6F);
    reference->rms_norm(want.tensor(), x.tensor(), weight, 1e-6F);
    EXPECT_LE(nmse(got.values, want.values), kRounded) << dim;
    gpu->layer_norm(got.tensor(), x.tensor(), weight, bias, 1e-5F);
    reference->layer_norm(want.tensor(), x.tensor(), weight, bias, 1e-5F);
    EXPECT_LE(nmse(got.values, want.values), kRounded) << dim;
  }
  Activations x = bf16_values(5, 3 * 128, 4), w = random_activations(random, 1, 128), want = x;
  const HeadNorm norm{{w.values.data(), 128}, 1e-6F};
  gpu->norm_rope_heads(x.tensor(), norm, {64, 5e6F}, 1000000);
  reference->norm_rope_heads(want.tensor(), norm, {64, 5e6F}, 1000000);
  EXPECT_LE(nmse(x.values, want.values), kRounded);
}

}  // namespace
}  // namespace inference::ops
