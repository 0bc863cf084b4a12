#include "inference/vision.h"

#include <algorithm>

namespace inference {
namespace {

using ops::Buffer;

// Scratch for one picture: everything a layer needs, allocated once.
struct Scratch {
  Tensor x;        // [n_patches, vision_dim]
  Tensor normed;   // [n_patches, vision_dim]
  Tensor q, k, v;  // [n_patches, heads, head_dim]
  Tensor inner;    // [n_patches, ffn_dim]

  Scratch(ops::Device& device, std::int64_t n_patches, const VisionConfig& config) {
    const auto tensor = [&](std::int64_t cols) {
      const DType type = device.activation_type();
      buffers.emplace_back(device, static_cast<std::size_t>(n_patches * cols) * element_bytes(type));
      return Tensor{buffers.back().data(), n_patches, cols, type};
    };
    x = tensor(config.hidden_dim);
    normed = tensor(config.hidden_dim);
    q = tensor(config.hidden_dim);
    k = tensor(config.hidden_dim);
    v = tensor(config.hidden_dim);
    inner = tensor(config.ffn_dim);
  }

 private:
  std::vector<Buffer> buffers;
};

// Attention stays inside a picture, and inside segments of segment_max_slots slots of a clip.
std::vector<std::int64_t> segment_ends(const Patches& patches, const VisionConfig& config) {
  std::vector<std::int64_t> ends;
  const std::int64_t per_slot = std::int64_t{patches.grid_h} * patches.grid_w;
  for (int slot = 0; slot < patches.grid_t; slot += config.segment_max_slots) {
    ends.push_back(std::min(slot + config.segment_max_slots, patches.grid_t) * per_slot);
  }
  return ends;
}

class Tower {
 public:
  Tower(ops::Device& device, const VisionConfig& config, const Patches& patches)
      : device_(device),
        config_(config),
        positions_(patch_positions(patches, config)),
        segment_ends_(segment_ends(patches, config)) {}

  // x += out(attention(norm1(x))); x += fc2(gelu(fc1(norm2(x))))
  void layer(const VisionLayerWeights& w, Scratch& s) {
    device_.layer_norm(s.normed, s.x, w.norm1.weight, w.norm1.bias, config_.layer_norm_eps);
    device_.linear(s.q, s.normed, w.q.weight, w.q.bias);
    device_.linear(s.k, s.normed, w.k.weight, w.k.bias);
    device_.linear(s.v, s.normed, w.v.weight, w.v.bias);
    device_.rope_3d(s.q, positions_, config_.heads, config_.rope_theta);
    device_.rope_3d(s.k, positions_, config_.heads, config_.rope_theta);
    device_.attend_segments(s.normed, s.q, s.k, s.v, segment_ends_, config_.heads);
    device_.linear(s.q, s.normed, w.out.weight, w.out.bias);
    device_.add(s.x, s.q);

    device_.layer_norm(s.normed, s.x, w.norm2.weight, w.norm2.bias, config_.layer_norm_eps);
    device_.linear(s.inner, s.normed, w.fc1.weight, w.fc1.bias);
    device_.gelu(s.inner);
    device_.linear(s.q, s.inner, w.fc2.weight, w.fc2.bias);
    device_.add(s.x, s.q);
  }

  // linear2(gelu(linear1(x))): the projector per patch, and the merger per group of patches.
  Tensor two_layers(Tensor x, const Linear& first, const Linear& second) {
    const Tensor inner = allocate(x.rows, first.weight.rows);
    device_.linear(inner, x, first.weight, first.bias);
    device_.gelu(inner);
    const Tensor out = allocate(x.rows, second.weight.rows);
    device_.linear(out, inner, second.weight, second.bias);
    return out;
  }

 private:
  Tensor allocate(std::int64_t rows, std::int64_t cols) {
    const DType type = device_.activation_type();
    buffers_.emplace_back(device_, static_cast<std::size_t>(rows * cols) * element_bytes(type));
    return {buffers_.back().data(), rows, cols, type};
  }

  ops::Device& device_;
  const VisionConfig& config_;
  std::vector<ops::PatchPosition> positions_;
  std::vector<std::int64_t> segment_ends_;
  std::vector<Buffer> buffers_;
};

}  // namespace

Hash128 content_hash(const Patches& patches, bool is_video) {
  const std::uint64_t shape = (std::uint64_t{is_video} << 63) | (static_cast<std::uint64_t>(patches.grid_t) << 40) |
                              (static_cast<std::uint64_t>(patches.grid_h) << 20) |
                              static_cast<std::uint64_t>(patches.grid_w);
  return hash_bytes(std::as_bytes(std::span(patches.pixels)), shape);
}

std::optional<VisionTokens> encode_patches(ops::Device& device, const ModelConfig& config, const VisionWeights& weights,
                                           const Patches& patches, bool is_video, const std::stop_token& stop) {
  INFERENCE_CHECK(config.vision, "a text-only model has no vision tower");
  const VisionConfig& shape = *config.vision;
  const std::int64_t n_patches = patches.n_patches();
  Buffer pixels(device, patches.pixels.size() * element_bytes(device.activation_type()));
  const Tensor input = {pixels.data(), n_patches, shape.patch_elements(), device.activation_type()};
  ops::write_floats(device, input, patches.pixels);

  Scratch scratch(device, n_patches, shape);
  Tower tower(device, shape, patches);
  device.linear(scratch.normed, input, weights.patch_embedding);
  device.layer_norm(scratch.x, scratch.normed, weights.pre_norm.weight, weights.pre_norm.bias, shape.layer_norm_eps);
  for (const VisionLayerWeights& layer : weights.layers) {
    if (stop.stop_requested()) return std::nullopt;
    tower.layer(layer, scratch);
  }
  // No final norm: project each patch, then merge groups of patches, which lie side by side.
  Tensor projected = tower.two_layers(scratch.x, weights.projector1, weights.projector2);
  projected.rows /= shape.merged_patches();
  projected.cols *= shape.merged_patches();
  const Tensor merged = tower.two_layers(projected, weights.merge1, weights.merge2);

  VisionTokens tokens;
  tokens.n_tokens = merged.rows;
  tokens.n_slots = patches.grid_t;
  tokens.is_video = is_video;
  tokens.content_hash = content_hash(patches, is_video);
  tokens.features = ops::read_floats(device, merged);
  return tokens;
}

}  // namespace inference
