// A slice of MiniMax-M3 on the GPU: layers of the true shapes with random MXFP8 weights made in memory, as many as fit.
// Prints prefill and decode at several contexts and how long the vision tower takes for a screen.
//
// The default slice (8 layers, the first dense, 16 experts of which 4 and the shared one are used, 32,000 tokens)
// reads and computes per token what 128 experts would; --experts 128 makes the experts' memory and grouping true, too.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "inference/forward.h"
#include "inference/number_formats.h"
#include "inference/programs/support/arguments.h"
#include "inference/vision.h"

namespace {

using namespace inference;

constexpr std::int64_t kChunk = 8192;
constexpr const char* kUsage =
    "Usage: m3_layers_bench [--layers N] [--experts N] [--prefill LONGEST] [--long-decode N]\n"
    "                       [--no-vision | --only-vision]\n";

ModelConfig shape_of_m3(int n_layers, int n_experts) {
  ModelConfig config;
  config.text = {.hidden_dim = 6144,
                 .n_layers = n_layers,
                 .vocab_size = 32000,
                 .max_tokens = 1 << 20,
                 .rms_eps = 1e-6F,
                 .q_heads = 64,
                 .kv_heads = 4,
                 .head_dim = 128,
                 .rotary_dim = 64,
                 .rope_theta = 5e6F,
                 .dense_dim = 12288,
                 .expert_dim = 3072,
                 .shared_dim = 3072,
                 .n_experts = n_experts,
                 .top_k_experts = 4,
                 .routed_scaling = 2,
                 .swiglu_alpha = 1.702F,
                 .swiglu_limit = 7,
                 .index_dim = 128,
                 .block_size = 128,
                 .top_k_blocks = 16,
                 .is_sparse = std::vector<bool>(static_cast<std::size_t>(n_layers), true),
                 .is_moe = std::vector<bool>(static_cast<std::size_t>(n_layers), true)};
  config.text.is_sparse[0] = config.text.is_moe[0] = false;
  config.vision = VisionConfig{.hidden_dim = 1280,
                               .n_layers = 32,
                               .heads = 16,
                               .ffn_dim = 5120,
                               .patch_size = 14,
                               .projector_dim = 6144,
                               .layer_norm_eps = 1e-5F,
                               .rope_theta = 10000};
  return config;
}

// Makes weights on the device out of one block of random numbers, each from another place of it.
class WeightMaker {
 public:
  explicit WeightMaker(ops::Device& device) : device_(device), codes_(kBlock), halves_(kBlock) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      constexpr std::size_t kFresh = 1 << 24;  // the rest repeats
      const std::uint32_t bits = i < kFresh ? static_cast<std::uint32_t>(random()) : 0;
      // Of magnitudes 1/8 … 8.
      codes_[i] =
          i < kFresh ? static_cast<std::uint8_t>((bits & 0x87) | (4 + (bits >> 8) % 6) << 3) : codes_[i - kFresh];
      halves_[i] = i < kFresh ? float_to_bf16(normal(random) / 64) : halves_[i - kFresh];
    }
  }
  Matrix mxfp8(std::int64_t rows, std::int64_t cols) {
    const std::int64_t n = rows * cols;
    constexpr std::uint8_t kScale = 127 - 8;  // elements of about 1 / 80
    const std::vector<std::uint8_t> scales(static_cast<std::size_t>(n / kMxGroup), kScale);
    n_bytes_ += static_cast<double>(n) * 33 / 32;
    return {place(codes_, n), static_cast<const std::uint8_t*>(device_.resident(scales.data(), scales.size())), rows,
            cols, DType::F8E4M3};
  }
  Matrix bf16(std::int64_t rows, std::int64_t cols) {
    n_bytes_ += static_cast<double>(rows * cols) * 2;
    return {place(halves_, rows * cols), nullptr, rows, cols, DType::BF16};
  }
  Matrix f32(std::int64_t rows, std::int64_t cols) { return {vector(rows * cols, 0.02F).data, nullptr, rows, cols}; }
  Vector vector(std::int64_t n, float scale = 0) {
    std::vector<float> values(static_cast<std::size_t>(n));
    std::normal_distribution<float> normal(0, std::max(scale, 1e-6F));
    for (float& value : values) value = normal(random_);
    return {static_cast<const float*>(device_.resident(values.data(), values.size() * sizeof(float))), n};
  }
  ops::Ffn ffn(std::int64_t hidden, std::int64_t dim) {
    return {mxfp8(dim, hidden), mxfp8(dim, hidden), mxfp8(hidden, dim)};
  }
  double n_bytes() const { return n_bytes_; }

 private:
  static constexpr std::int64_t kBlock = 200 << 20;
  template <typename T>
  const void* place(const std::vector<T>& block, std::int64_t n) {
    INFERENCE_CHECK(n <= kBlock, "a matrix of ", n, " elements");
    next_ = (next_ + 7919 * 16) % (kBlock - n + 1);
    return device_.resident(block.data() + next_, static_cast<std::size_t>(n) * sizeof(T));
  }

  ops::Device& device_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::uint16_t> halves_;
  std::mt19937 random_{2};
  std::int64_t next_ = 0;
  double n_bytes_ = 0;
};

