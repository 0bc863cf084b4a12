#pragma once
// One timeline of tokens and what the model remembers of it.
//
// Threads: a session is used from one thread at a time; the engine must outlive it.
// Errors: after a thrown Error the session keeps the tokens of the chunks that were finished and can go on. prefill and
// decode throw Error when the model's output is not finite, which a damaged checkpoint does (NaN codes among e4m3
// weights count as NaN; nothing scans hundreds of gigabytes for them at load). Stop: noticed within one layer's time;
// prefill then keeps the chunks that were finished, decode changes nothing.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "inference/forward.h"
#include "inference/prompt.h"
#include "inference/sampler.h"

namespace inference {

class Engine;

struct PrefillStats {
  std::int64_t reused = 0;     // tokens of the prompt that were already in the timeline
  std::int64_t prefilled = 0;  // tokens computed now
  bool completed = true;       // false: stopped before the prompt's end
  double seconds = 0;          // computing
};

class Session {
 public:
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  using Progress = std::function<void(std::int64_t done, std::int64_t total)>;  // tokens to compute

  // Brings the timeline to exactly this prompt: what it shares with the present timeline is kept (pictures are compared
  // by content), the rest is dropped and computed. Throws Error when the prompt is empty, longer than max_tokens, has
  // ids outside the vocabulary, or placeholders and media that don't match.
  PrefillStats prefill(const Prompt& prompt, const std::stop_token& stop = {}, const Progress& progress = nullptr);

  // Chooses the next token after the timeline and appends it. Empty when stopped. Needs a completed prefill; throws
  // Error when the timeline is full.
  std::optional<std::int32_t> decode(Sampler& sampler, const std::stop_token& stop = {});

  // Drops all but the first n_tokens. The next call must be prefill.
  void truncate(std::int64_t n_tokens);

  // Everything needed to go on later without prefill, in one file, replaced atomically.
  void save(const std::filesystem::path& path) const;
  // Replaces this timeline by a saved one. Throws Error, this timeline untouched, when the file is torn, damaged,
  // of another model, or longer than max_tokens.
  void restore(const std::filesystem::path& path);

  std::int64_t n_tokens() const;  // in the timeline, the one chosen last included
  std::int64_t max_tokens() const;
  std::span<const std::int32_t> token_ids() const;
  std::size_t cache_bytes() const;

  // Called for each prefilled position with its next-token logits [vocab_size]; slow, for evaluation.
  using LogitsObserver = std::function<void(std::int64_t position, std::span<const float> logits)>;
  void observe_logits(LogitsObserver observer);

  // From now on, keep which blocks the last n_queries positions of each pass chose (0: don't).
  void observe_blocks(std::int64_t n_queries);
  const BlockChoices& block_choices() const;  // of the last pass

 private:
  friend class Engine;
  struct State;
  explicit Session(std::unique_ptr<State> state);
  bool run(const Forward::Chunk& chunk, const std::stop_token& stop);
  std::vector<float> finite_logits(std::int64_t token_idx);
  std::unique_ptr<State> state_;
};

}  // namespace inference
