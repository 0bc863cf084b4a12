#pragma once
// Every operation of the model, once, with its shapes. A Device carries them out; the engine picks one when it loads:
// cpu/ (fast), cuda/ (a GPU, loaded at run time), reference/ (plain loops, the oracle of the tests).
//
// Conventions. Outputs come first. Tensors are row-major, one row per token; `n_tokens` rows hold the consecutive
// positions first_position, first_position + 1, … of one timeline. Activations have the device's activation_type().
// A wrong shape or type is a bug and aborts. All calls come from one thread; results are complete when download()
// returns.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "inference/tensor.h"

namespace inference::ops {

// Rotary embedding of the first rotary_dim elements of a head, split-half: element j pairs with j + rotary_dim / 2,
// angle = position * theta^(-2j / rotary_dim).
struct Rope {
  int rotary_dim = 0;
  float theta = 0;
};

// Gemma's RMSNorm of one head: y = x / sqrt(mean(x²) + eps) * (1 + weight).
struct HeadNorm {
  Vector weight;  // [head_dim]
  float eps = 0;
};

struct Heads {
  int q_heads = 0;
  int kv_heads = 0;  // query head h reads key head h / (q_heads / kv_heads)
  int head_dim = 0;
};

// Block selection of MSA. A block is block_size consecutive positions, counted from position 0.
struct Selection {
  int block_size = 0;
  int top_k_blocks = 0;
  int init_blocks = 0;   // the first blocks, always kept, counted in top_k_blocks
  int local_blocks = 1;  // the query's own block and those before it, always kept, counted in top_k_blocks
};

// The cache of one layer as the operations see it. Position p lies in page p / page_size; page_size is MSA's
// block_size, so a selected block is one page.
struct KvLayer {
  std::span<void* const> pages;        // each [2 (keys, values), kv_heads, page_size, head_dim] of dtype
  std::span<void* const> index_pages;  // each [page_size, index_dim] of dtype; empty in layers without MSA
  DType dtype = DType::F32;            // F32 or BF16
  int page_size = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int index_dim = 0;
  // Whether each index page has the device's index_summary_bytes() behind its keys.
  bool has_index_summaries = false;
  // The same lists in the device's memory, for devices that don't read the host's.
  void* const* page_table = nullptr;
  void* const* index_page_table = nullptr;
};

// One of the linear maps that make heads of a layer's input: out = x · weightᵀ, then norm_rope_heads unless the norm is
// absent. An absent map has no weight.
struct HeadMap {
  Tensor out;  // [n_tokens, n_heads, head_dim]
  Matrix weight;
  HeadNorm norm;
};
struct HeadMaps {
  HeadMap q, k, v;
  HeadMap index_q, index_k;  // in layers with MSA
};

// A feed-forward network with M3's gate: down((clamp(up, ±limit) + 1) * g * sigmoid(alpha * g)), g = min(gate, limit).
struct Ffn {
  Matrix gate;  // [ffn_dim, hidden_dim]
  Matrix up;    // [ffn_dim, hidden_dim]
  Matrix down;  // [hidden_dim, ffn_dim]
};

struct Activation {
  float alpha = 0;
  float limit = 0;
};

// M3's router, as Device::route reads it.
struct Router {
  Matrix weights;  // [n_experts, hidden_dim]
  Vector bias;     // [n_experts] or absent
  float scaling = 0;
};

// Where a patch stands in its image or clip, in patch units; t counts temporal slots.
struct PatchPosition {
  std::int32_t t = 0, h = 0, w = 0;
};

// Operations that are carried out again and again, each time at a later position.
class Repeated {
 public:
  virtual ~Repeated() = default;
  // Carries them out for the token at `position`. When position and `operands` have moved on as foreseen, the device
  // may repeat what it has recorded instead of calling `operations`; so they must depend on nothing else, and read or
  // write no host memory. `operands`: changes when the operations' tensors or page lists have moved.
  virtual void run(std::int64_t position, std::uint64_t operands, const std::function<void()>& operations) = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string description() const = 0;  // for people: "cpu: avx2, 2 threads"
  virtual DType activation_type() const = 0;

  // Memory. allocate throws Error when there is not enough; memory is not cleared.
  virtual void* allocate(std::size_t n_bytes) = 0;
  virtual void release(void* memory) = 0;
  virtual void clear(void* memory, std::size_t n_bytes) = 0;  // to zeros
  virtual void upload(void* to, const void* from_host, std::size_t n_bytes) = 0;
  virtual void download(void* to_host, const void* from, std::size_t n_bytes) = 0;
  // A weight's place on the device: the same pointer where the device reads host memory, else a copy that lives as
  // long as the device.
  virtual const void* resident(const void* host, std::size_t n_bytes) = 0;

  // Null where repeating gains nothing. Must not outlive the device.
  virtual std::unique_ptr<Repeated> make_repeated() { return nullptr; }