LayerWeights make_layer(WeightMaker& make, const TextConfig& c, bool is_moe) {
  const std::int64_t q_dim = std::int64_t{c.q_heads} * c.head_dim, kv_dim = std::int64_t{c.kv_heads} * c.head_dim;
  LayerWeights layer;
  layer.is_sparse = layer.is_moe = is_moe;
  layer.input_norm = make.vector(c.hidden_dim);
  layer.post_attention_norm = make.vector(c.hidden_dim);
  layer.attention = {make.mxfp8(q_dim, c.hidden_dim),
                     make.mxfp8(kv_dim, c.hidden_dim),
                     make.mxfp8(kv_dim, c.hidden_dim),
                     make.mxfp8(c.hidden_dim, q_dim),
                     make.vector(c.head_dim),
                     make.vector(c.head_dim),
                     {},
                     {},
                     {},
                     {}};
  if (!is_moe) {
    layer.ffn = make.ffn(c.hidden_dim, c.dense_dim);
    return layer;
  }
  layer.attention.index_q = make.mxfp8(std::int64_t{c.kv_heads} * c.index_dim, c.hidden_dim);
  layer.attention.index_k = make.mxfp8(c.index_dim, c.hidden_dim);
  layer.attention.index_q_norm = make.vector(c.index_dim);
  layer.attention.index_k_norm = make.vector(c.index_dim);
  layer.ffn = make.ffn(c.hidden_dim, c.shared_dim);
  layer.router = make.f32(c.n_experts, c.hidden_dim);
  layer.router_bias = make.vector(c.n_experts, 0.01F);
  for (int i = 0; i < c.n_experts; ++i) layer.experts.push_back(make.ffn(c.hidden_dim, c.expert_dim));
  return layer;
}

