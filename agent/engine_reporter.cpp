#include "agent/engine_reporter.h"

#include <algorithm>

namespace agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr std::size_t kBeginningTokens = 24;
constexpr int kPicturePatch_px = 28;  // a token of a picture

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

}  // namespace

void EngineReporter::tell(bool is_urgent) {
  if (!watch_.status || (!is_urgent && Clock::now() - last_told_ < kInterval)) return;
  last_told_ = Clock::now();
  watch_.status(status_);
}

void EngineReporter::look_at(const inference::Session& session) {
  status_.context_tokens = session.n_tokens();
  status_.max_context_tokens = session.max_tokens();
  status_.cache_bytes = static_cast<std::int64_t>(session.cache_bytes());
}

void EngineReporter::loading(const inference::LoadProgress& progress) {
  const bool is_new = status_.what != progress.what;
  if (is_new) loading_since_ = Clock::now();
  status_.phase = ModelStatus::Phase::Loading;
  status_.what = progress.what;
  status_.done_bytes = progress.done_bytes;
  status_.total_bytes = progress.total_bytes;
  const double seconds = seconds_since(loading_since_);
  status_.bytes_per_s = seconds > 0.2 ? static_cast<double>(progress.done_bytes) / seconds : 0;
  tell(is_new);
}

void EngineReporter::loaded(const inference::Engine& engine, inference::Session& session) {
  engine_ = &engine;
  status_.phase = ModelStatus::Phase::Resting;
  status_.device = engine.device_description();
  status_.weight_bytes = static_cast<std::int64_t>(engine.mapped_bytes());
  if (watch_.blocks) session.observe_blocks(1);
  look_at(session);
  tell(true);
}

void EngineReporter::reading(const inference::Prompt& prompt) {
  status_.phase = ModelStatus::Phase::Reading;
  status_.done_tokens = status_.total_tokens = 0;
  status_.n_pictures = static_cast<int>(prompt.media.size());
  status_.picture_tokens = 0;
  for (const auto& media : prompt.media) status_.picture_tokens += media->n_tokens;
  tell(true);
}

void EngineReporter::read(const inference::Session& session, std::int64_t done_tokens, std::int64_t total_tokens) {
  status_.done_tokens = done_tokens;
  status_.total_tokens = total_tokens;
  look_at(session);
  tell(false);
}

void EngineReporter::has_read(const inference::PrefillStats& stats) {
  if (stats.seconds > 0) status_.prefill_tokens_per_s = static_cast<double>(stats.prefilled) / stats.seconds;
  status_.phase = ModelStatus::Phase::Writing;
  writing_since_ = Clock::now();
  tell(true);
}

void EngineReporter::wrote(const inference::Session& session, std::int64_t reply_tokens) {
  const double seconds = seconds_since(writing_since_);
  if (seconds > 0) status_.decode_tokens_per_s = static_cast<double>(reply_tokens) / seconds;
  look_at(session);
  tell(false);
}

void EngineReporter::rests(const inference::Session& session, const inference::Prompt& prompt,
                           const std::vector<Picture>& pictures) {
  status_.phase = ModelStatus::Phase::Resting;
  look_at(session);
  tell(true);
  const inference::BlockChoices& choices = session.block_choices();
  if (!watch_.blocks || choices.n_queries == 0 || choices.block_size == 0) return;
  BlockWeights seen;
  seen.block_size = choices.block_size;
  const auto n_blocks = static_cast<std::size_t>((session.n_tokens() + choices.block_size - 1) / choices.block_size);
  for (const inference::BlockChoices::Layer& layer : choices.layers) {
    BlockWeights::Layer weights{layer.layer_idx, std::vector<float>(n_blocks)};
    for (const std::int32_t block : layer.block_ids) {
      if (block >= 0 && static_cast<std::size_t>(block) < n_blocks) {
        weights.weights[static_cast<std::size_t>(block)] +=
            1.0F / static_cast<float>(choices.kv_heads * choices.n_queries);
      }
    }
    seen.layers.push_back(std::move(weights));
  }
  seen.parts = parts_of(prompt, pictures);
  watch_.blocks(seen);
}

// A message begins at each begin-of-turn token.
std::vector<PromptPart> EngineReporter::parts_of(const inference::Prompt& prompt,
                                                 const std::vector<Picture>& pictures) const {
  const inference::Tokenizer& tokenizer = *engine_->tokenizer();
  const std::int32_t begin = tokenizer.special_id("]~b]").value_or(-1);
  const std::int32_t image = engine_->media_markers().image;
  const std::vector<std::int32_t>& ids = prompt.token_ids;
  std::vector<PromptPart> parts;
  std::size_t picture_idx = 0;
  for (std::size_t at = 0; at < ids.size(); ++at) {
    if (ids[at] == begin || parts.empty())
      parts.push_back({.first_token = static_cast<std::int64_t>(at), .beginning = {}});
    PromptPart& part = parts.back();
    ++part.n_tokens;
    if (ids[at] != image || (at > 0 && ids[at - 1] == image) || picture_idx >= pictures.size()) continue;
    const std::int64_t n_tokens = prompt.media[picture_idx]->n_tokens;
    part.picture = pictures[picture_idx++];
    part.picture_first_token = static_cast<std::int64_t>(at);
    const int columns = (part.picture->pixels.cols + kPicturePatch_px / 2) / kPicturePatch_px;
    part.picture_columns = columns > 0 && n_tokens % columns == 0 ? columns : 0;
    part.picture_rows = part.picture_columns > 0 ? static_cast<int>(n_tokens / columns) : 0;
  }
  for (PromptPart& part : parts) {
    std::vector<std::int32_t> words;
    for (auto at = static_cast<std::size_t>(part.first_token);
         at < static_cast<std::size_t>(part.first_token + part.n_tokens) && words.size() < kBeginningTokens; ++at) {
      if (ids[at] != begin && ids[at] != image) words.push_back(ids[at]);
    }
    part.beginning = tokenizer.decode(words, inference::SpecialTokens::Drop);
  }
  return parts;
}

}  // namespace agent
