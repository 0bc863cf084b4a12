// A token's operations recorded by the GPU and replayed at later positions, against the same operations called one by
// one.

#include "tests/ops/ops_fixture.h"

namespace inference::ops {
namespace {

constexpr Heads kHeads = {64, 4, 128};
constexpr int kIndexDim = 128, kBlock = 128, kTopK = 4;
constexpr Selection kSelection = {.block_size = kBlock, .top_k_blocks = kTopK};
constexpr Rope kRope = {64, 5e6F};

// One layer's cache and what a token's attention reads and writes.
class Layer {
 public:
  Layer(Device& device, std::int64_t n_tokens) : device_(device) {
    const std::size_t summary = device.index_summary_bytes(kBlock, kIndexDim, DType::BF16);
    index_bytes_ = kBlock * kIndexDim * 2 + summary;
    for (std::int64_t i = 0; i < (n_tokens + kBlock - 1) / kBlock; ++i) {
      pages_.push_back(cleared(2 * 4 * kBlock * 128 * 2));
      index_pages_.push_back(cleared(index_bytes_));
    }
    cache_ = {.pages = pages_,
              .index_pages = index_pages_,
              .dtype = DType::BF16,
              .page_size = kBlock,
              .kv_heads = kHeads.kv_heads,
              .head_dim = kHeads.head_dim,
              .index_dim = kIndexDim,
              .has_index_summaries = summary > 0,
              .page_table = list(pages_),
              .index_page_table = list(index_pages_)};
    norm_ = cleared(128 * sizeof(float));  // weights are 1 + this
    for (Tensor* x : {&q, &dense, &sparse}) *x = tensor(64 * 128);
    for (Tensor* x : {&k, &v, &index_q}) *x = tensor(4 * 128);
    index_k = tensor(kIndexDim);
    ids = {cleared(4 * kTopK * 4), 1, 4 * kTopK, DType::I32};
  }

  void operations(std::int64_t position) {
    const HeadNorm norm = {{static_cast<const float*>(norm_), 128}, 1e-6F};
    for (const Tensor& x : {q, k, index_q, index_k}) device_.norm_rope_heads(x, norm, kRope, position);
    device_.store_kv(cache_, k, v, position);
    device_.store_index_k(cache_, index_k, position);
    device_.select_and_attend(sparse, ids, q, index_q, cache_, kHeads, kSelection, position);
    device_.attend(dense, q, cache_, kHeads, position);
  }
  void set_inputs(std::mt19937& random) {
    for (const Tensor& x : {q, k, v, index_q, index_k}) {
      write_floats(device_, x, random_activations(random, 1, x.cols).values);
    }
  }
  std::vector<std::int32_t> chosen() {
    std::vector<std::int32_t> values(static_cast<std::size_t>(ids.cols));
    device_.download(values.data(), ids.data, values.size() * 4);
    return values;
  }
  std::vector<std::byte> index_page(std::size_t i) {
    std::vector<std::byte> bytes(index_bytes_);
    device_.download(bytes.data(), index_pages_[i], bytes.size());
    return bytes;
  }

  Tensor q, k, v, index_q, index_k, ids, dense, sparse;

 private:
  void* cleared(std::size_t n_bytes) {
    buffers_.emplace_back(device_, n_bytes);
    device_.clear(buffers_.back().data(), n_bytes);
    return buffers_.back().data();
  }
  Tensor tensor(std::int64_t cols) { return {cleared(static_cast<std::size_t>(cols) * 2), 1, cols, DType::BF16}; }
  void* const* list(const std::vector<void*>& pages) {
    void* on_gpu = cleared(pages.size() * sizeof(void*));
    device_.upload(on_gpu, pages.data(), pages.size() * sizeof(void*));
    return static_cast<void* const*>(on_gpu);
  }

  Device& device_;
  std::vector<Buffer> buffers_;
  std::vector<void*> pages_, index_pages_;
  std::size_t index_bytes_ = 0;
  void* norm_ = nullptr;
  KvLayer cache_;
};

// Over the boundaries of blocks and of the ranges of positions that one recording serves.
TEST(GpuRepeated, replays_equal_single_calls) {
  std::string reason;
  const std::unique_ptr<Device> gpu = make_cuda_device(DType::BF16, 0, reason);
  if (gpu == nullptr) GTEST_SKIP() << reason;
  constexpr std::int64_t kFirst = 880, kEnd = 1300;
  Layer replayed(*gpu, kEnd), called(*gpu, kEnd);
  const std::unique_ptr<Repeated> repeated = gpu->make_repeated();
  ASSERT_NE(repeated, nullptr);
  int n_calls = 0;
  for (std::int64_t position = 0; position < kEnd; ++position) {
    std::mt19937 random(static_cast<unsigned>(position)), again = random;
    replayed.set_inputs(random);
    called.set_inputs(again);
    called.operations(position);
    if (position < kFirst) {
      replayed.operations(position);
      continue;
    }
    repeated->run(position, 0, [&] {
      ++n_calls;
      replayed.operations(position);
    });
    ASSERT_EQ(replayed.chosen(), called.chosen()) << position;
    const std::vector<float> sparse = read_floats(*gpu, called.sparse), dense = read_floats(*gpu, called.dense);
    ASSERT_LE(nmse(read_floats(*gpu, replayed.sparse), sparse), 1e-10) << position;
    ASSERT_LE(nmse(read_floats(*gpu, replayed.dense), dense), 1e-5) << position;  // keys are divided otherwise
  }
  for (std::size_t page = 0; page < kEnd / kBlock; ++page)
    EXPECT_EQ(replayed.index_page(page), called.index_page(page));
  if (gpu->index_summary_bytes(kBlock, kIndexDim, DType::BF16) > 0) {
    EXPECT_LT(n_calls, 10) << "the GPU records this";
  }
}

}  // namespace
}  // namespace inference::ops
