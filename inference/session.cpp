#include "inference/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "inference/engine_state.h"

namespace inference {
namespace {

// Ids are below 2^31, so identities of pictures never equal those of text.
constexpr std::uint64_t kMediaBit = std::uint64_t{1} << 63;

// Where a placeholder's features are.
struct MediaRow {
  const VisionTokens* media;
  std::int64_t row;
};

bool is_placeholder(const ModelConfig& config, std::int32_t id) {
  return id >= 0 && (id == config.image_token_id || id == config.video_token_id);
}

// For each position: the feature row that replaces its embedding, or none. Checks ids and counts.
std::vector<MediaRow> place_media(const Prompt& prompt, const ModelConfig& config) {
  std::vector<MediaRow> rows(prompt.token_ids.size(), MediaRow{nullptr, 0});
  std::size_t media_idx = 0;
  std::int64_t row = 0;
  for (std::size_t i = 0; i < prompt.token_ids.size(); ++i) {
    const std::int32_t id = prompt.token_ids[i];
    if (id < 0 || id >= config.text.vocab_size) {
      throw Error(
          message("token ", i, " of the prompt is ", id, ", the vocabulary has ids 0 to ", config.text.vocab_size - 1));
    }
    if (!is_placeholder(config, id)) continue;
    while (media_idx < prompt.media.size() && row == prompt.media[media_idx]->n_tokens) {
      ++media_idx;
      row = 0;
    }
    if (media_idx == prompt.media.size()) {
      throw Error(message("the prompt has more placeholders than its ", prompt.media.size(),
                          " pictures and clips have tokens (first at token ", i, ")"));
    }
    const VisionTokens& media = *prompt.media[media_idx];
    if (media.is_video != (id == config.video_token_id)) {
      throw Error(message("token ", i, " of the prompt is a placeholder of the wrong kind for picture or clip ",
                          media_idx + 1));
    }
    rows[i] = {&media, row++};
  }
  std::int64_t missing = media_idx < prompt.media.size() ? -row : 0;
  for (std::size_t i = media_idx; i < prompt.media.size(); ++i) missing += prompt.media[i]->n_tokens;
  if (missing != 0) throw Error(message("the prompt lacks ", missing, " placeholders for its pictures and clips"));
  return rows;
}

std::vector<std::uint64_t> identities_of(const Prompt& prompt, const std::vector<MediaRow>& rows) {
  std::vector<std::uint64_t> identities(prompt.token_ids.size());
  for (std::size_t i = 0; i < identities.size(); ++i) {
    if (rows[i].media == nullptr) {
      identities[i] = static_cast<std::uint64_t>(prompt.token_ids[i]);
      continue;
    }
    const std::uint64_t key[] = {rows[i].media->content_hash.low, rows[i].media->content_hash.high,
                                 static_cast<std::uint64_t>(rows[i].row)};
    identities[i] = kMediaBit | hash_bytes(std::as_bytes(std::span(key))).low;
  }
  return identities;
}

}  // namespace

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

PrefillStats Session::prefill(const Prompt& prompt, const std::stop_token& stop, const Progress& progress) {
  State& s = *state_;
  const ModelConfig& config = s.engine->config;
  const auto n_prompt = static_cast<std::int64_t>(prompt.token_ids.size());
  if (n_prompt == 0) throw Error("the prompt is empty");
  if (n_prompt > s.max_tokens) {
    throw Error(message("the prompt has ", n_prompt, " tokens, the session holds ", s.max_tokens));
  }
  const std::vector<MediaRow> media_rows = place_media(prompt, config);
  std::vector<std::uint64_t> identities = identities_of(prompt, media_rows);

  const auto start = std::chrono::steady_clock::now();
  const auto common = std::mismatch(identities.begin(), identities.end(), s.identities.begin(), s.identities.end());
  std::int64_t n_reused = std::min<std::int64_t>(common.first - identities.begin(), s.n_cached);
  const bool is_unchanged = n_reused == n_prompt && n_reused == n_tokens() && !s.logits.empty();
  if (is_unchanged) return {.reused = n_prompt};
  n_reused = std::min(n_reused, n_prompt - 1);  // the last token is computed for its logits
  truncate(n_reused);

  PrefillStats stats = {.reused = n_reused};
  s.cache.reserve(n_prompt);
  while (s.n_cached < n_prompt) {
    const std::int64_t first = s.n_cached;
    const std::int64_t n = std::min(s.forward->max_chunk(), n_prompt - first);
    Forward::Chunk chunk = {
        std::span(prompt.token_ids).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n)), first, {}};
    for (std::int64_t i = 0; i < n; ++i) {
      const MediaRow& row = media_rows[static_cast<std::size_t>(first + i)];
      if (row.media == nullptr) continue;
      const auto hidden = static_cast<std::size_t>(config.text.hidden_dim);
      chunk.replacements.push_back(
          {i, std::span(row.media->features).subspan(static_cast<std::size_t>(row.row) * hidden, hidden)});
    }
    if (!run(chunk, stop)) {
      stats.completed = false;
      break;
    }
    s.tokens.insert(s.tokens.end(), chunk.token_ids.begin(), chunk.token_ids.end());
    s.identities.insert(s.identities.end(), identities.begin() + first, identities.begin() + first + n);
    s.n_cached += n;
    stats.prefilled += n;
    for (std::int64_t i = 0; s.logits_observer && i < n; ++i) s.logits_observer(first + i, s.forward->logits(i));
    if (s.n_cached == n_prompt) s.logits = finite_logits(n - 1);
    if (progress) progress(stats.prefilled, n_prompt - n_reused);
  }
  stats.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return stats;
}

