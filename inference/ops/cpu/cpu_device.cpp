// The CPU device: checks shapes and hands each operation to its kernels.

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "inference/number_formats.h"
#include "inference/ops/cpu/attention.h"
#include "inference/ops/cpu/linear.h"
#include "inference/ops/cpu/moe.h"
#include "inference/ops/cpu/norms.h"
#include "inference/ops/cpu/selection.h"
#include "inference/ops/cpu/targets.h"
#include "inference/ops/cpu/thread_pool.h"
#include "inference/ops/ops.h"

namespace inference::ops {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::int64_t size_of(std::size_t n) {
  return static_cast<std::int64_t>(n);
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(int n_threads) : pool_(n_threads), ffn_(pool_) {}

  std::string description() const override {
    const std::int64_t best = hwy::SupportedTargets() & HWY_TARGETS;
    return message("cpu: ", hwy::TargetName(best & -best), ", ", pool_.n_threads(), " threads");
  }
  DType activation_type() const override { return DType::F32; }

  // Large buffers (the cache) on pages of 2 MiB where the kernel has some: decode reads all of it once per token, and
  // with pages of 4 KiB would wait for address translation.
  void* allocate(std::size_t n_bytes) override {
    const bool is_large = n_bytes >= kHugePage;
    void* memory = nullptr;
    if (posix_memalign(&memory, is_large ? kHugePage : kAlignment, std::max<std::size_t>(n_bytes, 1)) != 0) {
      throw Error(message("out of memory: ", n_bytes, " bytes were asked for"));
    }
    if (is_large) ::madvise(memory, n_bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
    return memory;
  }
  void release(void* memory) override { std::free(memory); }
  void clear(void* memory, std::size_t n_bytes) override { std::memset(memory, 0, n_bytes); }
  void upload(void* to, const void* from_host, std::size_t n_bytes) override { std::memcpy(to, from_host, n_bytes); }
  void download(void* to_host, const void* from, std::size_t n_bytes) override { std::memcpy(to_host, from, n_bytes); }
  const void* resident(const void* host, std::size_t /*n_bytes*/) override { return host; }

  void embed(Tensor out, const Matrix& table, std::span<const std::int32_t> ids) override {
    INFERENCE_CHECK(out.rows == size_of(ids.size()) && out.cols == table.cols, "embed: ", out.rows, "x", out.cols,
                    " from ", ids.size(), " ids of ", table.cols);
    for_each_row(pool_, out.rows, out.cols * 8, [&](std::int64_t token) {
      const std::int32_t id = ids[static_cast<std::size_t>(token)];
      INFERENCE_CHECK(id >= 0 && id < table.rows, "embed: id ", id, " of ", table.rows);
      for (std::int64_t col = 0; col < out.cols; ++col) out.f32()[token * out.cols + col] = weight_at(table, id, col);
    });
  }

  void rms_norm(Tensor out, Tensor x, Vector weight, float eps) override {
    INFERENCE_CHECK(out.rows == x.rows && out.cols == x.cols && x.cols == weight.size, "rms_norm: ", x.cols, " with ",
                    weight.size);
    for_each_row(pool_, x.rows, x.cols,
                 [&](std::int64_t row) { gemma_norm_row(row_of(out, row), row_of(x, row), weight, eps); });
  }

  void linear(Tensor out, Tensor x, const Matrix& w, Vector bias) override {
    INFERENCE_CHECK(out.rows == x.rows && x.cols == w.cols && out.cols == w.rows, "linear: [", out.rows, ", ", out.cols,
                    "] = [", x.rows, ", ", x.cols, "] x [", w.rows, ", ", w.cols, "]");
    INFERENCE_CHECK(bias.data == nullptr || bias.size == w.rows, "linear: bias of ", bias.size, " for ", w.rows);
    check_weight(w);
    packed_.pack(pool_, x.f32(), x.rows, x.cols, w.dtype);
    const Product product{
        .out = out.f32(), .x = packed_.row(0), .x_stride = packed_.stride(), .n_rows = x.rows, .w = w, .bias = bias};
    multiply(pool_, {&product, 1});
  }

  void add(Tensor x, Tensor y) override {
    INFERENCE_CHECK(x.rows == y.rows && x.cols == y.cols, "add: shapes differ");
    for_each_row(pool_, x.rows, x.cols, [&](std::int64_t row) { add_row(row_of(x, row), row_of(y, row), x.cols); });
  }

  void norm_rope_heads(Tensor x, const HeadNorm& norm, const Rope& rope, std::int64_t first_position) override {
    const std::int64_t head_dim = norm.weight.size;
    INFERENCE_CHECK(x.cols % head_dim == 0 && rope.rotary_dim % 2 == 0 && rope.rotary_dim <= head_dim,
                    "norm_rope_heads: ", x.cols, " columns, head_dim ", head_dim, ", rotary_dim ", rope.rotary_dim);
    const Rotations& rotations = rotations_at(rope, first_position, x.rows);
    for_each_row(pool_, x.rows, 2 * x.cols, [&](std::int64_t token) {
      const auto first = static_cast<std::size_t>(token * rotations.n_pairs);
      for (float* head = row_of(x, token); head < row_of(x, token) + x.cols; head += head_dim) {
        gemma_norm_row(head, head, norm.weight, norm.eps);
        rotate_head(head, rotations.cosines.data() + first, rotations.sines.data() + first, rotations.n_pairs);
      }
    });
  }

  void store_kv(const KvLayer& cache, Tensor k, Tensor v, std::int64_t first_position) override {
    const std::int64_t dim = std::int64_t{cache.kv_heads} * cache.head_dim;
    INFERENCE_CHECK(k.cols == dim && v.cols == dim && k.rows == v.rows, "store_kv: ", k.cols, " and ", v.cols,
                    " columns for ", dim);
    for_each_row(pool_, k.rows, 2 * dim, [&](std::int64_t token) {
      const std::int64_t position = first_position + token;
      void* page = cache.pages[static_cast<std::size_t>(position / cache.page_size)];
      for (std::int64_t head = 0; head < cache.kv_heads; ++head) {
        const std::int64_t slot = head * cache.page_size + position % cache.page_size;
        const std::int64_t values = std::int64_t{cache.kv_heads} * cache.page_size;
        store_row(page, cache.dtype, slot, row_of(k, token) + head * cache.head_dim, cache.head_dim);
        store_row(page, cache.dtype, values + slot, row_of(v, token) + head * cache.head_dim, cache.head_dim);
      }
    });
  }

  void store_index_k(const KvLayer& cache, Tensor index_k, std::int64_t first_position) override {
    INFERENCE_CHECK(index_k.cols == cache.index_dim, "store_index_k: ", index_k.cols, " for ", cache.index_dim);
    for_each_row(pool_, index_k.rows, index_k.cols, [&](std::int64_t token) {
      const std::int64_t position = first_position + token;
      store_row(cache.index_pages[static_cast<std::size_t>(position / cache.page_size)], cache.dtype,
                position % cache.page_size, row_of(index_k, token), cache.index_dim);
    });
  }

  void attend(Tensor out, Tensor q, const KvLayer& cache, const Heads& heads, std::int64_t first_position) override {
    check_heads(out, q, cache, heads);
    ops::attend(pool_, out.f32(), q.f32(), q.rows, heads, store_of(cache),
                {.causal = true, .first_position = first_position});
  }

  void select_blocks(Tensor block_ids, Tensor index_q, const KvLayer& cache, const Selection& selection,
                     std::int64_t first_position) override {
    const std::int64_t kv_heads = index_q.cols / cache.index_dim;
    INFERENCE_CHECK(cache.page_size == selection.block_size, "select_blocks: page ", cache.page_size, ", block ",
                    selection.block_size);
    INFERENCE_CHECK(index_q.cols % cache.index_dim == 0 && block_ids.rows == index_q.rows &&
                        block_ids.cols == kv_heads * selection.top_k_blocks,
                    "select_blocks: ", block_ids.cols, " ids for ", index_q.cols, " columns");
    choose_blocks(pool_, block_ids.i32(), index_q.f32(), index_q.rows, kv_heads, cache, selection, first_position);
  }

  void attend_blocks(Tensor out, Tensor q, Tensor block_ids, const KvLayer& cache, const Heads& heads,
                     std::int64_t first_position) override {
    check_heads(out, q, cache, heads);
    INFERENCE_CHECK(block_ids.rows == q.rows && block_ids.cols % heads.kv_heads == 0, "attend_blocks: ", block_ids.rows,
                    "x", block_ids.cols, " ids for ", q.rows, " tokens");
    ops::attend(pool_, out.f32(), q.f32(), q.rows, heads, store_of(cache),
                {.causal = true,
                 .first_position = first_position,
                 .block_ids = block_ids.i32(),
                 .top_k = block_ids.cols / heads.kv_heads});
  }

  void feed_forward(Tensor out, Tensor x, const Ffn& ffn, const Activation& activation) override {
    check_ffn(out, x, ffn);
    ffn_.run(out.f32(), x, ffn, activation);
  }

  void route(Tensor expert_ids, Tensor expert_weights, Tensor x, const Matrix& router, Vector bias,
             float scaling) override {
    INFERENCE_CHECK(expert_ids.cols <= router.rows && expert_ids.rows == x.rows && expert_weights.rows == x.rows &&
                        expert_weights.cols == expert_ids.cols,
                    "route: ", expert_ids.cols, " of ", router.rows, " experts");
    logits_.resize(static_cast<std::size_t>(x.rows * router.rows));
    linear({logits_.data(), x.rows, router.rows, DType::F32}, x, router, {});
    choose_experts(expert_ids, expert_weights, logits_.data(), router.rows, bias, scaling);
  }

  void mix_experts(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
                   const Ffn* shared, const Activation& activation) override {
    INFERENCE_CHECK(
        expert_ids.rows == x.rows && expert_weights.rows == x.rows && expert_weights.cols == expert_ids.cols,
        "mix_experts: ", expert_ids.rows, " choices for ", x.rows, " tokens");
    for (const Ffn& ffn : experts) check_ffn(out, x, ffn);
    if (shared != nullptr) check_ffn(out, x, *shared);
    ffn_.mix(out, x, expert_ids, expert_weights, experts, shared, activation);
  }

  void layer_norm(Tensor out, Tensor x, Vector weight, Vector bias, float eps) override {
    INFERENCE_CHECK(x.cols == weight.size && x.cols == bias.size && out.rows == x.rows && out.cols == x.cols,
                    "layer_norm: ", x.cols, " with ", weight.size);
    for_each_row(pool_, x.rows, 2 * x.cols,
                 [&](std::int64_t row) { layer_norm_row(row_of(out, row), row_of(x, row), weight, bias, eps); });
  }

  void gelu(Tensor x) override {
    for_each_row(pool_, x.rows, 8 * x.cols, [&](std::int64_t row) { gelu_row(row_of(x, row), x.cols); });
  }

  void rope_3d(Tensor x, std::span<const PatchPosition> positions, int heads, float theta) override {
    INFERENCE_CHECK(x.rows == size_of(positions.size()) && x.cols % heads == 0, "rope_3d: ", positions.size(),
                    " positions for ", x.rows, " patches");
    const std::int64_t head_dim = x.cols / heads;
    const std::int64_t axis_dim = 2 * ((2 * (head_dim / 2) / 3) / 2), per_axis = axis_dim / 2;
    std::vector<double> frequencies;
    for (std::int64_t j = 0; j < per_axis; ++j) {
      frequencies.push_back(std::pow(static_cast<double>(theta), -2.0 * static_cast<double>(j) / axis_dim));
    }
    for_each_row(pool_, x.rows, 32 * 3 * per_axis + x.cols, [&](std::int64_t patch) {
      const PatchPosition& at = positions[static_cast<std::size_t>(patch)];
      std::vector<float> cosines, sines;  // [3 * per_axis]: bands of t, h, w
      for (const std::int32_t axis : {at.t, at.h, at.w}) {
        for (const double frequency : frequencies) {
          cosines.push_back(static_cast<float>(std::cos(axis * frequency)));
          sines.push_back(static_cast<float>(std::sin(axis * frequency)));
        }
      }
      for (int head = 0; head < heads; ++head) {
        rotate_head(row_of(x, patch) + head * head_dim, cosines.data(), sines.data(), 3 * per_axis);
      }
    });
  }

  void attend_segments(Tensor out, Tensor q, Tensor k, Tensor v, std::span<const std::int64_t> segment_ends,
                       int heads) override {
    INFERENCE_CHECK(!segment_ends.empty() && segment_ends.back() == q.rows && k.rows == q.rows && v.rows == q.rows &&
                        k.cols == q.cols && v.cols == q.cols && out.rows == q.rows && out.cols == q.cols &&
                        q.cols % heads == 0,
                    "attend_segments: shapes differ");
    constexpr int kBlock = 128;  // patches read at a time, as many as a page of the cache holds
    std::int64_t first = 0;
    for (const std::int64_t end : segment_ends) {
      const KeyStore store{.keys = row_of(k, first),
                           .values = row_of(v, first),
                           .dtype = DType::F32,
                           .block_size = kBlock,
                           .n_keys = end - first};
      ops::attend(pool_, row_of(out, first), row_of(q, first), end - first,
                  {heads, heads, static_cast<int>(q.cols) / heads}, store, {});
      first = end;
    }
  }

 private:
  static float* row_of(Tensor x, std::int64_t row) { return x.f32() + row * x.cols; }

  static void store_row(void* page, DType dtype, std::int64_t row, const float* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) store_float(page, dtype, row * n + i, x[i]);
  }

