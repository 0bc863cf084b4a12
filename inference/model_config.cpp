#include "inference/model_config.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "inference/check.h"
#include "inference/mapped_file.h"

namespace inference {
namespace {

using nlohmann::json;

// Reads the keys of one JSON object; every complaint names the file and the key's full path.
class Section {
 public:
  Section(const json& object, std::string file_name, std::string path)
      : object_(object), file_name_(std::move(file_name)), path_(std::move(path)) {
    if (!object_.is_object()) fail("", message("expected an object, found ", object_.type_name()));
  }

  bool has(const std::string& key) const { return object_.contains(key) && !object_[key].is_null(); }

  Section section(const std::string& key) const {
    if (!has(key)) fail(key, "is missing");
    return {object_[key], file_name_, path_ + key + "."};
  }

  std::int64_t integer(const std::string& key, std::int64_t least, std::int64_t most) const {
    if (!has(key)) fail(key, "is missing");
    const json& value = object_[key];
    const bool whole = value.is_number_integer() ||
                       (value.is_number_float() && std::nearbyint(value.get<double>()) == value.get<double>());
    if (!whole) fail(key, message("expected a whole number, found ", shown(value)));
    const double number = value.get<double>();
    if (number < static_cast<double>(least) || number > static_cast<double>(most)) {
      fail(key, message("expected ", least, " to ", most, ", found ", shown(value)));
    }
    return static_cast<std::int64_t>(number);
  }

  int integer_or(const std::string& key, std::int64_t least, std::int64_t most, int otherwise) const {
    return has(key) ? static_cast<int>(integer(key, least, most)) : otherwise;
  }

  float positive(const std::string& key) const {
    if (!has(key)) fail(key, "is missing");
    const json& value = object_[key];
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number > 0) || number > std::numeric_limits<float>::max()) {
      fail(key, message("expected a positive number, found ", shown(value)));
    }
    return static_cast<float>(number);
  }

  bool flag(const std::string& key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!object_[key].is_boolean()) fail(key, message("expected true or false, found ", shown(object_[key])));
    return object_[key].get<bool>();
  }

  std::string string_or(const std::string& key, const std::string& otherwise) const {
    if (!has(key)) return otherwise;
    if (!object_[key].is_string()) fail(key, message("expected a string, found ", shown(object_[key])));
    return object_[key].get<std::string>();
  }

  // The key, when present, must have this value: we compute nothing else.
  void require(const std::string& key, const json& value) const {
    if (has(key) && object_[key] != value) {
      fail(key, message("only ", value.dump(), " is supported, found ", shown(object_[key])));
    }
  }

  // One flag per layer: a list of 0/1, or of names of which `on_name` means yes.
  std::vector<bool> per_layer(const std::string& key, int n_layers, const std::string& on_name,
                              const std::string& off_name) const {
    if (!has(key)) fail(key, "is missing");
    const json& list = object_[key];
    if (!list.is_array() || list.size() != static_cast<std::size_t>(n_layers)) {
      fail(key, message("expected a list of ", n_layers, " entries, found ",
                        list.is_array() ? message(list.size(), " entries") : shown(list)));
    }
    std::vector<bool> flags;
    for (const json& entry : list) {
      if (entry == json(1) || entry == json(on_name)) {
        flags.push_back(true);
      } else if (entry == json(0) || entry == json(off_name)) {
        flags.push_back(false);
      } else {
        fail(key, message("unknown entry ", shown(entry), ", expected 0, 1, \"", off_name, "\" or \"", on_name, '"'));
      }
    }
    return flags;
  }

  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    const std::string where = path_ + key;
    throw Error(message(file_name_, ": ", where.empty() ? "the file" : where, " ", what));
  }

 private:
  static std::string shown(const json& value) {
    std::string dumped = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (dumped.size() > 60) dumped = dumped.substr(0, 57) + "...";
    return dumped;
  }

  const json& object_;
  std::string file_name_;
  std::string path_;
};

constexpr int kMostDim = 1 << 20;
constexpr int kMostHeads = 1 << 12;