bool Session::run(const Forward::Chunk& chunk, const std::stop_token& stop) {
  State& s = *state_;
  const TextConfig& text = s.engine->config.text;
  const auto n_tokens = static_cast<std::int64_t>(chunk.token_ids.size());
  const std::int64_t n_queries = std::min(s.n_observed_queries, n_tokens);
  if (n_queries == 0) return s.forward->run(chunk, s.cache, stop);
  s.choices = {
      chunk.first_position + n_tokens - n_queries, n_queries, text.kv_heads, text.top_k_blocks, text.block_size, {}};
  return s.forward->run(chunk, s.cache, stop, &s.choices);
}

// Weights are too many to be scanned when they are mapped, so what is damaged in them shows here: a NaN among them
// makes NaN of everything that passes it.
std::vector<float> Session::finite_logits(std::int64_t token_idx) {
  std::vector<float> logits = state_->forward->logits(token_idx);
  const auto is_finite = [](float logit) { return std::isfinite(logit); };
  if (std::all_of(logits.begin(), logits.end(), is_finite)) return logits;
  throw Error(message("the model produced NaN or infinity after token ", state_->n_cached,
                      ": its checkpoint is probably damaged; compare its files with their checksums"));
}

std::optional<std::int32_t> Session::decode(Sampler& sampler, const std::stop_token& stop) {
  State& s = *state_;
  if (s.logits.empty()) {
    // The token chosen last is still to be computed.
    if (s.tokens.empty() || s.n_cached + 1 != n_tokens()) throw Error("decode needs a completed prefill before it");
    s.cache.reserve(n_tokens());
    if (!run({std::span(s.tokens).last(1), s.n_cached, {}}, stop)) return std::nullopt;
    s.n_cached += 1;
    s.logits = finite_logits(0);
  }
  if (stop.stop_requested()) return std::nullopt;
  if (n_tokens() == s.max_tokens) {
    throw Error(message("the session is full: it holds ", s.max_tokens, " tokens"));
  }
  const std::int32_t id = sampler.sample(s.logits);
  s.tokens.push_back(id);
  s.identities.push_back(static_cast<std::uint64_t>(id));
  s.logits.clear();
  return id;
}

void Session::truncate(std::int64_t n) {
  State& s = *state_;
  INFERENCE_CHECK(n >= 0 && n <= n_tokens(), "truncate to ", n, " of ", n_tokens());
  if (n == n_tokens()) return;
  s.tokens.resize(static_cast<std::size_t>(n));
  s.identities.resize(static_cast<std::size_t>(n));
  // Also when only the token chosen last goes: decode must not go on without a prefill.
  s.n_cached = std::min(s.n_cached, n);
  s.logits.clear();
}

std::int64_t Session::n_tokens() const {
  return static_cast<std::int64_t>(state_->tokens.size());
}
std::int64_t Session::max_tokens() const {
  return state_->max_tokens;
}
std::span<const std::int32_t> Session::token_ids() const {
  return state_->tokens;
}
std::size_t Session::cache_bytes() const {
  return state_->cache.n_bytes();
}
void Session::observe_logits(LogitsObserver observer) {
  state_->logits_observer = std::move(observer);
}
void Session::observe_blocks(std::int64_t n_queries) {
  state_->n_observed_queries = n_queries;
}
const BlockChoices& Session::block_choices() const {
  return state_->choices;
}

}  // namespace inference