  static void check_weight(const Matrix& w) {
    INFERENCE_CHECK(
        (w.dtype == DType::F8E4M3) == (w.scales != nullptr) && (w.scales == nullptr || w.cols % kMxGroup == 0),
        "a weight of ", dtype_name(w.dtype), " with ", w.cols, " columns and ", w.scales == nullptr ? "no" : "",
        " scales");
  }

  static void check_ffn(Tensor out, Tensor x, const Ffn& ffn) {
    INFERENCE_CHECK(out.rows == x.rows && x.cols == ffn.gate.cols && x.cols == ffn.up.cols &&
                        ffn.gate.rows == ffn.up.rows && ffn.down.cols == ffn.gate.rows && out.cols == ffn.down.rows &&
                        ffn.gate.dtype == ffn.up.dtype,
                    "feed-forward: shapes differ");
    check_weight(ffn.gate);
    check_weight(ffn.up);
    check_weight(ffn.down);
  }

  static void check_heads(Tensor out, Tensor q, const KvLayer& cache, const Heads& heads) {
    INFERENCE_CHECK(heads.kv_heads == cache.kv_heads && heads.head_dim == cache.head_dim &&
                        heads.q_heads % heads.kv_heads == 0 && q.cols == std::int64_t{heads.q_heads} * heads.head_dim &&
                        out.rows == q.rows && out.cols == q.cols,
                    "attention: shapes differ");
  }