  // --- text ---

  virtual void embed(Tensor out,                             // [n_tokens, hidden_dim]
                     const Matrix& table,                    // [vocab_size, hidden_dim]
                     std::span<const std::int32_t> ids) = 0  // [n_tokens], host memory
      ;

  // Gemma's RMSNorm over a row, in fp32: y = x / sqrt(mean(x²) + eps) * (1 + weight).
  virtual void rms_norm(Tensor out,     // [n_tokens, hidden_dim]
                        Tensor x,       // [n_tokens, hidden_dim]
                        Vector weight,  // [hidden_dim]
                        float eps) = 0;

  // out = x · wᵀ + bias
  virtual void linear(Tensor out,       // [n_rows, out_dim]
                      Tensor x,         // [n_rows, in_dim]
                      const Matrix& w,  // [out_dim, in_dim]
                      Vector bias = {}) = 0;

  // x += y
  virtual void add(Tensor x,       // [n_rows, dim]
                   Tensor y) = 0;  // [n_rows, dim]

  // x += y; out = rms_norm(x)
  virtual void add_norm(Tensor out,  // [n_tokens, hidden_dim]
                        Tensor x,    // [n_tokens, hidden_dim]
                        Tensor y,    // [n_tokens, hidden_dim]
                        Vector weight, float eps) {
    add(x, y);
    rms_norm(out, x, weight, eps);
  }

  // Normalises each head, then rotates it by its position.
  virtual void norm_rope_heads(Tensor x,  // [n_tokens, n_heads, head_dim], in place
                               const HeadNorm& norm, const Rope& rope, std::int64_t first_position) = 0;

  virtual void store_kv(const KvLayer& cache,
                        Tensor k,  // [n_tokens, kv_heads, head_dim], normalised and rotated
                        Tensor v,  // [n_tokens, kv_heads, head_dim]
                        std::int64_t first_position) = 0;

  virtual void store_index_k(const KvLayer& cache,
                             Tensor index_k,  // [n_tokens, index_dim], normalised and rotated
                             std::int64_t first_position) = 0;

  // Makes the heads of x [n_tokens, hidden_dim] and stores keys, values and index keys.
  virtual void make_heads(const HeadMaps& maps, Tensor x, const Rope& rope, const KvLayer& cache,
                          std::int64_t first_position) {
    const auto make = [&](const HeadMap& map) {
      linear(map.out, x, map.weight);
      if (map.norm.weight.data != nullptr) norm_rope_heads(map.out, map.norm, rope, first_position);
    };
    make(maps.q);
    make(maps.k);
    make(maps.v);
    store_kv(cache, maps.k.out, maps.v.out, first_position);
    if (maps.index_q.weight.data == nullptr) return;
    make(maps.index_q);
    make(maps.index_k);
    store_index_k(cache, maps.index_k.out, first_position);
  }

  // Bytes that the device wants behind the keys of each index page, for what it derives from full pages' keys;
  // store_index_k keeps that up to date.
  virtual std::size_t index_summary_bytes(int /*page_size*/, int /*index_dim*/, DType /*dtype*/) const { return 0; }
  // After full index pages were filled by other means.
  virtual void summarize_index_pages(const KvLayer& /*cache*/, std::int64_t /*first_page*/, std::int64_t /*n_pages*/) {}

  // Causal attention over all positions up to each query's own; scale head_dim^-1/2, softmax in fp32.
  virtual void attend(Tensor out,  // [n_tokens, q_heads, head_dim]
                      Tensor q,    // [n_tokens, q_heads, head_dim]
                      const KvLayer& cache, const Heads& heads, std::int64_t first_position) = 0;

  // MSA's index branch: scores every visible key (fp32, no scale), rates a block by its best key, and chooses per
  // query and kv head the top_k_blocks best; forced blocks count, ties go to the lower block.
  virtual void select_blocks(Tensor block_ids,  // I32 [n_tokens, kv_heads, top_k_blocks], ascending, then -1
                             Tensor index_q,    // [n_tokens, kv_heads, index_dim]
                             const KvLayer& cache, const Selection& selection, std::int64_t first_position) = 0;

  // Causal attention over the chosen blocks only; the query heads of one kv head share its choice.
  virtual void attend_blocks(Tensor out,        // [n_tokens, q_heads, head_dim]
                             Tensor q,          // [n_tokens, q_heads, head_dim]
                             Tensor block_ids,  // I32 [n_tokens, kv_heads, top_k_blocks], as select_blocks gives them
                             const KvLayer& cache, const Heads& heads, std::int64_t first_position) = 0;

