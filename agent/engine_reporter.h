#pragma once
// Turns what the engine does into reports for a ModelWatch: not more than ten a second.

#include <chrono>

#include "agent/model_watch.h"
#include "inference/engine.h"
#include "inference/session.h"

namespace agent {

class EngineReporter {
 public:
  explicit EngineReporter(ModelWatch watch) : watch_(std::move(watch)) {}

  void loading(const inference::LoadProgress& progress);
  void loaded(const inference::Engine& engine, inference::Session& session);
  void reading(const inference::Prompt& prompt);
  void read(const inference::Session& session, std::int64_t done_tokens, std::int64_t total_tokens);
  void has_read(const inference::PrefillStats& stats);
  void wrote(const inference::Session& session, std::int64_t reply_tokens);
  // `pictures`: those of the prompt, in order.
  void rests(const inference::Session& session, const inference::Prompt& prompt, const std::vector<Picture>& pictures);

 private:
  void tell(bool is_urgent);
  void look_at(const inference::Session& session);
  std::vector<PromptPart> parts_of(const inference::Prompt& prompt, const std::vector<Picture>& pictures) const;

  ModelWatch watch_;
  ModelStatus status_;
  const inference::Engine* engine_ = nullptr;
  std::chrono::steady_clock::time_point last_told_{}, writing_since_{}, loading_since_{};
};

}  // namespace agent
