#pragma once
// A device with memory of its own behind the face of one that works on the host's: every operand is uploaded, every
// result (made of NaNs before) downloaded, so that one test runs on CPU and GPU alike. Activations are F32 on the host;
// where the device computes in bf16 they are rounded on the way.

#include <algorithm>
#include <memory>
#include <vector>

#include "inference/ops/ops.h"

namespace inference::ops {

class HostFacingDevice final : public Device {
 public:
  explicit HostFacingDevice(std::unique_ptr<Device> inner) : inner_(std::move(inner)) {}
  ~HostFacingDevice() override { memory_.clear(); }

  std::string description() const override { return inner_->description(); }
  DType activation_type() const override { return DType::F32; }
  void* allocate(std::size_t n_bytes) override { return inner_->allocate(n_bytes); }
  void release(void* memory) override { inner_->release(memory); }
  void clear(void* memory, std::size_t n_bytes) override { inner_->clear(memory, n_bytes); }
  void upload(void* to, const void* from, std::size_t n_bytes) override { inner_->upload(to, from, n_bytes); }
  void download(void* to, const void* from, std::size_t n_bytes) override { inner_->download(to, from, n_bytes); }
  const void* resident(const void* host, std::size_t n_bytes) override { return bytes(host, n_bytes); }

  void embed(Tensor out, const Matrix& table, std::span<const std::int32_t> ids) override {
    call(out, [&](Tensor o) { inner_->embed(o, matrix(table), ids); });
  }
  void rms_norm(Tensor out, Tensor x, Vector weight, float eps) override {
    call(out, [&](Tensor o) { inner_->rms_norm(o, input(x), vector(weight), eps); });
  }
  void linear(Tensor out, Tensor x, const Matrix& w, Vector bias) override {
    call(out, [&](Tensor o) { inner_->linear(o, input(x), matrix(w), vector(bias)); });
  }
  void add_norm(Tensor out, Tensor x, Tensor y, Vector weight, float eps) override {
    const Tensor sum = input(x), normed = {fresh(out, sum.dtype), out.rows, out.cols, sum.dtype};
    inner_->add_norm(normed, sum, input(y), vector(weight), eps);
    const std::vector<float> values = read_floats(*inner_, normed);
    std::copy(values.begin(), values.end(), out.f32());
    finish(x, sum);
  }
  void add(Tensor x, Tensor y) override {
    call_in_place(x, [&](Tensor on_device) { inner_->add(on_device, input(y)); });
  }
  void norm_rope_heads(Tensor x, const HeadNorm& norm, const Rope& rope, std::int64_t first_position) override {
    call_in_place(x, [&](Tensor on_device) {
      inner_->norm_rope_heads(on_device, {vector(norm.weight), norm.eps}, rope, first_position);
    });
  }
  void store_kv(const KvLayer& cache, Tensor k, Tensor v, std::int64_t first_position) override {
    const Pages pages = pages_of(cache);
    inner_->store_kv(pages.layer, input(k), input(v), first_position);
    fetch(cache, pages);
  }
  void store_index_k(const KvLayer& cache, Tensor index_k, std::int64_t first_position) override {
    const Pages pages = pages_of(cache);
    inner_->store_index_k(pages.layer, input(index_k), first_position);
    fetch(cache, pages);
  }
  void make_heads(const HeadMaps& maps, Tensor x, const Rope& rope, const KvLayer& cache,
                  std::int64_t first_position) override {
    const Pages pages = pages_of(cache);
    std::vector<std::pair<Tensor, Tensor>> outputs;  // here, on the device
    const auto map = [&](const HeadMap& host) -> HeadMap {
      if (host.weight.data == nullptr) return {};
      const DType type = type_on_device(host.out);
      outputs.emplace_back(host.out, Tensor{fresh(host.out, type), host.out.rows, host.out.cols, type});
      return {outputs.back().second, matrix(host.weight), {vector(host.norm.weight), host.norm.eps}};
    };
    const HeadMaps on_device = {map(maps.q), map(maps.k), map(maps.v), map(maps.index_q), map(maps.index_k)};
    inner_->make_heads(on_device, input(x), rope, pages.layer, first_position);
    for (const auto& [host, made] : outputs) {
      const std::vector<float> values = read_floats(*inner_, made);
      std::copy(values.begin(), values.end(), host.f32());
    }
    fetch(cache, pages);
  }
  void attend(Tensor out, Tensor q, const KvLayer& cache, const Heads& heads, std::int64_t first_position) override {
    const Pages pages = pages_of(cache);
    call(out, [&](Tensor o) { inner_->attend(o, input(q), pages.layer, heads, first_position); });
  }
  void select_blocks(Tensor block_ids, Tensor index_q, const KvLayer& cache, const Selection& selection,
                     std::int64_t first_position) override {
    const Pages pages = pages_of(cache);
    call(block_ids,
         [&](Tensor ids) { inner_->select_blocks(ids, input(index_q), pages.layer, selection, first_position); });
  }
  void attend_blocks(Tensor out, Tensor q, Tensor block_ids, const KvLayer& cache, const Heads& heads,
                     std::int64_t first_position) override {
    const Pages pages = pages_of(cache);
    call(out,
         [&](Tensor o) { inner_->attend_blocks(o, input(q), input(block_ids), pages.layer, heads, first_position); });
  }
  void feed_forward(Tensor out, Tensor x, const Ffn& f, const Activation& activation) override {
    call(out, [&](Tensor o) { inner_->feed_forward(o, input(x), ffn(f), activation); });
  }
  void route(Tensor expert_ids, Tensor expert_weights, Tensor x, const Matrix& router, Vector bias,
             float scaling) override {
    call(expert_ids, [&](Tensor ids) {
      const Tensor weights = {fresh(expert_weights, DType::F32), expert_weights.rows, expert_weights.cols};
      inner_->route(ids, weights, input(x), matrix(router), vector(bias), scaling);
      inner_->download(expert_weights.data, weights.data, n_bytes_of(weights));
    });
  }
  void mix_experts(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
                   const Ffn* shared, const Activation& activation) override {
    std::vector<Ffn> on_device;
    for (const Ffn& f : experts) on_device.push_back(ffn(f));
    const Tensor weights = {const_cast<void*>(bytes(expert_weights.data, n_bytes_of(expert_weights))),
                            expert_weights.rows, expert_weights.cols};
    const Ffn shared_on_device = shared != nullptr ? ffn(*shared) : Ffn{};
    call(out, [&](Tensor o) {
      inner_->mix_experts(o, input(x), input(expert_ids), weights, on_device,
                          shared != nullptr ? &shared_on_device : nullptr, activation);
    });
  }
  void route_and_mix(Tensor out, Tensor expert_ids, Tensor expert_weights, Tensor x, const Router& router,
                     std::span<const Ffn> experts, const Ffn* shared, const Activation& activation) override {
    std::vector<Ffn> on_device;
    for (const Ffn& f : experts) on_device.push_back(ffn(f));
    const Ffn shared_on_device = shared != nullptr ? ffn(*shared) : Ffn{};
    const Tensor ids = {fresh(expert_ids, DType::I32), expert_ids.rows, expert_ids.cols, DType::I32};
    const Tensor weights = {fresh(expert_weights, DType::F32), expert_weights.rows, expert_weights.cols};
    call(out, [&](Tensor o) {
      inner_->route_and_mix(o, ids, weights, input(x), {matrix(router.weights), vector(router.bias), router.scaling},
                            on_device, shared != nullptr ? &shared_on_device : nullptr, activation);
      inner_->download(expert_ids.data, ids.data, n_bytes_of(ids));
      inner_->download(expert_weights.data, weights.data, n_bytes_of(weights));
    });
  }
  void layer_norm(Tensor out, Tensor x, Vector weight, Vector bias, float eps) override {
    call(out, [&](Tensor o) { inner_->layer_norm(o, input(x), vector(weight), vector(bias), eps); });
  }
  void gelu(Tensor x) override {
    call_in_place(x, [&](Tensor on_device) { inner_->gelu(on_device); });
  }
  void rope_3d(Tensor x, std::span<const PatchPosition> positions, int heads, float theta) override {
    call_in_place(x, [&](Tensor on_device) { inner_->rope_3d(on_device, positions, heads, theta); });
  }
  void attend_segments(Tensor out, Tensor q, Tensor k, Tensor v, std::span<const std::int64_t> segment_ends,
                       int heads) override {
    call(out, [&](Tensor o) { inner_->attend_segments(o, input(q), input(k), input(v), segment_ends, heads); });
  }

