#pragma once
// What an engine owns. Private to engine.cpp, session.cpp and session_file.cpp.

#include <deque>
#include <memory>
#include <optional>

#include "inference/engine.h"
#include "inference/weights.h"

namespace inference {

struct Engine::State {
  std::unique_ptr<ops::Device> device;  // first: everything else lives in its memory
  std::string device_description;
  ModelConfig config;
  Weights weights;
  std::optional<Tokenizer> tokenizer;
  Hash128 fingerprint;
  std::int64_t prefill_chunk = 0;
  DType cache_dtype = DType::BF16;
  SparseAttention sparse_attention = SparseAttention::AsTrained;

  std::deque<std::shared_ptr<const VisionTokens>> recent_media;  // newest first
};

struct Session::State {
  State(const Engine::State& engine_state, std::int64_t n_max_tokens)
      : engine(&engine_state),
        max_tokens(n_max_tokens),
        cache(*engine_state.device, engine_state.config.text, engine_state.cache_dtype),
        forward(std::make_unique<Forward>(*engine_state.device, engine_state.config.text, engine_state.weights,
                                          std::min(engine_state.prefill_chunk, n_max_tokens),
                                          engine_state.sparse_attention)) {}

  const Engine::State* engine;
  std::int64_t max_tokens;
  KvCache cache;
  std::unique_ptr<Forward> forward;

  std::vector<std::int32_t> tokens;
  // What each position really is: a token id, or a row of some picture. Equal identities, equal cache contents.
  std::vector<std::uint64_t> identities;  // [tokens]
  std::int64_t n_cached = 0;              // positions in the cache; the token chosen last may not be there yet
  std::vector<float> logits;              // [vocab_size] after the last token; empty when not known

  LogitsObserver logits_observer;
  std::int64_t n_observed_queries = 0;
  BlockChoices choices;
};

}  // namespace inference
