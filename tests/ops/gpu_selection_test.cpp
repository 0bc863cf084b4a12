// The GPU's selection for one token in long contexts, which reads 8-bit summaries of most blocks: it must choose what
// reading all keys chooses, whatever the keys look like.

#include <limits>

#include "tests/ops/ops_fixture.h"

namespace inference::ops {
namespace {

constexpr int kDim = 128, kBlock = 128, kHeads = 4, kTopK = 16;
constexpr Selection kSelection = {.block_size = kBlock, .top_k_blocks = kTopK};
// Summaries are read from 2,048 blocks on; every warp's stages in shared memory are then used several times.
constexpr std::int64_t kLong = 2100 * kBlock + 77, kLonger = 4000 * kBlock + 1;

class GpuSelection : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    gpu = make_cuda_device(DType::BF16, 0, reason);
    if (gpu == nullptr) GTEST_SKIP() << reason;
    if (gpu->index_summary_bytes(kBlock, kDim, DType::BF16) == 0) GTEST_SKIP() << "this GPU reads all keys";
  }

  // A layer's index pages on the GPU, full of NaN.
  void make_pages(std::int64_t n_tokens) {
    const std::size_t n_bytes = kBlock * kDim * 2 + gpu->index_summary_bytes(kBlock, kDim, DType::BF16);
    const std::vector<std::byte> nothing(n_bytes, std::byte{0xFF});
    pages.clear();
    for (std::int64_t i = 0; i < (n_tokens + kBlock - 1) / kBlock; ++i) {
      buffers.emplace_back(*gpu, n_bytes);
      pages.push_back(buffers.back().data());
      gpu->upload(pages.back(), nothing.data(), n_bytes);
    }
    buffers.emplace_back(*gpu, pages.size() * sizeof(void*));
    gpu->upload(buffers.back().data(), pages.data(), pages.size() * sizeof(void*));
    layer = {.pages = {},
             .index_pages = pages,
             .dtype = DType::BF16,
             .page_size = kBlock,
             .index_dim = kDim,
             .has_index_summaries = true,
             .index_page_table = static_cast<void* const*>(buffers.back().data())};
  }

  void store(Activations& k, std::int64_t first, std::int64_t n) { store(k, first, n, first); }
  void store(Activations& k, std::int64_t first, std::int64_t n, std::int64_t position) {
    const Buffer on_gpu(*gpu, static_cast<std::size_t>(n * kDim) * 2);
    const Tensor rows = {on_gpu.data(), n, kDim, DType::BF16};
    write_floats(*gpu, rows, std::span(k.values).subspan(static_cast<std::size_t>(first * kDim), rows.rows * kDim));
    gpu->store_index_k(layer, rows, position);
  }

  std::vector<std::int32_t> choose(Activations& q, std::int64_t n_past, bool by_summaries,
                                   const Selection& selection = kSelection) {
    const Buffer on_gpu(*gpu, kHeads * kDim * 2), ids(*gpu, kHeads * kTopK * sizeof(std::int32_t));
    const Tensor rows = {on_gpu.data(), 1, kHeads * kDim, DType::BF16};
    write_floats(*gpu, rows, q.values);
    KvLayer as = layer;
    as.has_index_summaries = by_summaries;
    gpu->select_blocks({ids.data(), 1, kHeads * kTopK, DType::I32}, rows, as, selection, n_past);
    std::vector<std::int32_t> chosen(kHeads * kTopK);
    gpu->download(chosen.data(), ids.data(), chosen.size() * sizeof(std::int32_t));
    return chosen;
  }

  // Stores all keys but the last token's, then that, and compares the choices by summaries, by keys and of the
  // reference.
  void expect_equal_choices(Activations& k, Activations& q, const char* what) {
    const std::int64_t n_past = k.rows - 1;
    make_pages(k.rows);
    if (n_past > 0) store(k, 0, n_past);
    store(k, n_past, 1);
    const std::vector<std::int32_t> got = choose(q, n_past, true);
    EXPECT_EQ(got, choose(q, n_past, false)) << what << ", against all keys";
    TestCache cache(DType::BF16, kBlock, 1, 8, kDim, k.rows);
    reference->store_index_k(cache.layer, k.tensor(), 0);
    Ids want(1, kHeads * kTopK);
    reference->select_blocks(want.tensor(), q.tensor(), cache.layer, kSelection, n_past);
    EXPECT_EQ(got, want.values) << what;
  }

  Activations random_keys(std::int64_t n) { return rounded(random_activations(random, n, kDim)); }
  Activations random_queries() { return rounded(random_activations(random, 1, kHeads * kDim)); }
  static Activations rounded(Activations x) {
    for (float& value : x.values) value = bf16_to_float(float_to_bf16(value));
    return x;
  }

  std::unique_ptr<Device> gpu;
  std::unique_ptr<Device> reference = make_reference_device();
  std::vector<Buffer> buffers;
  std::vector<void*> pages;
  KvLayer layer;
  std::mt19937 random{5};
};

