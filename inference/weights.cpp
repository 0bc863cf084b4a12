#include "inference/weights.h"

#include <algorithm>
#include <cmath>

#include "inference/number_formats.h"

namespace inference {

// Looks tensors up, checks them and hands out views.
class WeightReader {
 public:
  WeightReader(Weights& weights, const Safetensors& checkpoint, ops::Device& device, const Weights::Progress& progress)
      : weights_(weights), checkpoint_(checkpoint), device_(device), progress_(progress) {}

  bool has(const std::string& name) const { return checkpoint_.find(name) != nullptr; }

  Matrix matrix(const std::string& name, std::int64_t rows, std::int64_t cols) const {
    const StoredTensor& stored = checkpoint_.require(name);
    // A convolution kernel counts as the matrix of its flattened taps.
    const bool fits = !stored.shape.empty() && stored.shape[0] == rows && stored.n_elements() == rows * cols &&
                      (stored.shape.size() == 2 || stored.shape.size() == 5);
    if (!fits) fail(stored, message("shape ", shape_text(stored.shape), ", expected [", rows, ", ", cols, "]"));
    Matrix matrix{nullptr, nullptr, rows, cols, stored.dtype};
    if (stored.dtype == DType::F8E4M3) {
      matrix.scales = scales_of(stored, rows, cols);
    } else if (stored.dtype != DType::F32 && stored.dtype != DType::F16 && stored.dtype != DType::BF16) {
      fail(stored, message("dtype ", dtype_name(stored.dtype), ", expected F32, F16, BF16 or F8_E4M3"));
    }
    matrix.data = device_.resident(stored.data, stored.n_bytes);
    count(stored);
    return matrix;
  }

  Vector vector(const std::string& name, std::int64_t size) const {
    const StoredTensor& stored = checkpoint_.require(name);
    if (stored.shape.size() != 1 || stored.shape[0] != size) {
      fail(stored, message("shape ", shape_text(stored.shape), ", expected [", size, "]"));
    }
    if (stored.dtype != DType::F32 && stored.dtype != DType::F16 && stored.dtype != DType::BF16) {
      fail(stored, message("dtype ", dtype_name(stored.dtype), ", expected F32, F16 or BF16"));
    }
    std::vector<float> values(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
      values[static_cast<std::size_t>(i)] = load_as_float(stored.data, stored.dtype, i);
      if (!std::isfinite(values[static_cast<std::size_t>(i)])) fail(stored, message("element ", i, " is not finite"));
    }
    count(stored);
    weights_.widened_.push_back(std::move(values));
    const std::vector<float>& kept = weights_.widened_.back();
    return {static_cast<const float*>(device_.resident(kept.data(), kept.size() * sizeof(float))), size};
  }

  Linear linear(const std::string& name, std::int64_t rows, std::int64_t cols) const {
    return {matrix(name + ".weight", rows, cols), vector(name + ".bias", rows)};
  }

  Norm norm(const std::string& name, std::int64_t size) const {
    return {vector(name + ".weight", size), vector(name + ".bias", size)};
  }

 private:
  void count(const StoredTensor& stored) const {
    done_bytes_ += static_cast<std::int64_t>(stored.n_bytes);
    if (progress_) progress_(done_bytes_);
  }

