#pragma once
// A loaded model: immutable weights, their tokenizer and vision tower. Makes sessions.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "inference/forward.h"
#include "inference/image_processing.h"
#include "inference/model_config.h"
#include "inference/prompt.h"
#include "inference/session.h"
#include "inference/tokenizer.h"

namespace inference {

// Where the model runs. Auto: on the GPU when there is one and the model fits into its memory, else on the CPU.
enum class DeviceChoice { Auto, Cpu, Cuda };

enum class CacheType { FromModel, F32, BF16 };  // FromModel: fp32 for float32 checkpoints, else bf16

struct EngineOptions {
  std::filesystem::path model_dir = {};  // config.json, *.safetensors, tokenizer.json (optional)
  int n_threads = 0;                     // CPU threads, 0: one per core
  std::int64_t prefill_chunk = 512;      // tokens per forward pass
  CacheType cache_type = CacheType::FromModel;
  SparseAttention sparse_attention = SparseAttention::AsTrained;
  DeviceChoice device_choice = DeviceChoice::Auto;
  std::unique_ptr<ops::Device> device = nullptr;  // instead of choosing one
};

struct LoadProgress {
  std::string what;                              // that is done now
  std::int64_t done_bytes = 0, total_bytes = 0;  // of the weights; total 0: they aren't read yet
};

class Engine {
 public:
  using Progress = std::function<void(const LoadProgress&)>;

  // Throws Error naming the file and what is wrong with it, or why the chosen device is not there.
  static std::unique_ptr<Engine> load(EngineOptions options, const Progress& progress = nullptr);
  ~Engine();

  Session new_session(std::int64_t max_tokens) const;

  // A picture, or the frames of a clip, as the model sees them. The same pixels under the same rule are encoded once
  // and shared. Null when stopped. One thread at a time, like sessions.
  std::shared_ptr<const VisionTokens> encode_image(const ImageView& image, const ResizeRule& rule = {},
                                                   const std::stop_token& stop = {});
  std::shared_ptr<const VisionTokens> encode_video(std::span<const ImageView> frames, const std::stop_token& stop = {});
  std::shared_ptr<const VisionTokens> encode(const Patches& patches, bool is_video, const std::stop_token& stop = {});

  const ModelConfig& config() const;
  const Tokenizer* tokenizer() const;  // null when the folder has none
  MediaMarkers media_markers() const;  // needs a tokenizer
  // Ids that the model must not write: placeholders of media, and embedding rows without a token. Sorted.
  std::vector<std::int32_t> masked_ids() const;
  std::string device_description() const;  // for people; says why it is not the GPU when that was left open
  std::size_t mapped_bytes() const;

 private:
  friend class Session;
  struct State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace inference