TEST_F(GpuSelection, equals_the_reference_on_random_keys) {
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{17 * kBlock}, std::int64_t{40 * kBlock},
                               std::int64_t{2000 * kBlock}, kLong, kLonger}) {
    Activations k = random_keys(n), q = random_queries();
    expect_equal_choices(k, q, "random");
  }
}

// Blocks have a direction each, as passages of a text do, and queries look for some of them.
TEST_F(GpuSelection, equals_the_reference_on_clustered_keys) {
  Activations k = random_keys(kLong), q = random_queries();
  for (std::int64_t p = 0; p < kLong; ++p) {
    const std::int64_t first_of_topic = p / 700 * 700;
    for (std::int64_t i = 0; i < kDim; ++i) k.at(p, i) = 0.9F * k.at(first_of_topic, i) + 0.4F * k.at(p, i);
  }
  for (std::int64_t i = 0; i < kHeads * kDim; ++i) q.at(0, i) += k.at(700 * (30 + i / kDim * 17), i % kDim);
  Activations kr = rounded(k), qr = rounded(q);
  expect_equal_choices(kr, qr, "clustered");
}

TEST_F(GpuSelection, equals_the_reference_when_few_dimensions_are_large) {
  Activations k = random_keys(kLong), q = random_queries();
  for (std::int64_t p = 0; p < kLong; ++p) {
    k.at(p, 3) += 40;
    k.at(p, 77) *= 25;
    if (p % 1000 == 5) k.at(p, 20) = -300;
  }
  Activations kr = rounded(k);
  expect_equal_choices(kr, q, "large dimensions");
}

// The bounds tell nothing apart, so that all keys are read in the end; of equal scores the lower block is chosen.
TEST_F(GpuSelection, equals_the_reference_when_all_keys_are_alike) {
  Activations k = random_keys(kLong), q = random_queries();
  for (std::int64_t p = kBlock; p < kLong; ++p) std::copy_n(k.values.begin(), kDim, k.values.begin() + p * kDim);
  expect_equal_choices(k, q, "equal keys");
  for (std::int64_t p = 0; p < kLong; ++p) k.at(p, p % kDim) *= 1.01F;
  Activations kr = rounded(k);
  expect_equal_choices(kr, q, "nearly equal keys");
  std::fill(k.values.begin(), k.values.end(), 0.0F);
  expect_equal_choices(k, q, "zeros");
}

TEST_F(GpuSelection, equals_the_reference_with_damaged_keys) {
  Activations k = random_keys(kLong), q = random_queries();
  for (std::int64_t i = 0; i < kDim; ++i) k.at(200 * kBlock + 3, i) = std::numeric_limits<float>::quiet_NaN();
  for (std::int64_t p = 300 * kBlock; p < 301 * kBlock; ++p) k.at(p, 9) = std::numeric_limits<float>::quiet_NaN();
  k.at(400 * kBlock + 127, 0) = std::numeric_limits<float>::infinity();
  k.at(500 * kBlock, 1) = 3e38F;
  expect_equal_choices(k, q, "damaged keys");
  q.at(0, kDim + 5) = std::numeric_limits<float>::quiet_NaN();
  expect_equal_choices(k, q, "damaged query");
}

// Blocks 8 n … 8 n + 7 are looked at by eight warps of who chooses; here one of these has no good ones.
TEST_F(GpuSelection, equals_the_reference_when_good_blocks_gather) {
  constexpr std::int64_t kFew = 1024 * kBlock;
  Activations k = random_keys(kFew), q = random_queries(), some = random_keys(64);
  for (std::int64_t p = 0; p < kFew; ++p) {
    const std::int64_t block = p / kBlock, eight = block / 8;
    const bool is_poor = ((block ^ eight ^ eight >> 3 ^ eight >> 6) & 7) == 5;
    for (std::int64_t i = 0; i < kDim; ++i) k.at(p, i) *= is_poor ? 0.01F : 1;
  }
  Activations kr = rounded(k);
  expect_equal_choices(kr, q, "good blocks gather");
  for (std::int64_t p = 0; p < kFew; ++p) {
    const float scale = 0.001F * static_cast<float>(p / kBlock);
    for (std::int64_t i = 0; i < kDim; ++i) k.at(p, i) = scale * some.at(p % 64, i);
  }
  kr = rounded(k);
  expect_equal_choices(kr, q, "ever better blocks");
}

// Tokens that are there.
class GpuSelectionOf : public GpuSelection, public testing::WithParamInterface<std::int64_t> {};