  // select_blocks, then attend_blocks to what was chosen.
  virtual void select_and_attend(Tensor out,        // [n_tokens, q_heads, head_dim]
                                 Tensor block_ids,  // I32 [n_tokens, kv_heads, top_k_blocks], as select_blocks' ones
                                 Tensor q,          // [n_tokens, q_heads, head_dim]
                                 Tensor index_q,    // [n_tokens, kv_heads, index_dim]
                                 const KvLayer& cache, const Heads& heads, const Selection& selection,
                                 std::int64_t first_position) {
    select_blocks(block_ids, index_q, cache, selection, first_position);
    attend_blocks(out, q, block_ids, cache, heads, first_position);
  }

  virtual void feed_forward(Tensor out,  // [n_tokens, hidden_dim]
                            Tensor x,    // [n_tokens, hidden_dim]
                            const Ffn& ffn, const Activation& activation) = 0;

  // M3's router: s = sigmoid(x · routerᵀ) in fp32; the top_k_experts largest s + bias are chosen (ties to the lower
  // expert); an expert's weight is its own s over the sum of the chosen s, times scaling.
  virtual void route(Tensor expert_ids,      // I32 [n_tokens, top_k_experts]
                     Tensor expert_weights,  // F32 [n_tokens, top_k_experts]
                     Tensor x,               // [n_tokens, hidden_dim]
                     const Matrix& router,   // [n_experts, hidden_dim]
                     Vector bias,            // [n_experts] or absent
                     float scaling) = 0;

  // out = Σ weight_e · expert_e(x) over each token's chosen experts, + shared(x).
  virtual void mix_experts(Tensor out,             // [n_tokens, hidden_dim]
                           Tensor x,               // [n_tokens, hidden_dim]
                           Tensor expert_ids,      // I32 [n_tokens, top_k_experts]
                           Tensor expert_weights,  // F32 [n_tokens, top_k_experts]
                           std::span<const Ffn> experts,
                           const Ffn* shared,  // null: none
                           const Activation& activation) = 0;

  // route, then mix_experts of what was chosen.
  virtual void route_and_mix(Tensor out,             // [n_tokens, hidden_dim]
                             Tensor expert_ids,      // I32 [n_tokens, top_k_experts]
                             Tensor expert_weights,  // F32 [n_tokens, top_k_experts]
                             Tensor x,               // [n_tokens, hidden_dim]
                             const Router& router, std::span<const Ffn> experts,
                             const Ffn* shared,  // null: none
                             const Activation& activation) {
    route(expert_ids, expert_weights, x, router.weights, router.bias, router.scaling);
    mix_experts(out, x, expert_ids, expert_weights, experts, shared, activation);
  }

  // --- vision ---

  virtual void layer_norm(Tensor out,     // [n_patches, vision_dim]
                          Tensor x,       // [n_patches, vision_dim]
                          Vector weight,  // [vision_dim]
                          Vector bias,    // [vision_dim]
                          float eps) = 0;

  virtual void gelu(Tensor x) = 0;  // [n_rows, dim], in place, exact (erf)

  // 3-D rotary embedding: axis_dim = 2·((2·(head_dim/2)/3)/2) gives axis_dim/2 frequencies theta^(-2j/axis_dim) for
  // each of t, h, w; the 3·axis_dim/2 angles rotate elements i and i + 3·axis_dim/2; the rest passes.
  virtual void rope_3d(Tensor x,                                  // [n_patches, heads, head_dim], in place
                       std::span<const PatchPosition> positions,  // [n_patches], host memory
                       int heads, float theta) = 0;

  // Bidirectional attention inside consecutive segments of patches; scale head_dim^-1/2.
  virtual void attend_segments(Tensor out,                                  // [n_patches, heads, head_dim]
                               Tensor q,                                    // [n_patches, heads, head_dim]
                               Tensor k,                                    // [n_patches, heads, head_dim]
                               Tensor v,                                    // [n_patches, heads, head_dim]
                               std::span<const std::int64_t> segment_ends,  // ascending, the last is n_patches
                               int heads) = 0;
};

// Plain loops in the order of the formulas; for tests only (linked from inference_reference_ops).
std::unique_ptr<Device> make_reference_device();

// The product's CPU device: SIMD chosen at run time, n_threads threads of its own (0: one per core).
std::unique_ptr<Device> make_cpu_device(int n_threads);

// A GPU with needed_bytes of free memory, through the CUDA library beside the program. Null where there is none, and
// `reason` says why.
std::unique_ptr<Device> make_cuda_device(DType activation_type, std::size_t needed_bytes, std::string& reason);

// Device memory that frees itself. Must not outlive its device.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Device& device, std::size_t n_bytes) : device_(&device), data_(device.allocate(n_bytes)) {}
  Buffer(Buffer&& other) noexcept : device_(other.device_), data_(std::exchange(other.data_, nullptr)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) device_->release(data_);
  }
  void* data() const { return data_; }

 private:
  Device* device_ = nullptr;
  void* data_ = nullptr;
};

// Between fp32 on the host and activations of the device's type.
void write_floats(Device& device, Tensor to, std::span<const float> from);
std::vector<float> read_floats(Device& device, Tensor from);

}  // namespace inference::ops