void read_attention(const Section& section, TextConfig& config) {
  config.q_heads = static_cast<int>(section.integer("num_attention_heads", 1, kMostHeads));
  config.kv_heads = static_cast<int>(section.integer("num_key_value_heads", 1, kMostHeads));
  config.head_dim =
      section.integer_or("head_dim", 1, 4096, std::max(1, config.hidden_dim / std::max(1, config.q_heads)));
  if (config.q_heads % config.kv_heads != 0) {
    section.fail("num_attention_heads",
                 message("is ", config.q_heads, ", not a multiple of num_key_value_heads ", config.kv_heads));
  }
  // The flattened form keeps the rope under rope_parameters; rotary_dim may be given as a share of the head.
  const Section rope = section.has("rope_parameters") ? section.section("rope_parameters") : section;
  rope.require("rope_type", "default");
  if (section.has("rope_scaling")) section.fail("rope_scaling", "is not supported");
  config.rope_theta = section.has("rope_theta") ? section.positive("rope_theta") : rope.positive("rope_theta");
  const Section& factor = rope.has("partial_rotary_factor") ? rope : section;
  const int derived = factor.has("partial_rotary_factor")
                          ? static_cast<int>(std::lround(factor.positive("partial_rotary_factor") *
                                                         static_cast<float>(config.head_dim)))
                          : config.head_dim;
  config.rotary_dim = section.integer_or("rotary_dim", 2, config.head_dim, derived);
  if (config.rotary_dim % 2 != 0 || config.rotary_dim > config.head_dim) {
    section.fail("rotary_dim",
                 message("is ", config.rotary_dim, ", expected an even number up to head_dim ", config.head_dim));
  }
  section.require("use_qk_norm", true);
  section.require("qk_norm_type", "per_head");
  section.require("use_gemma_norm", true);
  section.require("attention_output_gate", false);
  section.require("attention_bias", false);
}

void read_sparse_attention(const Section& section, TextConfig& config) {
  const bool released = section.has("sparse_attention_config");
  if (!released && !section.has("layer_types")) {
    config.is_sparse.assign(static_cast<std::size_t>(config.n_layers), false);
    return;
  }
  const Section sparse = released ? section.section("sparse_attention_config") : section;
  if (released && !sparse.flag("use_sparse_attention", true)) {
    config.is_sparse.assign(static_cast<std::size_t>(config.n_layers), false);
    return;
  }
  config.is_sparse =
      released ? sparse.per_layer("sparse_attention_freq", config.n_layers, "minimax_m3_sparse", "full_attention")
               : section.per_layer("layer_types", config.n_layers, "minimax_m3_sparse", "full_attention");
  const std::string heads = released ? "sparse_num_index_heads" : "index_n_heads";
  if (sparse.integer(heads, 1, kMostHeads) != config.kv_heads) {
    sparse.fail(heads,
                message("must equal num_key_value_heads ", config.kv_heads, ": each kv head selects its own blocks"));
  }
  config.index_dim = static_cast<int>(sparse.integer(released ? "sparse_index_dim" : "index_head_dim", 2, 4096));
  if (config.index_dim < config.rotary_dim) {
    sparse.fail(released ? "sparse_index_dim" : "index_head_dim",
                message("is ", config.index_dim, ", smaller than rotary_dim ", config.rotary_dim));
  }
  config.block_size = static_cast<int>(sparse.integer(released ? "sparse_block_size" : "index_block_size", 1, 1 << 16));
  config.top_k_blocks =
      static_cast<int>(sparse.integer(released ? "sparse_topk_blocks" : "index_topk_blocks", 1, 1 << 16));
  config.local_blocks =
      sparse.integer_or(released ? "sparse_local_block" : "index_local_blocks", 1, config.top_k_blocks, 1);
  config.init_blocks = sparse.integer_or("sparse_init_block", 0, config.top_k_blocks - config.local_blocks, 0);
  sparse.require("sparse_score_type", "max");
}

void read_ffn(const Section& section, TextConfig& config) {
  config.expert_dim = static_cast<int>(section.integer("intermediate_size", 1, kMostDim));
  config.dense_dim = section.integer_or("dense_intermediate_size", 1, kMostDim, config.expert_dim);
  if (section.has("mlp_layer_types")) {
    config.is_moe = section.per_layer("mlp_layer_types", config.n_layers, "sparse", "dense");
  } else {
    config.is_moe = section.per_layer("moe_layer_freq", config.n_layers, "sparse", "dense");
  }
  config.n_experts = static_cast<int>(section.integer("num_local_experts", 1, 1 << 16));
  config.top_k_experts = static_cast<int>(section.integer("num_experts_per_tok", 1, config.n_experts));
  const int n_shared = section.integer_or("n_shared_experts", 0, 1, 1);
  config.shared_dim =
      n_shared == 0 ? 0 : section.integer_or("shared_intermediate_size", 1, kMostDim, config.expert_dim);
  config.routed_scaling = section.has("routed_scaling_factor") ? section.positive("routed_scaling_factor") : 1.0F;
  config.routing_bias = section.flag("use_routing_bias", true);
  config.swiglu_alpha = section.positive("swiglu_alpha");
  config.swiglu_limit = section.positive("swiglu_limit");
  section.require("scoring_func", "sigmoid");
  // The flattened form writes "silu" as a placeholder; the gate is M3's all the same.
  const std::string act = section.string_or("hidden_act", "swigluoai");
  if (act != "swigluoai" && act != "silu") section.fail("hidden_act", message("\"", act, "\" is not supported"));
}