// One token's attention that chooses for itself, against the choice and the attention alone.
TEST_P(GpuSelectionOf, attention_makes_the_same_choice) {
  constexpr Heads kAll = {64, kHeads, kDim};
  constexpr std::size_t kPageBytes = 2 * kHeads * kBlock * kDim * 2;
  const std::int64_t n = GetParam();
  make_pages(n);
  const Activations k = random_keys(n);
  constexpr std::int64_t kPart = 100000;
  for (std::int64_t first = 0; first < n; first += kPart) {
    Activations part(std::min(kPart, n - first), kDim);
    std::copy_n(k.values.begin() + first * kDim, part.values.size(), part.values.begin());
    store(part, 0, part.rows, first);
  }
  // Each page begins elsewhere in the same random numbers, so that the result tells which pages were read.
  const Activations kv = rounded(random_activations(random, 2 * kHeads * kBlock, kDim));
  std::vector<void*> kv_pages;
  for (std::size_t i = 0; i < layer.index_pages.size(); ++i) {
    std::vector<std::uint16_t> page(kPageBytes / 2);
    for (std::size_t j = 0; j < page.size(); ++j) page[j] = float_to_bf16(kv.values[(j + i * 77) % kv.values.size()]);
    buffers.emplace_back(*gpu, kPageBytes);
    kv_pages.push_back(buffers.back().data());
    gpu->upload(kv_pages.back(), page.data(), kPageBytes);
  }
  const Buffer table(*gpu, kv_pages.size() * sizeof(void*));
  gpu->upload(table.data(), kv_pages.data(), kv_pages.size() * sizeof(void*));
  const auto floats = [&](std::int64_t cols, const std::vector<float>& values) {
    buffers.emplace_back(*gpu, static_cast<std::size_t>(cols) * 2);
    const Tensor row = {buffers.back().data(), 1, cols, DType::BF16};
    if (!values.empty()) write_floats(*gpu, row, values);
    return row;
  };
  for (const bool by_summaries : {true, false}) {
    KvLayer both = layer;
    both.pages = kv_pages;
    both.page_table = static_cast<void* const*>(table.data());
    both.kv_heads = kHeads;
    both.head_dim = kDim;
    both.has_index_summaries = by_summaries;
    const Activations q_values = rounded(random_activations(random, 1, 64 * kDim));
    const Tensor q = floats(64 * kDim, q_values.values), index_q = floats(kHeads * kDim, random_queries().values),
                 got = floats(64 * kDim, {}), want = floats(64 * kDim, {});
    const Buffer got_ids(*gpu, kHeads * kTopK * 4), want_ids(*gpu, kHeads * kTopK * 4);
    const auto ids_of = [](const Buffer& b) { return Tensor{b.data(), 1, kHeads * kTopK, DType::I32}; };
    gpu->select_and_attend(got, ids_of(got_ids), q, index_q, both, kAll, kSelection, n - 1);
    gpu->select_blocks(ids_of(want_ids), index_q, both, kSelection, n - 1);
    gpu->attend_blocks(want, q, ids_of(want_ids), both, kAll, n - 1);
    std::vector<std::int32_t> got_choice(kHeads * kTopK), want_choice = got_choice;
    gpu->download(got_choice.data(), got_ids.data(), got_choice.size() * 4);
    gpu->download(want_choice.data(), want_ids.data(), want_choice.size() * 4);
    EXPECT_EQ(got_choice, want_choice) << by_summaries;
    EXPECT_LE(nmse(read_floats(*gpu, got), read_floats(*gpu, want)), 1e-12) << by_summaries;
  }
}

INSTANTIATE_TEST_SUITE_P(tokens, GpuSelectionOf,
                         testing::Values(1, 100, kBlock, 16 * kBlock, 16 * kBlock + 1, 17 * kBlock, 4021, 257 * kBlock,
                                         1024 * kBlock, 1030 * kBlock + 127, kLong),
                         [](const auto& info) { return std::to_string(info.param); });

TEST_F(GpuSelection, summaries_follow_keys_that_are_stored_again) {
  Activations k = random_keys(kLong), q = random_queries();
  make_pages(kLong);
  Activations old = random_keys(kLong);
  for (float& value : old.values) value *= 1.5F;
  store(old, 0, kLong);
  const std::int64_t from = 2000 * kBlock + 50;  // the session goes back to here and on with other keys
  store(k, 0, 700 * kBlock + 3);
  store(k, 700 * kBlock + 3, from - 700 * kBlock - 3);
  for (std::int64_t p = from; p < from + 200; ++p) store(k, p, 1);
  store(k, from + 200, kLong - from - 200);
  const std::vector<std::int32_t> got = choose(q, kLong - 1, true);
  expect_equal_choices(k, q, "stored once");
  EXPECT_EQ(got, choose(q, kLong - 1, true));
}

TEST_F(GpuSelection, keeps_forced_blocks_among_the_choices) {
  Activations k = random_keys(kLong), q = random_queries();
  make_pages(kLong);
  store(k, 0, kLong);
  Selection selection = kSelection;
  selection.init_blocks = 2;
  selection.local_blocks = 3;
  const std::vector<std::int32_t> got = choose(q, kLong - 1, true, selection);
  EXPECT_EQ(got, choose(q, kLong - 1, false, selection));
  for (int head = 0; head < kHeads; ++head) {
    const auto* ids = got.data() + head * kTopK;
    EXPECT_EQ(std::vector<std::int32_t>(ids, ids + 2), (std::vector<std::int32_t>{0, 1}));
    EXPECT_EQ(std::vector<std::int32_t>(ids + 13, ids + 16), (std::vector<std::int32_t>{2098, 2099, 2100}));
  }
}

}  // namespace
}  // namespace inference::ops