 private:
  static std::size_t n_bytes_of(Tensor x) { return static_cast<std::size_t>(x.rows * x.cols) * element_bytes(x.dtype); }
  DType type_on_device(Tensor host) const { return host.dtype == DType::F32 ? inner_->activation_type() : host.dtype; }

  // Memory on the device until the operation has ended; all bits set, which is NaN as a float.
  void* fresh(Tensor host, DType type) {
    const std::vector<std::byte> poison(static_cast<std::size_t>(host.rows * host.cols) * element_bytes(type),
                                        std::byte{0xFF});
    return const_cast<void*>(bytes(poison.data(), poison.size()));
  }
  const void* bytes(const void* host, std::size_t n_bytes) {
    if (host == nullptr) return nullptr;
    memory_.emplace_back(*inner_, n_bytes);
    inner_->upload(memory_.back().data(), host, n_bytes);
    return memory_.back().data();
  }
  Tensor input(Tensor host) {
    const DType type = type_on_device(host);
    const Tensor on_device = {fresh(host, type), host.rows, host.cols, type};
    if (host.dtype == DType::F32) {
      write_floats(*inner_, on_device, {host.f32(), static_cast<std::size_t>(host.rows * host.cols)});
    } else {
      inner_->upload(on_device.data, host.data, n_bytes_of(host));
    }
    return on_device;
  }
  Matrix matrix(const Matrix& host) {
    const auto n = static_cast<std::size_t>(host.rows * host.cols);
    Matrix on_device = host;
    on_device.data = bytes(host.data, n * element_bytes(host.dtype));
    on_device.scales = static_cast<const std::uint8_t*>(bytes(host.scales, n / kMxGroup));
    return on_device;
  }
  Vector vector(Vector host) {
    return {static_cast<const float*>(bytes(host.data, static_cast<std::size_t>(host.size) * sizeof(float))),
            host.size};
  }
  Ffn ffn(const Ffn& host) { return {matrix(host.gate), matrix(host.up), matrix(host.down)}; }

