// The GPU: checks shapes and hands each operation to its kernels, in the order of one stream.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "inference/ops/cuda/attention.h"
#include "inference/ops/cuda/checks.h"
#include "inference/ops/cuda/cublas.h"
#include "inference/ops/cuda/experts.h"
#include "inference/ops/cuda/gemm.h"
#include "inference/ops/cuda/gpu.h"
#include "inference/ops/cuda/heads.h"
#include "inference/ops/cuda/index_summary.h"
#include "inference/ops/cuda/memory.h"
#include "inference/ops/cuda/moe.h"
#include "inference/ops/cuda/recording.h"
#include "inference/ops/cuda/rows.h"
#include "inference/ops/cuda/selection.h"
#include "inference/ops/cuda_library.h"
#include "inference/ops/ops.h"

namespace inference::ops::cuda {
namespace {

std::int64_t size_of(std::size_t n) {
  return static_cast<std::int64_t>(n);
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(DType activation_type) : activation_type_(activation_type) {}
  ~CudaDevice() override {
    cudaStreamSynchronize(stream());
    for (void* memory : resident_) cudaFree(memory);
  }

  std::string description() const override {
    char gib[16];
    std::snprintf(gib, sizeof(gib), "%.0f", static_cast<double>(properties_.totalGlobalMem) / kGiB);
    return message("cuda: ", properties_.name, " (sm_", properties_.major, properties_.minor, ", ", gib, " GiB), ",
                   activation_type_ == DType::F32 ? "fp32" : "bf16", " activations");
  }
  DType activation_type() const override { return activation_type_; }

  void* allocate(std::size_t n_bytes) override { return cuda::allocate(stream(), n_bytes); }
  void release(void* memory) override { cuda::release(stream(), memory); }
  void clear(void* memory, std::size_t n_bytes) override {
    check(cudaMemsetAsync(memory, 0, n_bytes, stream()), "clearing");
  }
  void upload(void* to, const void* from_host, std::size_t n_bytes) override {
    check(cudaMemcpyAsync(to, from_host, n_bytes, cudaMemcpyHostToDevice, stream()), "upload");
  }
  void download(void* to_host, const void* from, std::size_t n_bytes) override {
    check(cudaMemcpyAsync(to_host, from, n_bytes, cudaMemcpyDeviceToHost, stream()), "download");
    check(cudaStreamSynchronize(stream()), "download");
  }
  const void* resident(const void* host, std::size_t n_bytes) override {
    void* memory = nullptr;
    if (cudaMalloc(&memory, std::max<std::size_t>(n_bytes, 1)) != cudaSuccess) {
      cudaGetLastError();  // the GPU itself is well
      throw Error(message("out of GPU memory: ", n_bytes, " bytes of weights were still to come; try --device cpu"));
    }
    resident_.push_back(memory);
    upload(memory, host, n_bytes);
    return memory;
  }

  std::unique_ptr<Repeated> make_repeated() override {
    return make_recording({.stream = stream(),
                           .memory_version = [this] { return memory_version(); },
                           .begin =
                               [this](const int* shift) {
                                 replay_ = {shift};
                                 is_replayable_ = true;
                                 rotations_key_ = {};
                               },
                           .end =
                               [this] {
                                 replay_ = {};
                                 rotations_key_ = {};
                                 return is_replayable_;
                               }});
  }

  void embed(Tensor out, const Matrix& table, std::span<const std::int32_t> ids) override {
    INFERENCE_CHECK(out.rows == size_of(ids.size()) && out.cols == table.cols, "embed: ", out.rows, "x", out.cols,
                    " from ", ids.size(), " ids of ", table.cols);
    for (const std::int32_t id : ids) INFERENCE_CHECK(id >= 0 && id < table.rows, "embed: id ", id, " of ", table.rows);
    auto* on_gpu = token_ids_.of<std::int32_t>(ids.size());
    upload(on_gpu, ids.data(), ids.size_bytes());
    cuda::embed(stream(), out, table, on_gpu);
  }

  void rms_norm(Tensor out, Tensor x, Vector weight, float eps) override {
    INFERENCE_CHECK(out.rows == x.rows && out.cols == x.cols && x.cols == weight.size, "rms_norm: ", x.cols, " with ",
                    weight.size);
    cuda::rms_norm(stream(), out, x, weight, eps);
  }

  void linear(Tensor out, Tensor x, const Matrix& w, Vector bias) override {
    INFERENCE_CHECK(out.rows == x.rows && x.cols == w.cols && out.cols == w.rows, "linear: [", out.rows, ", ", out.cols,
                    "] = [", x.rows, ", ", x.cols, "] x [", w.rows, ", ", w.cols, "]");
    INFERENCE_CHECK(bias.data == nullptr || bias.size == w.rows, "linear: bias of ", bias.size, " for ", w.rows);
    check_weight(w);
    if (x.rows > kMaxVectorRows && Cublas::fits(out, x, w)) {
      cublas_.multiply(stream(), out, x, w);
      if (bias.data != nullptr) add_bias(stream(), out, bias);
      return;
    }
    multiply(stream(), {.out = out, .x = x, .weights = {w.data, w.scales}, .weight_type = w.dtype, .bias = bias},
             is_hopper());
  }

  void add_norm(Tensor out, Tensor x, Tensor y, Vector weight, float eps) override {
    if (!fits_add_norm(x.cols)) return Device::add_norm(out, x, y, weight, eps);
    INFERENCE_CHECK(
        out.rows == x.rows && out.cols == x.cols && y.rows == x.rows && y.cols == x.cols && x.cols == weight.size,
        "add_norm: ", x.cols, " with ", weight.size);
    cuda::add_norm(stream(), out, x, y, weight, eps);
  }

  void add(Tensor x, Tensor y) override {
    INFERENCE_CHECK(x.rows == y.rows && x.cols == y.cols, "add: shapes differ");
    cuda::add(stream(), x, y);
  }

  void norm_rope_heads(Tensor x, const HeadNorm& norm, const Rope& rope, std::int64_t first_position) override {
    const std::int64_t head_dim = norm.weight.size;
    INFERENCE_CHECK(x.cols % head_dim == 0 && rope.rotary_dim % 2 == 0 && rope.rotary_dim <= head_dim,
                    "norm_rope_heads: ", x.cols, " columns, head_dim ", head_dim, ", rotary_dim ", rope.rotary_dim);
    norm_rotate_heads(stream(), x, norm.weight, norm.eps, static_cast<int>(head_dim),
                      rotations_at(rope, first_position, x.rows));
  }

  void store_kv(const KvLayer& cache, Tensor k, Tensor v, std::int64_t first_position) override {
    const std::int64_t dim = std::int64_t{cache.kv_heads} * cache.head_dim;
    INFERENCE_CHECK(k.cols == dim && v.cols == dim && k.rows == v.rows, "store_kv: ", k.cols, " and ", v.cols,
                    " columns for ", dim);
    check_kv_pages(cache, first_position + k.rows);
    cuda::store_kv(stream(), cache, k, v, first_position, replay_);
  }

  void store_index_k(const KvLayer& cache, Tensor index_k, std::int64_t first_position) override {
    INFERENCE_CHECK(index_k.cols == cache.index_dim, "store_index_k: ", index_k.cols, " for ", cache.index_dim);
    check_index_pages(cache, first_position + index_k.rows);
    cuda::store_index_k(stream(), cache, index_k, first_position, replay_);
    if (cache.has_index_summaries) summarize_filled_pages(stream(), cache, first_position, index_k.rows, replay_);
  }

  // A few tokens' heads in one product and one kernel behind it.
  void make_heads(const HeadMaps& maps, Tensor x, const Rope& rope, const KvLayer& cache,
                  std::int64_t first_position) override {
    if (x.rows > kMaxVectorRows) return Device::make_heads(maps, x, rope, cache, first_position);
    check_heads(maps, x, rope, cache, first_position);
    multiply_heads(stream(), maps, x);
    const Rotations& rotations = rotations_at(rope, first_position, x.rows);
    finish_heads(stream(), head_sets(maps, cache), x.dtype, cache.dtype, rotations, first_position, replay_);
    if (maps.index_q.weight.data != nullptr && cache.has_index_summaries)
      summarize_filled_pages(stream(), cache, first_position, x.rows, replay_);
  }

  std::size_t index_summary_bytes(int page_size, int index_dim, DType dtype) const override {
    return is_hopper() && has_summaries(page_size, index_dim, dtype) ? kSummaryBytes : 0;
  }
  void summarize_index_pages(const KvLayer& cache, std::int64_t first_page, std::int64_t n_pages) override {
    INFERENCE_CHECK(cache.has_index_summaries && cache.index_page_table != nullptr &&
                        first_page + n_pages <= size_of(cache.index_pages.size()),
                    "summaries of pages ", first_page, " … ", first_page + n_pages, " of ", cache.index_pages.size());
    cuda::summarize_index_pages(stream(), cache, first_page, n_pages);
  }

  void attend(Tensor out, Tensor q, const KvLayer& cache, const Heads& heads, std::int64_t first_position) override {
    run(paged_call(out, q, cache, heads, first_position));
  }

  void select_blocks(Tensor block_ids, Tensor index_q, const KvLayer& cache, const Selection& selection,
                     std::int64_t first_position) override {
    const std::int64_t kv_heads = index_q.cols / cache.index_dim;
    INFERENCE_CHECK(cache.page_size == selection.block_size, "select_blocks: page ", cache.page_size, ", block ",
                    selection.block_size);
    INFERENCE_CHECK(index_q.cols % cache.index_dim == 0 && block_ids.rows == index_q.rows &&
                        block_ids.cols == kv_heads * selection.top_k_blocks,
                    "select_blocks: ", block_ids.cols, " ids for ", index_q.cols, " columns");
    check_index_pages(cache, first_position + index_q.rows);
    const SelectionCall whole = {block_ids, index_q, &cache, selection, first_position, replay_};
    const int n_multiprocessors = properties_.multiProcessorCount;
    if (is_hopper() && selects_for_decode(whole, n_multiprocessors)) {
      select_blocks_for_decode(stream(), whole, block_scores(), n_multiprocessors);
      return;
    }
    is_replayable_ = false;
    if (is_hopper() && selects_on_hopper(whole)) {
      auto* memory = finalists_.of<std::byte>(hopper_selection_bytes(whole, n_multiprocessors));
      select_blocks_on_hopper(stream(), whole, memory, n_multiprocessors);
      return;
    }
    // As many queries at a time as keep the scores within bounds: at a million tokens a query has 32K of them.
    constexpr std::int64_t kMostScores = std::int64_t{1} << 26;
    const std::int64_t n_blocks = (first_position + index_q.rows - 1) / selection.block_size + 1;
    const std::int64_t step = std::max<std::int64_t>(1, kMostScores / (n_blocks * kv_heads));
    for (std::int64_t token = 0; token < index_q.rows; token += step) {
      const std::int64_t n = std::min(step, index_q.rows - token);
      const SelectionCall call = {
          block_ids.slice(token, n), index_q.slice(token, n), &cache, selection, first_position + token, {}};
      cuda::select_blocks(stream(), call, scores_.of<float>(static_cast<std::size_t>(call.n_rows() * call.n_blocks())));
    }
  }

  void attend_blocks(Tensor out, Tensor q, Tensor block_ids, const KvLayer& cache, const Heads& heads,
                     std::int64_t first_position) override {
    run(blocks_call(out, q, block_ids, cache, heads, first_position));
  }

  // One token's attention chooses for itself.
  void select_and_attend(Tensor out, Tensor block_ids, Tensor q, Tensor index_q, const KvLayer& cache,
                         const Heads& heads, const Selection& selection, std::int64_t first_position) override {
    const SelectionCall selected = {block_ids, index_q, &cache, selection, first_position, replay_};
    AttentionCall call = blocks_call(out, q, block_ids, cache, heads, first_position);
    call.replay = replay_;
    const bool fits = index_q.rows == q.rows && index_q.cols == std::int64_t{heads.kv_heads} * cache.index_dim &&
                      call.top_k == selection.top_k_blocks;
    if (!is_hopper() || !fits || !selects_for_decode(selected, properties_.multiProcessorCount) ||
        !attends_in_clusters(call)) {
      Device::select_and_attend(out, block_ids, q, index_q, cache, heads, selection, first_position);
      return;
    }
    check_index_pages(cache, first_position + 1);
    rate_blocks_for_decode(stream(), selected, block_scores(), properties_.multiProcessorCount);
    choose_and_attend(stream(), call, block_scores());
  }

  void feed_forward(Tensor out, Tensor x, const Ffn& ffn, const Activation& activation) override {
    check_ffn(out, x, ffn);
    const std::int64_t ffn_dim = ffn.gate.rows;
    const auto n_inner = static_cast<std::size_t>(x.rows * ffn_dim) * element_bytes(x.dtype);
    const Tensor inner = {inner_.of<std::byte>(n_inner), x.rows, ffn_dim, x.dtype};
    if (x.rows > kMaxVectorRows && Cublas::fits(inner, x, ffn.gate)) {
      const Tensor up = {up_.of<std::byte>(n_inner), x.rows, ffn_dim, x.dtype};
      cublas_.multiply(stream(), inner, x, ffn.gate);
      cublas_.multiply(stream(), up, x, ffn.up);
      gate_rows(stream(), inner, up, activation);
    } else {
      multiply(stream(),
               {.out = inner,
                .x = x,
                .weights = pair_of(ffn),
                .weight_type = ffn.gate.dtype,
                .is_gated = true,
                .activation = activation},
               is_hopper());
    }
    linear(out, inner, ffn.down, {});
  }

  void route(Tensor expert_ids, Tensor expert_weights, Tensor x, const Matrix& router, Vector bias,
             float scaling) override {
    INFERENCE_CHECK(expert_ids.cols <= router.rows && expert_ids.rows == x.rows && expert_weights.rows == x.rows &&
                        expert_weights.cols == expert_ids.cols && x.cols == router.cols,
                    "route: ", expert_ids.cols, " of ", router.rows, " experts");
    const Tensor logits = {logits_.of<float>(static_cast<std::size_t>(x.rows * router.rows)), x.rows, router.rows};
    if (x.rows <= kMaxVectorRows && router.scales == nullptr) {
      auto* n_rated = static_cast<unsigned*>(zeros(n_rated_, kMaxVectorRows * sizeof(unsigned)));
      rate_and_choose_experts(stream(), expert_ids, expert_weights, x, {router, bias, scaling}, logits.f32(), n_rated);
      return;
    }
    multiply_plainly(stream(), {.out = logits,  // the choice needs fp32
                                .x = x,
                                .weights = {router.data, router.scales},
                                .weight_type = router.dtype});
    choose_experts(stream(), expert_ids, expert_weights, logits.f32(), static_cast<int>(router.rows), bias, scaling);
  }

  void mix_experts(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
                   const Ffn* shared, const Activation& activation) override {
    if (shared != nullptr && !Experts::takes_shared(x, experts, *shared)) feed_forward(out, x, *shared, activation);
    experts_.mix(out, x, expert_ids, expert_weights, experts, shared, activation, inner_);
  }

  // The shared expert of a few tokens waits for no choice.
  void route_and_mix(Tensor out, Tensor expert_ids, Tensor expert_weights, Tensor x, const Router& router,
                     std::span<const Ffn> experts, const Ffn* shared, const Activation& activation) override {
    if (shared != nullptr) experts_.start_shared(x, expert_ids.cols, experts, *shared, activation, inner_);
    Device::route_and_mix(out, expert_ids, expert_weights, x, router, experts, shared, activation);
  }

  void layer_norm(Tensor out, Tensor x, Vector weight, Vector bias, float eps) override {
    INFERENCE_CHECK(x.cols == weight.size && x.cols == bias.size && out.rows == x.rows && out.cols == x.cols,
                    "layer_norm: ", x.cols, " with ", weight.size);
    cuda::layer_norm(stream(), out, x, weight, bias, eps);
  }

  void gelu(Tensor x) override { cuda::gelu(stream(), x); }

  void rope_3d(Tensor x, std::span<const PatchPosition> positions, int heads, float theta) override {
    INFERENCE_CHECK(x.rows == size_of(positions.size()) && x.cols % heads == 0, "rope_3d: ", positions.size(),
                    " positions for ", x.rows, " patches");
    const int head_dim = static_cast<int>(x.cols) / heads;
    const int per_axis = (2 * (head_dim / 2) / 3) / 2;
    // The same for queries and keys of all layers.
    const PatchPosition* on_gpu = patch_positions_.of(std::vector<PatchPosition>(positions.begin(), positions.end()));
    const auto n_angles = static_cast<std::size_t>(x.rows * 3 * per_axis);
    if (patch_positions_.has_changed() || patch_key_ != std::pair(head_dim, theta)) {
      float* angles = patch_angles_.of<float>(2 * n_angles);
      patch_rotations(stream(), angles, angles + n_angles, on_gpu, per_axis, theta, x.rows);
      patch_rotations_ = {angles, angles + n_angles, 3 * per_axis};
      patch_key_ = {head_dim, theta};
    }
    norm_rotate_heads(stream(), x, {}, 0, head_dim, patch_rotations_);
  }

  void attend_segments(Tensor out, Tensor q, Tensor k, Tensor v, std::span<const std::int64_t> segment_ends,
                       int heads) override {
    INFERENCE_CHECK(!segment_ends.empty() && segment_ends.back() == q.rows && k.rows == q.rows && v.rows == q.rows &&
                        k.cols == q.cols && v.cols == q.cols && out.rows == q.rows && out.cols == q.cols &&
                        q.cols % heads == 0,
                    "attend_segments: shapes differ");
    std::int64_t first = 0;
    for (const std::int64_t end : segment_ends) {
      const std::int64_t n = end - first;
      run(segment_call(out.slice(first, n), q.slice(first, n), k.slice(first, n), v.slice(first, n), heads));
      first = end;
    }
  }

 private:
  cudaStream_t stream() const { return stream_.stream; }
  bool is_hopper() const { return properties_.major == 9; }

  static AttentionCall blocks_call(Tensor out, Tensor q, Tensor block_ids, const KvLayer& cache, const Heads& heads,
                                   std::int64_t first_position) {
    INFERENCE_CHECK(block_ids.rows == q.rows && block_ids.cols % heads.kv_heads == 0,
                    "attention to blocks: ", block_ids.rows, "x", block_ids.cols, " ids for ", q.rows, " tokens");
    AttentionCall call = paged_call(out, q, cache, heads, first_position);
    call.block_ids = block_ids.i32();
    call.top_k = static_cast<int>(block_ids.cols / heads.kv_heads);
    return call;
  }
  BlockScores* block_scores() { return static_cast<BlockScores*>(zeros(block_scores_, block_scores_bytes())); }

  void run(AttentionCall call) {
    call.replay = replay_;
    if (is_hopper() && attends_on_hopper(call) && call.n_keys <= std::int64_t{call.top_k} * call.source.page_size)
      call.block_ids = nullptr;  // every block is chosen
    if (is_hopper() && attends_by_block(call)) {
      is_replayable_ = false;
      auto* memory = partials_.of<std::byte>(by_block_bytes(call));
      attend_by_block(stream(), call, memory, properties_.multiProcessorCount);
      return;
    }
    if (is_hopper() && attends_on_hopper(call)) {
      is_replayable_ = false;
      const std::int64_t n_beside = tokens_beside_waves(call, properties_.multiProcessorCount);
      if (n_beside > 0) attend_in_splits(first_tokens(call, n_beside));
      attend_on_hopper(stream(), last_tokens(call, call.n_tokens - n_beside));
      return;
    }
    if (is_hopper() && attends_in_clusters(call)) {
      attend_in_clusters(stream(), call);
      return;
    }
    attend_in_splits(call);
  }

  void attend_in_splits(const AttentionCall& call) {
    const AttentionPlan plan = plan_attention(call, properties_.multiProcessorCount);
    float* partials = plan.partial_floats > 0 ? partials_.of<float>(plan.partial_floats) : nullptr;
    if (attends_on_tensor_cores(call)) {
      attend_on_tensor_cores(stream(), call, plan, partials);
    } else {
      attend_plainly(stream(), call, plan, partials);
    }
  }

  // Zeros at first; kernels set their counters back.
  void* zeros(Buffer& buffer, std::size_t n_bytes) {
    if (buffer.data() == nullptr) {
      buffer = Buffer(*this, n_bytes);
      clear(buffer.data(), n_bytes);
    }
    return buffer.data();
  }

  // The same for queries, keys and index heads of all layers: computed once per call of the forward pass.
  const Rotations& rotations_at(const Rope& rope, std::int64_t first_position, std::int64_t n_tokens) {
    const RotationsKey key{rope.rotary_dim, rope.theta, first_position, n_tokens};
    if (key == rotations_key_) return rotations_;
    const auto n_angles = static_cast<std::size_t>(n_tokens * rope.rotary_dim / 2);
    float* angles = angles_.of<float>(2 * n_angles);
    text_rotations(stream(), angles, angles + n_angles, rope, first_position, n_tokens, replay_);
    rotations_ = {angles, angles + n_angles, rope.rotary_dim / 2};
    rotations_key_ = key;
    return rotations_;
  }

  DType activation_type_;
  cudaDeviceProp properties_ = gpu_properties();
  Stream stream_;
  Cublas cublas_;
  std::vector<void*> resident_;
  Scratch token_ids_{stream()}, scores_{stream()}, finalists_{stream()}, partials_{stream()}, inner_{stream()},
      up_{stream()}, logits_{stream()}, angles_{stream()}, patch_angles_{stream()};
  Experts experts_{stream(), is_hopper()};
  // Of all memory that operations keep for themselves and may move when it grows.
  std::uint64_t memory_version() const {
    std::uint64_t n_bytes = experts_.n_bytes();
    for (const Scratch* scratch :
         {&token_ids_, &scores_, &finalists_, &partials_, &inner_, &up_, &logits_, &angles_, &patch_angles_})
      n_bytes += scratch->n_bytes();
    return n_bytes;
  }

  Replay replay_;
  bool is_replayable_ = true;  // all operations since a recording began
  Buffer block_scores_, n_rated_;
  RotationsKey rotations_key_;
  Rotations rotations_;
  MirroredList patch_positions_{stream()};
  std::pair<int, float> patch_key_;
  Rotations patch_rotations_;
};

}  // namespace
}  // namespace inference::ops::cuda

extern "C" __attribute__((visibility("default"))) inference::ops::Device* deskhand_open_cuda_device(
    inference::DType activation_type, std::size_t needed_bytes, char* reason, std::size_t reason_size) {
  try {
    const std::string refused = inference::ops::cuda::refusal(needed_bytes);
    if (refused.empty()) return new inference::ops::cuda::CudaDevice(activation_type);
    std::snprintf(reason, reason_size, "%s", refused.c_str());
  } catch (const inference::Error& error) {
    std::snprintf(reason, reason_size, "%s", error.what());
  }
  return nullptr;
}