TextConfig read_text(const Section& section) {
  TextConfig config;
  config.hidden_dim = static_cast<int>(section.integer("hidden_size", 1, kMostDim));
  config.n_layers = static_cast<int>(section.integer("num_hidden_layers", 1, 4096));
  config.vocab_size = static_cast<int>(section.integer("vocab_size", 1, 1 << 24));
  config.max_tokens = static_cast<int>(section.integer("max_position_embeddings", 1, 1 << 30));
  config.rms_eps = section.positive("rms_norm_eps");
  config.tied_embeddings = section.flag("tie_word_embeddings", false);
  read_attention(section, config);
  read_sparse_attention(section, config);
  read_ffn(section, config);
  return config;
}

VisionConfig read_vision(const Section& outer, const Section& section) {
  VisionConfig config;
  config.hidden_dim = static_cast<int>(section.integer("hidden_size", 1, kMostDim));
  config.n_layers = static_cast<int>(section.integer("num_hidden_layers", 1, 4096));
  config.heads = static_cast<int>(section.integer("num_attention_heads", 1, kMostHeads));
  if (config.hidden_dim % config.heads != 0) {
    section.fail("num_attention_heads",
                 message("is ", config.heads, ", hidden_size ", config.hidden_dim, " is not a multiple of it"));
  }
  config.ffn_dim = static_cast<int>(section.integer("intermediate_size", 1, kMostDim));
  config.patch_size = static_cast<int>(section.integer("patch_size", 1, 256));
  config.channels = section.integer_or("num_channels", 3, 3, 3);
  config.layer_norm_eps = section.has("layer_norm_eps") ? section.positive("layer_norm_eps") : 1e-5F;
  const Section rope = section.has("rope_parameters") ? section.section("rope_parameters") : section;
  config.rope_theta = rope.has("rope_theta") ? rope.positive("rope_theta") : 10000.0F;
  config.segment_max_slots = section.integer_or("vision_segment_max_frames", 1, 1 << 20, 4);
  if (section.has("img_token_compression_config") || outer.has("img_token_compression_config")) {
    const Section compression =
        (section.has("img_token_compression_config") ? section : outer).section("img_token_compression_config");
    compression.require("image_token_compression_method", "patch_merge");
    config.merge_size = compression.integer_or("spatial_merge_size", 1, 16, 2);
    config.temporal_patch_size = compression.integer_or("temporal_patch_size", 2, 2, 2);
  } else {
    config.merge_size = section.integer_or("spatial_merge_size", 1, 16, 2);
    config.temporal_patch_size = section.integer_or("temporal_patch_size", 2, 2, 2);
  }
  section.require("hidden_act", "gelu");
  section.require("position_embedding_type", "rope");
  section.require("rope_mode", "3d");
  return config;
}

void read_quantization(const Section& outer, ModelConfig& config) {
  if (!outer.has("quantization_config")) return;
  const Section quantization = outer.section("quantization_config");
  const std::string method = quantization.string_or("quant_method", "");
  if (method != "mxfp8") {
    quantization.fail("quant_method", message("\"", method, "\" is not supported, only \"mxfp8\" is"));
  }
  quantization.require("weight_block_size", json::array({1, 32}));
  config.is_mxfp8 = true;
}

int token_id(const Section& outer, const std::string& released, const std::string& flattened, int vocab_size) {
  const std::string key = outer.has(released) ? released : flattened;
  return outer.integer_or(key, 0, vocab_size - 1, -1);
}

}  // namespace

ModelConfig ModelConfig::parse(const json& object, const std::string& file_name) {
  const Section outer(object, file_name, "");
  const std::string model_type = outer.string_or("model_type", "minimax_m3_vl");
  if (model_type.rfind("minimax_m3", 0) != 0) {
    outer.fail("model_type", message("\"", model_type, "\" is not MiniMax-M3 (expected \"minimax_m3_vl\")"));
  }
  ModelConfig config;
  // A text-only checkpoint may have no outer level.
  config.text = read_text(outer.has("text_config") ? outer.section("text_config") : outer);
  config.image_token_id = token_id(outer, "image_token_index", "image_token_id", config.text.vocab_size);
  config.video_token_id = token_id(outer, "video_token_index", "video_token_id", config.text.vocab_size);
  if (outer.has("vision_config")) {
    config.vision = read_vision(outer, outer.section("vision_config"));
    outer.require("vision_feature_layer", -1);
    outer.require("projector_hidden_act", "gelu");
    config.vision->projector_dim = outer.integer_or("projector_hidden_size", 1, kMostDim, config.text.hidden_dim);
  }
  read_quantization(outer, config);
  config.is_float32 = outer.string_or(outer.has("torch_dtype") ? "torch_dtype" : "dtype", "bfloat16") == "float32";
  return config;
}

ModelConfig ModelConfig::load(const std::filesystem::path& config_json) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  const MappedFile file(config_json, kMostBytes);
  try {
    return parse(json::parse(file.text()), config_json.string());
  } catch (const json::exception& error) {
    throw Error(message(config_json.string(), ": is not valid JSON: ", error.what()));
  }
}

}  // namespace inference
