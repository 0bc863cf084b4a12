#pragma once
// A MiniMax-M3 checkpoint in this process. The session's cache grows with the transcript: each reply prefills only what
// is new.

#include <filesystem>
#include <memory>

#include "agent/model.h"
#include "agent/model_watch.h"

namespace agent {

struct EngineModelOptions {
  std::filesystem::path model_dir;  // checkpoint folder with tokenizer.json and chat_template.jinja
  std::int64_t context_tokens = 0;  // room of the session, 0: what the model can, at most 128K
  std::int64_t max_reply_tokens = 4096;
  int n_threads = 0;  // 0: one per core
  ModelWatch watch = {};
};

// Loads the checkpoint; throws Error (or the engine's own) saying which file is missing or wrong. Reads, beside the
// files that every checkpoint has, `deskhand.json`: {"coordinates": "pixels" | "norm1000" | "norm999", "short_calls":
// bool, "screen": [width, height], "thinking": "enabled" | "disabled" | "adaptive"}; without it a model gets pixels,
// any screen and adaptive thinking.
std::unique_ptr<Model> load_engine_model(const EngineModelOptions& options);

}  // namespace agent