  static KeyStore store_of(const KvLayer& cache) {
    return {.cache = &cache, .dtype = cache.dtype, .block_size = cache.page_size};
  }

  // The same for queries, keys and index heads of all layers: computed once per call of the forward pass.
  const Rotations& rotations_at(const Rope& rope, std::int64_t first_position, std::int64_t n_tokens) {
    const RotationsKey key{rope.rotary_dim, rope.theta, first_position, n_tokens};
    if (key == rotations_key_) return rotations_;
    rotations_key_ = key;
    rotations_.n_pairs = rope.rotary_dim / 2;
    rotations_.cosines.resize(static_cast<std::size_t>(n_tokens * rotations_.n_pairs));
    rotations_.sines.resize(rotations_.cosines.size());
    for_each_row(pool_, n_tokens, 32 * rotations_.n_pairs, [&](std::int64_t token) {
      for (std::int64_t j = 0; j < rotations_.n_pairs; ++j) {
        const double frequency =
            std::pow(static_cast<double>(rope.theta), -2.0 * static_cast<double>(j) / rope.rotary_dim);
        const double angle = static_cast<double>(first_position + token) * frequency;
        const auto i = static_cast<std::size_t>(token * rotations_.n_pairs + j);
        rotations_.cosines[i] = static_cast<float>(std::cos(angle));
        rotations_.sines[i] = static_cast<float>(std::sin(angle));
      }
    });
    return rotations_;
  }

  struct RotationsKey {
    int rotary_dim = -1;
    float theta = 0;
    std::int64_t first_position = 0, n_tokens = 0;
    bool operator==(const RotationsKey&) const = default;
  };

  ThreadPool pool_;
  FfnRunner ffn_;
  PackedRows packed_;
  std::vector<float> logits_;
  RotationsKey rotations_key_;
  Rotations rotations_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(int n_threads) {
  const int n_cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return std::make_unique<CpuDevice>(n_threads > 0 ? n_threads : n_cores);
}

}  // namespace inference::ops
