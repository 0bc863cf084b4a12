#pragma once
// What a model in this process is doing, what it holds in mind and what it looked at, for whoever watches it.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/transcript.h"

namespace agent {

struct ModelStatus {
  enum class Phase { Loading, Reading, Writing, Resting };
  Phase phase = Phase::Loading;
  std::string what = {};                         // while loading: which part
  std::int64_t done_bytes = 0, total_bytes = 0;  // of the weights, while they are read
  double bytes_per_s = 0;                        // 0: not yet known
  std::string device = {};                       // where it runs
  std::int64_t weight_bytes = 0, cache_bytes = 0;
  std::int64_t context_tokens = 0, max_context_tokens = 0;   // in mind, and the room for them
  std::int64_t done_tokens = 0, total_tokens = 0;            // reading: of what is new in the prompt
  double prefill_tokens_per_s = 0, decode_tokens_per_s = 0;  // of this reply; 0: not yet known
  int n_pictures = 0;
  std::int64_t picture_tokens = 0;
};

// A message as it lies in the model's timeline.
struct PromptPart {
  std::int64_t first_token = 0, n_tokens = 0;
  std::string beginning;  // of its text
  Picture picture = {};   // its newest one; null: none
  std::int64_t picture_first_token = 0;
  int picture_columns = 0, picture_rows = 0;  // its tokens, row by row
};

// Which blocks the newest token chose in each layer of sparse attention.
struct BlockWeights {
  int block_size = 0;  // tokens
  struct Layer {
    int layer_idx = 0;
    std::vector<float> weights;  // [n_blocks] share of the key heads that chose it, 0 … 1
  };
  std::vector<Layer> layers;
  std::vector<PromptPart> parts;
};

// Called from the thread that uses the model; must return at once.
struct ModelWatch {
  std::function<void(const ModelStatus&)> status = {};
  std::function<void(const BlockWeights&)> blocks = {};  // after each reply
};

}  // namespace agent
