#pragma once
// The model's shape, read once from config.json and validated once. Accepts the released form
// (`sparse_attention_config`, `moe_layer_freq`, …) and the flattened form that transformers ≥ 5 saves
// (`index_topk_blocks`, `layer_types`, …).

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace inference {

struct TextConfig {
  int hidden_dim = 0;
  int n_layers = 0;
  int vocab_size = 0;
  int max_tokens = 0;  // max_position_embeddings
  float rms_eps = 0;

  int q_heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int rotary_dim = 0;
  float rope_theta = 0;

  int dense_dim = 0;   // width of a dense layer's feed-forward network
  int expert_dim = 0;  // width of one routed expert
  int shared_dim = 0;  // width of the shared expert, 0: there is none
  int n_experts = 0;
  int top_k_experts = 0;
  float routed_scaling = 1;
  bool routing_bias = true;
  float swiglu_alpha = 0;
  float swiglu_limit = 0;

  int index_dim = 0;  // one index query head per kv head, one shared index key head
  int block_size = 0;
  int top_k_blocks = 0;
  int init_blocks = 0;
  int local_blocks = 1;

  std::vector<bool> is_sparse;  // [n_layers] MSA rather than full attention
  std::vector<bool> is_moe;     // [n_layers] experts rather than a dense feed-forward network
  bool tied_embeddings = false;
};

struct VisionConfig {
  int hidden_dim = 0;
  int n_layers = 0;
  int heads = 0;
  int ffn_dim = 0;
  int patch_size = 0;
  int temporal_patch_size = 2;
  int merge_size = 2;  // merge_size² patches become one token
  int channels = 3;
  int projector_dim = 0;
  int segment_max_slots = 4;  // attention stays inside this many temporal slots of a clip
  float layer_norm_eps = 0;
  float rope_theta = 0;

  int patch_elements() const { return channels * temporal_patch_size * patch_size * patch_size; }
  int merged_patches() const { return merge_size * merge_size; }
};

struct ModelConfig {
  TextConfig text;
  std::optional<VisionConfig> vision;
  int image_token_id = -1;  // placeholder replaced by an image's features, -1: text only
  int video_token_id = -1;
  bool is_mxfp8 = false;
  bool is_float32 = false;  // torch_dtype: the cache then keeps fp32, else bf16

  // Throws Error naming the file, the key, what was found and what was expected.
  static ModelConfig load(const std::filesystem::path& config_json);
  static ModelConfig parse(const nlohmann::json& config, const std::string& file_name);
};

}  // namespace inference
