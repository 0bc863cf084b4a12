#pragma once
// The model's weights by their place in the network, as views of the mapped checkpoint (norms and biases are widened
// to fp32 once). Every shape and type is checked here, so nothing later checks again.

#include <functional>
#include <memory>
#include <vector>

#include "inference/hash.h"
#include "inference/model_config.h"
#include "inference/ops/ops.h"
#include "inference/safetensors.h"

namespace inference {

struct AttentionWeights {
  Matrix q;       // [q_heads * head_dim, hidden_dim]
  Matrix k;       // [kv_heads * head_dim, hidden_dim]
  Matrix v;       // [kv_heads * head_dim, hidden_dim]
  Matrix o;       // [hidden_dim, q_heads * head_dim]
  Vector q_norm;  // [head_dim]
  Vector k_norm;  // [head_dim]
  // The index branch, in sparse layers only:
  Matrix index_q;       // [kv_heads * index_dim, hidden_dim]
  Matrix index_k;       // [index_dim, hidden_dim]
  Vector index_q_norm;  // [index_dim]
  Vector index_k_norm;  // [index_dim]
};

struct LayerWeights {
  bool is_sparse = false;
  bool is_moe = false;
  Vector input_norm;           // [hidden_dim]
  Vector post_attention_norm;  // [hidden_dim]
  AttentionWeights attention;
  ops::Ffn ffn;                   // the dense network, or the shared expert (absent when shared_dim is 0)
  Matrix router;                  // [n_experts, hidden_dim]
  Vector router_bias;             // [n_experts], added for the choice only
  std::vector<ops::Ffn> experts;  // [n_experts]
};

struct Linear {
  Matrix weight;  // [out_dim, in_dim]
  Vector bias;    // [out_dim]
};

struct Norm {
  Vector weight;  // [dim]
  Vector bias;    // [dim]
};

struct VisionLayerWeights {
  Norm norm1, norm2;    // [vision_dim]
  Linear q, k, v, out;  // [vision_dim, vision_dim]
  Linear fc1;           // [ffn_dim, vision_dim]
  Linear fc2;           // [vision_dim, ffn_dim]
};

struct VisionWeights {
  Matrix patch_embedding;  // [vision_dim, channels * temporal_patch_size * patch_size²]
  Norm pre_norm;           // [vision_dim]
  std::vector<VisionLayerWeights> layers;
  Linear projector1;  // [projector_dim, vision_dim]
  Linear projector2;  // [hidden_dim, projector_dim]
  Linear merge1;      // [projector_dim, merge_size² * hidden_dim]
  Linear merge2;      // [hidden_dim, projector_dim]
};

// Owns what the views point to. Immutable.
class Weights {
 public:
  // Throws Error for a missing tensor, a wrong shape or type, a NaN scale.
  // `progress` hears after each tensor how many bytes of the checkpoint are where the device needs them.
  using Progress = std::function<void(std::int64_t done_bytes)>;
  static Weights load(Safetensors checkpoint, const ModelConfig& config, ops::Device& device,
                      const Progress& progress = nullptr);

  Matrix embeddings;                 // [vocab_size, hidden_dim]
  std::vector<LayerWeights> layers;  // [n_layers]
  Vector final_norm;                 // [hidden_dim]
  Matrix lm_head;                    // [vocab_size, hidden_dim]
  VisionWeights vision;              // empty for a text-only model

  std::size_t mapped_bytes() const { return checkpoint_->mapped_bytes(); }

  // Tells models apart without reading hundreds of gigabytes: names, types and shapes of all tensors, and the values of
  // norms and biases, which every training changes.
  Hash128 fingerprint() const;

 private:
  friend class WeightReader;
  std::unique_ptr<Safetensors> checkpoint_;
  std::vector<std::vector<float>> widened_;  // norms and biases in fp32
};

}  // namespace inference
