#include "inference/kv_cache.h"

#include <algorithm>

namespace inference {
namespace {

constexpr int kDensePageSize = 128;  // for a model without sparse layers

}  // namespace

KvCache::KvCache(ops::Device& device, const TextConfig& config, DType dtype)
    : device_(&device),
      dtype_(dtype),
      page_size_(config.block_size > 0 ? config.block_size : kDensePageSize),
      kv_heads_(config.kv_heads),
      head_dim_(config.head_dim),
      index_dim_(config.index_dim),
      index_summary_bytes_(device.index_summary_bytes(page_size_, index_dim_, dtype)),
      layers_(static_cast<std::size_t>(config.n_layers)) {
  INFERENCE_CHECK(dtype == DType::F32 || dtype == DType::BF16, "a cache of ", dtype_name(dtype));
  for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i].is_sparse = config.is_sparse[i];
}

std::size_t KvCache::kv_page_bytes() const {
  return std::size_t{2} * static_cast<std::size_t>(kv_heads_) * static_cast<std::size_t>(page_size_) *
         static_cast<std::size_t>(head_dim_) * element_bytes(dtype_);
}

std::size_t KvCache::index_key_bytes(const Layer& layer) const {
  if (!layer.is_sparse) return 0;
  return static_cast<std::size_t>(page_size_) * static_cast<std::size_t>(index_dim_) * element_bytes(dtype_);
}

std::size_t KvCache::index_page_bytes(const Layer& layer) const {
  return layer.is_sparse ? index_key_bytes(layer) + index_summary_bytes_ : 0;
}

std::size_t KvCache::bytes_per_page() const {
  std::size_t all_layers = 0;
  for (const Layer& layer : layers_) all_layers += kv_page_bytes() + index_page_bytes(layer);
  return all_layers;
}

void KvCache::reserve(std::int64_t n_tokens) {
  const std::int64_t needed = (n_tokens + page_size_ - 1) / page_size_;
  while (n_pages_ < needed) {
    buffers_.emplace_back(*device_, bytes_per_page());
    // Kernels may read a page's unused slots under a mask, and saving writes whole pages: no stale bytes in either.
    device_->clear(buffers_.back().data(), bytes_per_page());
    auto* next = static_cast<std::byte*>(buffers_.back().data());
    for (Layer& layer : layers_) {
      layer.pages.push_back(next);
      next += kv_page_bytes();
      if (!layer.is_sparse) continue;
      layer.index_pages.push_back(next);
      next += index_page_bytes(layer);
    }
    ++n_pages_;
  }
  if (n_listed_ < n_pages_) list_pages();
}

void KvCache::list_pages() {
  if (page_list_room_ < n_pages_) {
    const std::int64_t room = std::max(n_pages_, 2 * page_list_room_);
    page_lists_ = ops::Buffer(*device_, layers_.size() * 2 * static_cast<std::size_t>(room) * sizeof(void*));
    page_list_room_ = room;
  }
  std::vector<void*> lists(layers_.size() * 2 * static_cast<std::size_t>(page_list_room_), nullptr);
  auto to = lists.begin();
  for (const Layer& layer : layers_) {
    std::copy(layer.pages.begin(), layer.pages.end(), to);
    std::copy(layer.index_pages.begin(), layer.index_pages.end(), to + page_list_room_);
    to += 2 * page_list_room_;
  }
  device_->upload(page_lists_.data(), lists.data(), lists.size() * sizeof(void*));
  n_listed_ = n_pages_;
}

ops::KvLayer KvCache::layer(int layer_idx) const {
  const Layer& layer = layers_[static_cast<std::size_t>(layer_idx)];
  void* const* list = static_cast<void* const*>(page_lists_.data()) + 2 * layer_idx * page_list_room_;
  return {.pages = layer.pages,
          .index_pages = layer.index_pages,
          .dtype = dtype_,
          .page_size = page_size_,
          .kv_heads = kv_heads_,
          .head_dim = head_dim_,
          .index_dim = layer.is_sparse ? index_dim_ : 0,
          .has_index_summaries = layer.is_sparse && index_summary_bytes_ > 0,
          .page_table = list,
          .index_page_table = list + page_list_room_};
}

std::size_t KvCache::n_bytes() const {
  return bytes_per_page() * static_cast<std::size_t>(n_pages_);
}

std::size_t KvCache::page_bytes(int layer_idx) const {
  return kv_page_bytes() + index_key_bytes(layers_[static_cast<std::size_t>(layer_idx)]);
}

void KvCache::read_page(int layer_idx, std::int64_t page_idx, std::byte* to) const {
  const Layer& layer = layers_[static_cast<std::size_t>(layer_idx)];
  device_->download(to, layer.pages[static_cast<std::size_t>(page_idx)], kv_page_bytes());
  if (layer.is_sparse) {
    device_->download(to + kv_page_bytes(), layer.index_pages[static_cast<std::size_t>(page_idx)],
                      index_key_bytes(layer));
  }
}

void KvCache::write_page(int layer_idx, std::int64_t page_idx, const std::byte* from) {
  const Layer& layer = layers_[static_cast<std::size_t>(layer_idx)];
  device_->upload(layer.pages[static_cast<std::size_t>(page_idx)], from, kv_page_bytes());
  if (layer.is_sparse) {
    device_->upload(layer.index_pages[static_cast<std::size_t>(page_idx)], from + kv_page_bytes(),
                    index_key_bytes(layer));
    if (index_summary_bytes_ > 0) device_->summarize_index_pages(this->layer(layer_idx), page_idx, 1);
  }
}

}  // namespace inference
