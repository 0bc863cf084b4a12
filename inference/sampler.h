#pragma once
// From logits to the next token.

#include <cstdint>
#include <span>
#include <vector>

namespace inference {

struct SamplingOptions {
  float temperature = 1;   // 0: greedy, the most likely token (ties to the lower id)
  int top_k = 0;           // keep the k most likely tokens, 0: all
  float top_p = 1;         // then the fewest whose probabilities reach this sum
  float min_p = 0;         // then those at least this fraction as likely as the best
  std::uint64_t seed = 0;  // same seed, same logits, same tokens, on every machine
};

class Sampler {
 public:
  // Throws Error for options out of range. The masked ids are never returned.
  Sampler(const SamplingOptions& options, std::vector<std::int32_t> masked_ids);

  std::int32_t sample(std::span<const float> logits);

 private:
  struct Candidate {
    std::int32_t id;
    float logit;
  };
  std::int32_t greedy(std::span<const float> logits) const;
  bool is_masked(std::int32_t id) const;
  double uniform();  // in [0, 1)

  SamplingOptions options_;
  std::vector<std::int32_t> masked_ids_;  // sorted
  std::uint64_t state_;
};

}  // namespace inference