  // The cache's pages on the device, as they are on the host.
  struct Pages {
    std::vector<void*> pages, index_pages;
    KvLayer layer;
  };
  static std::size_t page_bytes(const KvLayer& cache) {
    return 2 * static_cast<std::size_t>(cache.kv_heads * cache.page_size * cache.head_dim) * element_bytes(cache.dtype);
  }
  static std::size_t index_page_bytes(const KvLayer& cache) {
    return static_cast<std::size_t>(cache.page_size * cache.index_dim) * element_bytes(cache.dtype);
  }
  Pages pages_of(const KvLayer& cache) {
    Pages made;
    for (void* page : cache.pages) made.pages.push_back(const_cast<void*>(bytes(page, page_bytes(cache))));
    const std::size_t summary_bytes = inner_->index_summary_bytes(cache.page_size, cache.index_dim, cache.dtype);
    for (void* page : cache.index_pages) {
      const auto* keys = static_cast<const std::byte*>(page);
      std::vector<std::byte> whole(index_page_bytes(cache) + summary_bytes);
      std::copy(keys, keys + index_page_bytes(cache), whole.begin());
      made.index_pages.push_back(const_cast<void*>(bytes(whole.data(), whole.size())));
    }
    made.layer = cache;
    made.layer.has_index_summaries = summary_bytes > 0;
    made.layer.pages = made.pages;
    made.layer.index_pages = made.index_pages;
    const auto list = [&](const std::vector<void*>& pages) {
      return static_cast<void* const*>(bytes(pages.data(), pages.size() * sizeof(void*)));
    };
    made.layer.page_table = list(made.pages);
    made.layer.index_page_table = list(made.index_pages);
    if (summary_bytes > 0) {
      inner_->summarize_index_pages(made.layer, 0, static_cast<std::int64_t>(made.index_pages.size()));
    }
    return made;
  }
  void fetch(const KvLayer& cache, const Pages& from) {
    for (std::size_t i = 0; i < from.pages.size(); ++i)
      inner_->download(cache.pages[i], from.pages[i], page_bytes(cache));
    for (std::size_t i = 0; i < from.index_pages.size(); ++i)
      inner_->download(cache.index_pages[i], from.index_pages[i], index_page_bytes(cache));
    memory_.clear();
  }

  template <typename Operation>
  void call(Tensor out, const Operation& operation) {
    const DType type = type_on_device(out);
    const Tensor on_device = {fresh(out, type), out.rows, out.cols, type};
    operation(on_device);
    finish(out, on_device);
  }
  template <typename Operation>
  void call_in_place(Tensor x, const Operation& operation) {
    const Tensor on_device = input(x);
    operation(on_device);
    finish(x, on_device);
  }
  void finish(Tensor host, Tensor on_device) {
    if (host.dtype == DType::F32) {
      const std::vector<float> values = read_floats(*inner_, on_device);
      std::copy(values.begin(), values.end(), host.f32());
    } else {
      inner_->download(host.data, on_device.data, n_bytes_of(host));
    }
    memory_.clear();
  }

  std::unique_ptr<Device> inner_;
  std::vector<Buffer> memory_;  // of the operation under way
};

}  // namespace inference::ops
