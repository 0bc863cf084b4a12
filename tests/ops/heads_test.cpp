// Making a layer's heads: products, norms and rotation, and what goes into the cache.

#include "tests/ops/ops_fixture.h"

namespace inference::ops {
namespace {

struct Shape {
  int q_heads, kv_heads, head_dim, index_dim, page_size;
  std::int64_t first_position, n_tokens;
  DType main, index;  // index without a type of weights: a layer without MSA
};

constexpr DType kNone = DType::I64;
const Shape kShapes[] = {{16, 4, 128, 128, 128, 254, 4, DType::F8E4M3, DType::F8E4M3},
                         {16, 4, 128, 128, 128, 127, 1, DType::F8E4M3, DType::BF16},
                         {64, 4, 128, 128, 128, 0, 1, DType::BF16, DType::BF16},
                         {6, 2, 64, 32, 64, 62, 3, DType::F32, DType::F32},
                         {6, 2, 24, 16, 20, 5, 1, DType::BF16, kNone},
                         {8, 2, 64, 64, 64, 100, 37, DType::F8E4M3, DType::F8E4M3}};

// What a device makes of a shape's layer.
struct Made {
  Made(Device& device, const Shape& s, DType cache_type, unsigned seed)
      : cache(cache_type, s.page_size, s.kv_heads, s.head_dim, s.index_dim, s.first_position + s.n_tokens) {
    std::mt19937 random(seed);
    constexpr std::int64_t kHidden = 192;
    Activations x = random_activations(random, s.n_tokens, kHidden);
    for (float& value : x.values) value = bf16_to_float(float_to_bf16(value));
    std::vector<StoredWeight> weights;
    std::vector<Activations> norms;
    weights.reserve(5), norms.reserve(4), outputs.reserve(5);
    const auto map = [&](int n_heads, int dim, DType type, bool is_normed) -> HeadMap {
      if (type == kNone) return {};
      weights.push_back(random_weight(random, type, std::int64_t{n_heads} * dim, kHidden));
      outputs.emplace_back(s.n_tokens, std::int64_t{n_heads} * dim);
      HeadMap made = {outputs.back().tensor(), weights.back().matrix, {}};
      if (is_normed) {
        norms.push_back(random_activations(random, 1, dim));
        made.norm = {{norms.back().values.data(), dim}, 1e-6F};
      }
      return made;
    };
    HeadMaps maps;
    maps.q = map(s.q_heads, s.head_dim, s.main, true);
    maps.k = map(s.kv_heads, s.head_dim, s.main, true);
    maps.v = map(s.kv_heads, s.head_dim, s.main, false);
    maps.index_q = map(s.kv_heads, s.index_dim, s.index, true);
    maps.index_k = map(1, s.index_dim, s.index, true);
    device.make_heads(maps, x.tensor(), {16, 5e6F}, cache.layer, s.first_position);
  }
  // Everything that lies in the cache; NaN where nothing was stored.
  std::vector<float> stored() const {
    std::vector<float> values;
    for (const std::vector<std::byte>& page : cache.memory) {
      const auto n = static_cast<std::int64_t>(page.size() / element_bytes(cache.layer.dtype));
      for (std::int64_t i = 0; i < n; ++i) values.push_back(load_as_float(page.data(), cache.layer.dtype, i));
    }
    return values;
  }

  std::vector<Activations> outputs;
  TestCache cache;
};

void expect_equal(Device& device, DType cache_type, double most) {
  const std::unique_ptr<Device> reference = make_reference_device();
  for (const Shape& s : kShapes) {
    const Made got(device, s, cache_type, 3), want(*reference, s, cache_type, 3);
    for (std::size_t i = 0; i < want.outputs.size(); ++i)
      EXPECT_LE(nmse(got.outputs[i].values, want.outputs[i].values), most) << i << " of " << s.head_dim;
    const std::vector<float> stored = want.stored();
    EXPECT_LE(nmse(got.stored(), stored), cache_type == DType::F32 ? most : 2e-5) << s.head_dim;
    EXPECT_TRUE(std::any_of(stored.begin(), stored.end(), [](float value) { return std::isfinite(value); }));
  }
}

class HeadOps : public DeviceOps {};

TEST_P(HeadOps, match_the_reference) {
  expect_equal(*device, DType::F32, kMaxNmse);
  expect_equal(*device, DType::BF16, kMaxNmse);
}

INSTANTIATE_TEST_SUITE_P(Devices, HeadOps, testing::ValuesIn(all_setups()), setup_name);

// The product and the result are rounded to bf16.
TEST(GpuBf16Heads, match_the_reference) {
  std::string reason;
  std::unique_ptr<Device> gpu = make_cuda_device(DType::BF16, 0, reason);
  if (gpu == nullptr) GTEST_SKIP() << reason;
  HostFacingDevice device(std::move(gpu));
  expect_equal(device, DType::BF16, 2e-5);
}

}  // namespace
}  // namespace inference::ops
