#include "inference/sampler.h"

#include <algorithm>
#include <cmath>

#include "inference/check.h"

namespace inference {

Sampler::Sampler(const SamplingOptions& options, std::vector<std::int32_t> masked_ids)
    : options_(options), masked_ids_(std::move(masked_ids)), state_(options.seed) {
  const auto require = [](bool good, const char* name, auto value, const char* expected) {
    if (!good) throw Error(message("sampling: ", name, " is ", value, ", expected ", expected));
  };
  require(options.temperature >= 0 && std::isfinite(options.temperature), "temperature", options.temperature,
          "0 or more");
  require(options.top_k >= 0, "top_k", options.top_k, "0 or more");
  require(options.top_p > 0 && options.top_p <= 1, "top_p", options.top_p, "more than 0, at most 1");
  require(options.min_p >= 0 && options.min_p <= 1, "min_p", options.min_p, "0 to 1");
  std::sort(masked_ids_.begin(), masked_ids_.end());
}

bool Sampler::is_masked(std::int32_t id) const {
  return std::binary_search(masked_ids_.begin(), masked_ids_.end(), id);
}

// SplitMix64 (Steele, Lea, Flood 2014): tiny, and the same everywhere, unlike the distributions of <random>.
double Sampler::uniform() {
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

std::int32_t Sampler::greedy(std::span<const float> logits) const {
  std::int32_t best = -1;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    if ((best < 0 || logits[i] > logits[static_cast<std::size_t>(best)]) && !is_masked(id)) best = id;
  }
  INFERENCE_CHECK(best >= 0, "all ", logits.size(), " tokens are masked");
  return best;
}

std::int32_t Sampler::sample(std::span<const float> logits) {
  if (options_.temperature == 0) return greedy(logits);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    if (!is_masked(id)) candidates.push_back({id, logits[i] / options_.temperature});
  }
  INFERENCE_CHECK(!candidates.empty(), "all ", logits.size(), " tokens are masked");
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  };
  if (options_.top_k > 0 && static_cast<std::size_t>(options_.top_k) < candidates.size()) {
    std::nth_element(candidates.begin(), candidates.begin() + options_.top_k, candidates.end(), better);
    candidates.resize(static_cast<std::size_t>(options_.top_k));
  }
  std::sort(candidates.begin(), candidates.end(), better);
  std::vector<double> weights;  // relative to the best, so the best weighs 1
  double total = 0;
  for (const Candidate& candidate : candidates) {
    weights.push_back(std::exp(static_cast<double>(candidate.logit) - candidates.front().logit));
    total += weights.back();
  }
  double kept = 0;
  std::size_t n_kept = 0;
  while (n_kept < weights.size() && (n_kept == 0 || kept < options_.top_p * total)) {
    if (n_kept > 0 && weights[n_kept] < options_.min_p) break;
    kept += weights[n_kept++];
  }
  double left = uniform() * kept;
  for (std::size_t i = 0; i + 1 < n_kept; ++i) {
    left -= weights[i];
    if (left < 0) return candidates[i].id;
  }
  return candidates[n_kept - 1].id;
}

}  // namespace inference
