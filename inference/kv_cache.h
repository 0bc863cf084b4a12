#pragma once
// What a session remembers of its past: keys, values and index keys of every layer. Position is slot. Memory comes in
// pages of one MSA block of positions, so it grows with the session and a chosen block is one page.

#include <cstdint>
#include <vector>

#include "inference/model_config.h"
#include "inference/ops/ops.h"

namespace inference {

class KvCache {
 public:
  KvCache(ops::Device& device, const TextConfig& config, DType dtype);  // dtype F32 or BF16

  // Makes room for positions 0 … n_tokens - 1; throws Error when memory runs out (what was there stays).
  void reserve(std::int64_t n_tokens);

  // The pages of one layer; valid until the next reserve.
  ops::KvLayer layer(int layer_idx) const;

  DType dtype() const { return dtype_; }
  int page_size() const { return page_size_; }
  std::int64_t n_pages() const { return n_pages_; }
  std::size_t n_bytes() const;  // all pages

  // One page of one layer as bytes: keys and values, then index keys. For saving and restoring.
  std::size_t page_bytes(int layer_idx) const;
  void read_page(int layer_idx, std::int64_t page_idx, std::byte* to) const;
  void write_page(int layer_idx, std::int64_t page_idx, const std::byte* from);

 private:
  struct Layer {
    bool is_sparse = false;
    std::vector<void*> pages, index_pages;
  };
  std::size_t kv_page_bytes() const;
  std::size_t index_key_bytes(const Layer& layer) const;
  std::size_t index_page_bytes(const Layer& layer) const;  // with the device's summary
  std::size_t bytes_per_page() const;                      // of all layers
  void list_pages();

  ops::Device* device_;
  DType dtype_;
  int page_size_, kv_heads_, head_dim_, index_dim_;
  std::size_t index_summary_bytes_;
  std::int64_t n_pages_ = 0;
  ops::Buffer page_lists_;  // [n_layers, 2 (pages, index pages), page_list_room_] of pointers, on the device
  std::int64_t page_list_room_ = 0, n_listed_ = 0;  // pages
  std::vector<Layer> layers_;
  std::vector<ops::Buffer> buffers_;  // [n_pages], each the same page of all layers
};

}  // namespace inference
