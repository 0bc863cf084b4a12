#include "inference/engine.h"

#include <algorithm>
#include <array>

#include "inference/engine_state.h"
#include "inference/memory_plan.h"
#include "inference/vision.h"

namespace inference {
namespace {

constexpr std::size_t kRecentMedia = 64;  // encodings kept in case the same pixels come again

DType cache_dtype(CacheType type, const ModelConfig& config) {
  switch (type) {
    case CacheType::F32:
      return DType::F32;
    case CacheType::BF16:
      return DType::BF16;
    case CacheType::FromModel:
      break;
  }
  return config.is_float32 ? DType::F32 : DType::BF16;
}

struct ChosenDevice {
  std::unique_ptr<ops::Device> device;
  std::string description;
};

ChosenDevice choose_device(EngineOptions& options, const ModelConfig& config, std::size_t weight_bytes) {
  ChosenDevice chosen = {std::move(options.device), {}};
  std::string reason;
  if (chosen.device == nullptr && options.device_choice != DeviceChoice::Cpu) {
    const DType type = config.is_float32 ? DType::F32 : DType::BF16;
    const std::size_t working_bytes = gpu_working_bytes(config.text, type, options.prefill_chunk);
    chosen.device = ops::make_cuda_device(type, weight_bytes + working_bytes, reason);
    if (chosen.device == nullptr && options.device_choice == DeviceChoice::Cuda) {
      throw Error(message("can't run on the GPU: ", reason));
    }
  }
  if (chosen.device == nullptr) chosen.device = ops::make_cpu_device(options.n_threads);
  chosen.description = chosen.device->description();
  if (!reason.empty()) chosen.description += message("; not the GPU: ", reason);
  return chosen;
}

// Whether the model may write this token. Embeddings have more rows than there are tokens; and all that is spelled
// ]<]…[>[ stands for or surrounds media, but for ]<]minimax[>[, which marks tool calls.
bool is_writable(const Tokenizer& tokenizer, std::int32_t id) {
  if (!tokenizer.has_token(id)) return false;
  const std::string_view spelling = tokenizer.token_bytes(id);
  return !(tokenizer.is_special(id) && spelling.starts_with("]<]") && spelling.ends_with("[>[") &&
           spelling != "]<]minimax[>[");
}

}  // namespace

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

std::unique_ptr<Engine> Engine::load(EngineOptions options, const Progress& progress) {
  const auto report = [&](const std::string& what) {
    if (progress) progress({what});
  };
  if (options.prefill_chunk < 1)
    throw Error(message("prefill_chunk is ", options.prefill_chunk, ", expected 1 or more"));
  auto state = std::make_unique<State>();
  report("reading config.json");
  state->config = ModelConfig::load(options.model_dir / "config.json");
  Safetensors checkpoint = Safetensors::open(options.model_dir);
  ChosenDevice chosen = choose_device(options, state->config, checkpoint.mapped_bytes());
  state->device = std::move(chosen.device);
  state->device_description = std::move(chosen.description);
  report("running on " + state->device_description);
  const auto total_bytes = static_cast<std::int64_t>(checkpoint.mapped_bytes());
  state->weights = Weights::load(std::move(checkpoint), state->config, *state->device, [&](std::int64_t done_bytes) {
    if (progress) progress({"reading weights", done_bytes, total_bytes});
  });
  state->fingerprint = state->weights.fingerprint();
  const std::filesystem::path tokenizer_json = options.model_dir / "tokenizer.json";
  if (std::filesystem::exists(tokenizer_json)) {
    report("reading tokenizer.json");
    state->tokenizer = Tokenizer::load(tokenizer_json);
  }
  state->prefill_chunk = options.prefill_chunk;
  state->cache_dtype = cache_dtype(options.cache_type, state->config);
  state->sparse_attention = options.sparse_attention;
  return std::unique_ptr<Engine>(new Engine(std::move(state)));
}

Session Engine::new_session(std::int64_t max_tokens) const {
  const std::int64_t limit = state_->config.text.max_tokens;
  if (max_tokens < 1 || max_tokens > limit) {
    throw Error(message("a session of ", max_tokens, " tokens: this model takes 1 to ", limit));
  }
  return Session(std::make_unique<Session::State>(*state_, max_tokens));
}

std::shared_ptr<const VisionTokens> Engine::encode(const Patches& patches, bool is_video, const std::stop_token& stop) {
  if (!state_->config.vision) throw Error("this model is text-only: its config.json has no vision_config");
  auto& recent = state_->recent_media;
  const Hash128 hash = content_hash(patches, is_video);
  const auto known =
      std::find_if(recent.begin(), recent.end(), [&](const auto& tokens) { return tokens->content_hash == hash; });
  if (known != recent.end()) {
    std::rotate(recent.begin(), known, known + 1);  // the newest again
    return recent.front();
  }
  std::optional<VisionTokens> tokens =
      encode_patches(*state_->device, state_->config, state_->weights.vision, patches, is_video, stop);
  if (!tokens) return nullptr;
  recent.push_front(std::make_shared<const VisionTokens>(std::move(*tokens)));
  if (recent.size() > kRecentMedia) recent.pop_back();
  return recent.front();
}

std::shared_ptr<const VisionTokens> Engine::encode_image(const ImageView& image, const ResizeRule& rule,
                                                         const std::stop_token& stop) {
  if (!state_->config.vision) throw Error("this model is text-only: its config.json has no vision_config");
  return encode(make_image_patches(image, rule, *state_->config.vision), false, stop);
}

std::shared_ptr<const VisionTokens> Engine::encode_video(std::span<const ImageView> frames,
                                                         const std::stop_token& stop) {
  if (!state_->config.vision) throw Error("this model is text-only: its config.json has no vision_config");
  const ResizeRule rule = {.max_pixels = kMaxVideoFramePixels};
  return encode(make_video_patches(frames, rule, *state_->config.vision), true, stop);
}

const ModelConfig& Engine::config() const {
  return state_->config;
}
const Tokenizer* Engine::tokenizer() const {
  return state_->tokenizer ? &*state_->tokenizer : nullptr;
}
std::string Engine::device_description() const {
  return state_->device_description;
}
std::size_t Engine::mapped_bytes() const {
  return state_->weights.mapped_bytes();
}

MediaMarkers Engine::media_markers() const {
  if (!state_->tokenizer) throw Error("this checkpoint has no tokenizer.json, so no markers around pictures");
  const auto id_of = [&](const char* spelling) {
    const std::optional<std::int32_t> id = state_->tokenizer->special_id(spelling);
    if (!id) throw Error(message("tokenizer.json has no special token ", spelling));
    return *id;
  };
  return {state_->config.image_token_id, state_->config.video_token_id, id_of("]<]start of image[>["),
          id_of("]<]end of image[>[")};
}

std::vector<std::int32_t> Engine::masked_ids() const {
  const Tokenizer* tokenizer = this->tokenizer();
  std::vector<std::int32_t> ids;
  for (std::int32_t id = 0; id < state_->config.text.vocab_size; ++id) {
    const bool is_placeholder = id == state_->config.image_token_id || id == state_->config.video_token_id;
    if (is_placeholder || (tokenizer != nullptr && !is_writable(*tokenizer, id))) ids.push_back(id);
  }
  return ids;
}

}  // namespace inference