VisionWeights make_vision(WeightMaker& make, const VisionConfig& c, std::int64_t text_dim) {
  const auto linear = [&](std::int64_t out, std::int64_t in) { return Linear{make.bf16(out, in), make.vector(out)}; };
  const auto norm = [&] { return Norm{make.vector(c.hidden_dim, 1), make.vector(c.hidden_dim)}; };
  VisionWeights vision;
  vision.patch_embedding = make.bf16(c.hidden_dim, c.patch_elements());
  vision.pre_norm = norm();
  for (int i = 0; i < c.n_layers; ++i) {
    VisionLayerWeights layer;
    layer.norm1 = norm();
    layer.norm2 = norm();
    for (Linear* part : {&layer.q, &layer.k, &layer.v, &layer.out}) *part = linear(c.hidden_dim, c.hidden_dim);
    layer.fc1 = linear(c.ffn_dim, c.hidden_dim);
    layer.fc2 = linear(c.hidden_dim, c.ffn_dim);
    vision.layers.push_back(std::move(layer));
  }
  vision.projector1 = linear(c.projector_dim, c.hidden_dim);
  vision.projector2 = linear(text_dim, c.projector_dim);
  vision.merge1 = linear(c.projector_dim, c.merged_patches() * text_dim);
  vision.merge2 = linear(text_dim, c.projector_dim);
  return vision;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

class Bench {
 public:
  Bench(ops::Device& device, const ModelConfig& config) : device_(device), config_(config), text_(config_.text) {
    WeightMaker make(device);
    weights_.embeddings = make.bf16(text_.vocab_size, text_.hidden_dim);
    for (int i = 0; i < text_.n_layers; ++i) {
      weights_.layers.push_back(make_layer(make, text_, text_.is_moe[static_cast<std::size_t>(i)]));
    }
    weights_.final_norm = make.vector(text_.hidden_dim);
    weights_.lm_head = make.bf16(text_.vocab_size, text_.hidden_dim);
    weights_.vision = make_vision(make, *config_.vision, text_.hidden_dim);
    std::printf("%d layers, %d experts, %.1f GB of weights\n", text_.n_layers, text_.n_experts, make.n_bytes() / 1e9);
  }

  // Prefills n tokens, then decodes behind them.
  void measure(std::int64_t n) {
    Forward forward(device_, text_, weights_, kChunk, SparseAttention::AsTrained);
    KvCache cache(device_, text_, DType::BF16);
    cache.reserve(n + 64);
    double seconds = 0;
    for (int round = 0; n > 0 && round < 2; ++round) {  // the first one warms up
      const auto start = std::chrono::steady_clock::now();
      for (std::int64_t first = 0; first < n; first += kChunk) {
        const std::vector<std::int32_t> ids = some_tokens(std::min(kChunk, n - first), first);
        forward.run({ids, first, {}}, cache, {});
      }
      forward.logits(std::min(kChunk, n) - 1);
      seconds = seconds_since(start);
    }
    report(n, seconds, forward, cache);
  }

  // Decodes behind n random keys that no prefill made.
  void measure_decode(std::int64_t n) {
    Forward forward(device_, text_, weights_, 1, SparseAttention::AsTrained);
    KvCache cache(device_, text_, DType::BF16);
    cache.reserve(n + 64);
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    const std::int64_t kv_dim = std::int64_t{text_.kv_heads} * text_.head_dim;
    std::vector<std::uint16_t> values(static_cast<std::size_t>(2 * kChunk * kv_dim));
    for (std::uint16_t& value : values) value = float_to_bf16(normal(random));
    const ops::Buffer buffer(device_, values.size() * 2);
    device_.upload(buffer.data(), values.data(), values.size() * 2);
    const Tensor rows = {buffer.data(), 2 * kChunk, kv_dim, DType::BF16};
    const Tensor index_rows = {buffer.data(), 2 * kChunk * kv_dim / text_.index_dim, text_.index_dim, DType::BF16};
    for (int layer = 0; layer < text_.n_layers; ++layer) {
      for (std::int64_t first = 0; first < n; first += kChunk) {
        const std::int64_t m = std::min(kChunk, n - first), from = (first / kChunk * 37 + layer * 101) % kChunk;
        device_.store_kv(cache.layer(layer), rows.slice(from, m), rows.slice(from / 2, m), first);
        if (cache.layer(layer).index_dim > 0)
          device_.store_index_k(cache.layer(layer), index_rows.slice(from * 3, m), first);
      }
    }
    report(n, 0, forward, cache);
  }

  void measure_vision(int grid_h, int grid_w) {
    Patches patches = {1, grid_h, grid_w, {}};
    std::mt19937 random(4);
    std::normal_distribution<float> normal;
    patches.pixels.resize(static_cast<std::size_t>(patches.n_patches() * config_.vision->patch_elements()));
    for (float& pixel : patches.pixels) pixel = normal(random);
    std::vector<double> seconds;
    for (int i = 0; i < 8; ++i) {
      const auto start = std::chrono::steady_clock::now();
      encode_patches(device_, config_, weights_.vision, patches, false);
      if (i > 1) seconds.push_back(seconds_since(start));
    }
    const double n = static_cast<double>(patches.n_patches());
    const double per_layer = 2 * n * 12 * 1280 * 1280 + 4 * n * n * 1280;
    const double ends = 2 * n * (588.0 * 1280 + 1280.0 * 6144 + 6144.0 * 6144 + 6144.0 * 6144 + 6144.0 * 1536);
    const double rate = (32 * per_layer + ends) / median(seconds);
    std::printf("screen of %lld tokens: %.2f ms, %.0f TFLOP/s, %.0f %% of floor\n",
                static_cast<long long>(patches.n_patches() / 4), median(seconds) * 1e3, rate / 1e12,
                100 * rate / product_rate());
  }

 private:
  // Operations per second of a large product of random bf16 values: what the floor is counted with.
  double product_rate() {
    if (product_rate_ > 0) return product_rate_;
    constexpr std::int64_t kSize = 8192;
    WeightMaker make(device_);
    const Matrix w = make.bf16(kSize, kSize), x = make.bf16(kSize, kSize);
    const ops::Buffer out(device_, kSize * kSize * 2);
    const Tensor product = {out.data(), kSize, kSize, DType::BF16};
    std::vector<double> seconds;
    for (int i = 0; i < 12; ++i) {
      const auto start = std::chrono::steady_clock::now();
      device_.linear(product, {const_cast<void*>(x.data), kSize, kSize, DType::BF16}, w);
      std::uint16_t word = 0;
      device_.download(&word, out.data(), sizeof(word));
      if (i > 1) seconds.push_back(seconds_since(start));
    }
    product_rate_ = 2.0 * kSize * kSize * kSize / median(seconds);
    std::printf("bf16 products of 8192³: %.0f TFLOP/s\n", product_rate_ / 1e12);
    return product_rate_;
  }

  std::vector<std::int32_t> some_tokens(std::int64_t n, std::int64_t seed) const {
    std::mt19937 random(static_cast<unsigned>(seed + 5));
    std::vector<std::int32_t> ids(static_cast<std::size_t>(n));
    for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random() % static_cast<unsigned>(text_.vocab_size));
    return ids;
  }

  void report(std::int64_t n, double prefill_seconds, Forward& forward, KvCache& cache) {
    std::vector<double> seconds;
    for (std::int64_t i = 0; i < 48; ++i) {
      const std::vector<std::int32_t> ids = some_tokens(1, i);
      const auto start = std::chrono::steady_clock::now();
      forward.run({ids, n + i, {}}, cache, {});
      const std::vector<float> logits = forward.logits(0);
      if (i > 7) seconds.push_back(seconds_since(start));
      INFERENCE_CHECK(std::isfinite(logits[0]), "NaN at ", n + i);
    }
    const double decode = median(seconds), context = static_cast<double>(n);
    std::printf("%8lld", static_cast<long long>(n));
    if (prefill_seconds > 0) {
      const double operations = context * 2 * active_elements() + attention_operations(context);
      std::printf(" prefill %9.0f tok/s %5.0f TFLOP/s", context / prefill_seconds, operations / prefill_seconds / 1e12);
    }
    std::printf("  decode %7.1f tok/s %6.3f ms a layer %5.2f TB/s\n", 1 / decode, decode * 1e3 / text_.n_layers,
                decode_bytes(context) / decode / 1e12);
    std::fflush(stdout);
  }

  // Weights that a token passes in the layers.
  double active_elements() const {
    const double hidden = text_.hidden_dim, attention = hidden * 128 * (64 + 4 + 4 + 64), index = hidden * 128 * 5;
    const double moe = 3 * hidden * 3072 * 5 + hidden * text_.n_experts, dense = 3 * hidden * 12288;
    return text_.n_layers * attention + (text_.n_layers - 1) * (index + moe) + dense;
  }
  double attention_operations(double n) const {
    const double blocks = 128 * std::min(16.0, n / 256);  // keys that a token attends to on average
    return 2 * 64 * 128 * n * n + (text_.n_layers - 1) * (4 * 64 * 128 * n * blocks + 4 * 128 * n * n);
  }
  double decode_bytes(double n) const {
    const double head = static_cast<double>(text_.vocab_size) * text_.hidden_dim * 2;
    return active_elements() * 33 / 32 + head + 2048 * n +
           (text_.n_layers - 1) * (256 * n + 2048 * std::min(n, 2048.0));
  }

  ops::Device& device_;
  ModelConfig config_;
  const TextConfig& text_;
  Weights weights_;
  double product_rate_ = 0;
};

int run(int argc, char** argv) {
  const programs::Arguments arguments(argc, argv, {"layers", "experts", "prefill", "long-decode"},
                                      {"no-vision", "only-vision"});
  std::string reason;
  const std::unique_ptr<ops::Device> device = ops::make_cuda_device(DType::BF16, 0, reason);
  if (device == nullptr) throw Error("m3_layers_bench needs a GPU: " + reason);
  std::printf("%s\n", device->description().c_str());
  Bench bench(*device, shape_of_m3(static_cast<int>(arguments.integer("layers", 8)),
                                   static_cast<int>(arguments.integer("experts", 16))));
  if (!arguments.has("only-vision")) {
    const std::int64_t longest = arguments.integer("prefill", 131072);
    for (const std::int64_t n : {std::int64_t{0}, kChunk, 4 * kChunk, 16 * kChunk}) {
      if (n <= longest) bench.measure(n);
    }
    bench.measure_decode(arguments.integer("long-decode", 524288));
  }
  if (arguments.has("no-vision")) return 0;
  bench.measure_vision(48, 48);
  bench.measure_vision(78, 138);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return programs::run_program(argc, argv, kUsage, [&] { return run(argc, argv); });
}
