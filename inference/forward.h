#pragma once
// The one forward pass of MiniMax-M3: embeddings → layers → logits. It only calls operations of ops.h, so it is the
// same on every device.

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "inference/activations.h"
#include "inference/kv_cache.h"
#include "inference/weights.h"

namespace inference {

// How the sparse layers attend. Dense is another model: for measuring what MSA saves, never a fallback.
enum class SparseAttention { AsTrained, ForcedDense };

// Which blocks the last queries of a pass chose, for showing what the model looked at.
struct BlockChoices {
  std::int64_t first_position = 0;  // of the first query
  std::int64_t n_queries = 0;
  int kv_heads = 0, top_k_blocks = 0, block_size = 0;
  struct Layer {
    int layer_idx = 0;
    std::vector<std::int32_t> block_ids;  // [n_queries, kv_heads, top_k_blocks], ascending, then -1
  };
  std::vector<Layer> layers;  // sparse layers only
};

class Forward {
 public:
  // Keeps references: device, config and weights must outlive it.
  Forward(ops::Device& device, const TextConfig& config, const Weights& weights, std::int64_t max_chunk,
          SparseAttention sparse_attention);

  struct Chunk {
    std::span<const std::int32_t> token_ids;  // [n_tokens], at most max_chunk
    std::int64_t first_position = 0;
    // Rows that replace the embeddings of placeholder tokens.
    struct Replacement {
      std::int64_t token_idx = 0;      // within the chunk
      std::span<const float> feature;  // [hidden_dim]
    };
    std::vector<Replacement> replacements;
  };

  // Runs a chunk through all layers and extends the cache by it; the cache must have room. False when `stop` was
  // requested (noticed between layers): the cache then holds nothing new that counts. With `choices`, records what the
  // last choices->n_queries queries chose.
  bool run(const Chunk& chunk, KvCache& cache, const std::stop_token& stop, BlockChoices* choices = nullptr);

  // The next-token logits [vocab_size] after token_idx of the last chunk.
  std::vector<float> logits(std::int64_t token_idx);

  std::int64_t max_chunk() const { return activations_.max_tokens(); }

 private:
  struct Layer {
    const LayerWeights& weights;
    ops::KvLayer cache;
    std::int64_t first_position;
  };
  void embed(const Chunk& chunk, const Activations::Views& a);
  bool layers(const Chunk& chunk, KvCache& cache, const std::stop_token& stop, BlockChoices* choices);
  void attention(const Layer& layer, const Activations::Views& a);
  void feed_forward(const Layer& layer, const Activations::Views& a);
  void record(int layer_idx, const Activations::Views& a, BlockChoices& choices);

  ops::Device& device_;
  const TextConfig& config_;
  const Weights& weights_;
  SparseAttention mode_;
  Activations activations_;
  std::unique_ptr<ops::Repeated> repeated_;  // the layers of one token
};

}  // namespace inference