  const std::uint8_t* scales_of(const StoredTensor& stored, std::int64_t rows, std::int64_t cols) const {
    if (cols % kMxGroup != 0) {
      fail(stored, message("MXFP8 needs rows of a multiple of ", kMxGroup, " elements, found ", cols));
    }
    const StoredTensor& scales = checkpoint_.require(stored.name + "_scale_inv");
    if (scales.dtype != DType::U8 || scales.shape != std::vector<std::int64_t>{rows, cols / kMxGroup}) {
      fail(scales, message(dtype_name(scales.dtype), " ", shape_text(scales.shape), ", expected U8 [", rows, ", ",
                           cols / kMxGroup, "]"));
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(scales.data);
    if (std::find(bytes, bytes + scales.n_bytes, 255) != bytes + scales.n_bytes) {
      fail(scales, "holds a NaN scale (255); the file is damaged: download it again");
    }
    count(scales);
    return static_cast<const std::uint8_t*>(device_.resident(scales.data, scales.n_bytes));
  }

  [[noreturn]] static void fail(const StoredTensor& stored, const std::string& what) {
    throw Error(message(stored.file, ": tensor ", stored.name, ": ", what));
  }

  Weights& weights_;
  const Safetensors& checkpoint_;
  ops::Device& device_;
  const Weights::Progress& progress_;
  mutable std::int64_t done_bytes_ = 0;
};

namespace {

AttentionWeights read_attention(const WeightReader& reader, const std::string& prefix, const TextConfig& config,
                                bool is_sparse) {
  const std::int64_t hidden = config.hidden_dim;
  const std::int64_t q_dim = std::int64_t{config.q_heads} * config.head_dim;
  const std::int64_t kv_dim = std::int64_t{config.kv_heads} * config.head_dim;
  AttentionWeights attention;
  attention.q = reader.matrix(prefix + "q_proj.weight", q_dim, hidden);
  attention.k = reader.matrix(prefix + "k_proj.weight", kv_dim, hidden);
  attention.v = reader.matrix(prefix + "v_proj.weight", kv_dim, hidden);
  attention.o = reader.matrix(prefix + "o_proj.weight", hidden, q_dim);
  attention.q_norm = reader.vector(prefix + "q_norm.weight", config.head_dim);
  attention.k_norm = reader.vector(prefix + "k_norm.weight", config.head_dim);
  if (is_sparse) {
    attention.index_q =
        reader.matrix(prefix + "index_q_proj.weight", std::int64_t{config.kv_heads} * config.index_dim, hidden);
    attention.index_k = reader.matrix(prefix + "index_k_proj.weight", config.index_dim, hidden);
    attention.index_q_norm = reader.vector(prefix + "index_q_norm.weight", config.index_dim);
    attention.index_k_norm = reader.vector(prefix + "index_k_norm.weight", config.index_dim);
  }
  return attention;
}

struct FfnNames {
  const char *gate, *up, *down;
};
constexpr FfnNames kDenseNames = {"gate_proj", "up_proj", "down_proj"};
constexpr FfnNames kExpertNames = {"w1", "w3", "w2"};

ops::Ffn read_ffn(const WeightReader& reader, const std::string& prefix, const FfnNames& names, int hidden_dim,
                  int ffn_dim) {
  return {reader.matrix(prefix + names.gate + ".weight", ffn_dim, hidden_dim),
          reader.matrix(prefix + names.up + ".weight", ffn_dim, hidden_dim),
          reader.matrix(prefix + names.down + ".weight", hidden_dim, ffn_dim)};
}

LayerWeights read_layer(const WeightReader& reader, const TextConfig& config, int layer_idx) {
  const std::string prefix = message("language_model.model.layers.", layer_idx, ".");
  LayerWeights layer;
  layer.is_sparse = config.is_sparse[static_cast<std::size_t>(layer_idx)];
  layer.is_moe = config.is_moe[static_cast<std::size_t>(layer_idx)];
  layer.input_norm = reader.vector(prefix + "input_layernorm.weight", config.hidden_dim);
  layer.post_attention_norm = reader.vector(prefix + "post_attention_layernorm.weight", config.hidden_dim);
  layer.attention = read_attention(reader, prefix + "self_attn.", config, layer.is_sparse);
  if (!layer.is_moe) {
    layer.ffn = read_ffn(reader, prefix + "mlp.", kDenseNames, config.hidden_dim, config.dense_dim);
    return layer;
  }
  const std::string moe = prefix + "block_sparse_moe.";
  layer.router = reader.matrix(moe + "gate.weight", config.n_experts, config.hidden_dim);
  if (config.routing_bias) layer.router_bias = reader.vector(moe + "e_score_correction_bias", config.n_experts);
  for (int expert = 0; expert < config.n_experts; ++expert) {
    layer.experts.push_back(
        read_ffn(reader, message(moe, "experts.", expert, "."), kExpertNames, config.hidden_dim, config.expert_dim));
  }
  if (config.shared_dim > 0) {
    layer.ffn = read_ffn(reader, moe + "shared_experts.", kDenseNames, config.hidden_dim, config.shared_dim);
  }
  return layer;
}

VisionWeights read_vision(const WeightReader& reader, const VisionConfig& config, int hidden_dim) {
  const std::string tower = "vision_tower.vision_model.";
  const std::int64_t dim = config.hidden_dim;
  VisionWeights vision;
  vision.patch_embedding = reader.matrix(tower + "embeddings.patch_embedding.weight", dim, config.patch_elements());
  vision.pre_norm = reader.norm(tower + "pre_layrnorm", dim);  // spelled so in the released checkpoints
  for (int layer_idx = 0; layer_idx < config.n_layers; ++layer_idx) {
    const std::string prefix = message(tower, "encoder.layers.", layer_idx, ".");
    VisionLayerWeights layer;
    layer.norm1 = reader.norm(prefix + "layer_norm1", dim);
    layer.norm2 = reader.norm(prefix + "layer_norm2", dim);
    layer.q = reader.linear(prefix + "self_attn.q_proj", dim, dim);
    layer.k = reader.linear(prefix + "self_attn.k_proj", dim, dim);
    layer.v = reader.linear(prefix + "self_attn.v_proj", dim, dim);
    layer.out = reader.linear(prefix + "self_attn.out_proj", dim, dim);
    layer.fc1 = reader.linear(prefix + "mlp.fc1", config.ffn_dim, dim);
    layer.fc2 = reader.linear(prefix + "mlp.fc2", dim, config.ffn_dim);
    vision.layers.push_back(layer);
  }
  vision.projector1 = reader.linear("multi_modal_projector.linear_1", config.projector_dim, dim);
  vision.projector2 = reader.linear("multi_modal_projector.linear_2", hidden_dim, config.projector_dim);
  vision.merge1 = reader.linear("patch_merge_mlp.linear_1", config.projector_dim,
                                std::int64_t{config.merged_patches()} * hidden_dim);
  vision.merge2 = reader.linear("patch_merge_mlp.linear_2", hidden_dim, config.projector_dim);
  return vision;
}

}  // namespace

Weights Weights::load(Safetensors checkpoint, const ModelConfig& config, ops::Device& device,
                      const Progress& progress) {
  Weights weights;
  weights.checkpoint_ = std::make_unique<Safetensors>(std::move(checkpoint));
  const WeightReader reader(weights, *weights.checkpoint_, device, progress);
  const TextConfig& shape = config.text;
  weights.embeddings = reader.matrix("language_model.model.embed_tokens.weight", shape.vocab_size, shape.hidden_dim);
  for (int layer_idx = 0; layer_idx < shape.n_layers; ++layer_idx) {
    weights.layers.push_back(read_layer(reader, shape, layer_idx));
  }
  weights.final_norm = reader.vector("language_model.model.norm.weight", shape.hidden_dim);
  weights.lm_head = shape.tied_embeddings
                        ? weights.embeddings
                        : reader.matrix("language_model.lm_head.weight", shape.vocab_size, shape.hidden_dim);
  if (config.vision) weights.vision = read_vision(reader, *config.vision, shape.hidden_dim);
  return weights;
}

Hash128 Weights::fingerprint() const {
  Hasher hasher;
  for (const std::string& name : checkpoint_->names()) {
    const StoredTensor& stored = checkpoint_->require(name);
    const std::string line = message(name, ' ', dtype_name(stored.dtype), ' ', shape_text(stored.shape), '\n');
    hasher.update(std::as_bytes(std::span(line)));
  }
  for (const std::vector<float>& values : widened_) hasher.update(std::as_bytes(std::span(values)));
  return hasher.digest();
}

}  // namespace inference
