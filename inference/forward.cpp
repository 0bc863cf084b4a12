#include "inference/forward.h"

#include <algorithm>

namespace inference {

Forward::Forward(ops::Device& device, const TextConfig& config, const Weights& weights, std::int64_t max_chunk,
                 SparseAttention sparse_attention)
    : device_(device),
      config_(config),
      weights_(weights),
      mode_(sparse_attention),
      activations_(device, config, max_chunk),
      repeated_(device.make_repeated()) {}

bool Forward::run(const Chunk& chunk, KvCache& cache, const std::stop_token& stop, BlockChoices* choices) {
  const Activations::Views a = activations_.first(static_cast<std::int64_t>(chunk.token_ids.size()));
  embed(chunk, a);
  if (a.hidden.rows == 1 && choices == nullptr && repeated_ != nullptr) {
    if (stop.stop_requested()) return false;
    const auto page_lists = reinterpret_cast<std::uint64_t>(cache.layer(0).page_table);
    repeated_->run(chunk.first_position, page_lists, [&] { layers(chunk, cache, {}, nullptr); });
    return true;
  }
  return layers(chunk, cache, stop, choices);
}

bool Forward::layers(const Chunk& chunk, KvCache& cache, const std::stop_token& stop, BlockChoices* choices) {
  const Activations::Views a = activations_.first(static_cast<std::int64_t>(chunk.token_ids.size()));
  for (int i = 0; i < config_.n_layers; ++i) {
    if (stop.stop_requested()) return false;
    const Layer layer = {weights_.layers[static_cast<std::size_t>(i)], cache.layer(i), chunk.first_position};
    if (i == 0) {
      device_.rms_norm(a.normed, a.hidden, layer.weights.input_norm, config_.rms_eps);
    } else {
      device_.add_norm(a.normed, a.hidden, a.update, layer.weights.input_norm, config_.rms_eps);
    }
    attention(layer, a);
    device_.add_norm(a.normed, a.hidden, a.update, layer.weights.post_attention_norm, config_.rms_eps);
    feed_forward(layer, a);
    if (choices != nullptr && layer.weights.is_sparse && mode_ == SparseAttention::AsTrained) record(i, a, *choices);
  }
  device_.add(a.hidden, a.update);
  return true;
}

// No scaling of the embeddings, in spite of the Gemma-style norms.
void Forward::embed(const Chunk& chunk, const Activations::Views& a) {
  device_.embed(a.hidden, weights_.embeddings, chunk.token_ids);
  for (const Chunk::Replacement& replacement : chunk.replacements) {
    ops::write_floats(device_, a.hidden.slice(replacement.token_idx, 1), replacement.feature);
  }
}

// a.update = W_o · attention(q, k, v) of a.normed. q and k are normalised per head, then rotated; v is neither.
// MSA: the index branch, on the same normalised input and with the same rotation, chooses blocks for each kv head;
// the main branch attends to nothing else.
void Forward::attention(const Layer& layer, const Activations::Views& a) {
  const AttentionWeights& w = layer.weights.attention;
  const ops::Heads heads = {config_.q_heads, config_.kv_heads, config_.head_dim};
  const bool is_sparse = layer.weights.is_sparse && mode_ == SparseAttention::AsTrained;
  const auto map = [&](Tensor out, const Matrix& weight, Vector norm) {
    return ops::HeadMap{out, weight, {norm, config_.rms_eps}};
  };
  ops::HeadMaps maps = {map(a.q, w.q, w.q_norm), map(a.k, w.k, w.k_norm), map(a.v, w.v, {}), {}, {}};
  if (is_sparse) {
    maps.index_q = map(a.index_q, w.index_q, w.index_q_norm);
    maps.index_k = map(a.index_k, w.index_k, w.index_k_norm);
  }
  device_.make_heads(maps, a.normed, {config_.rotary_dim, config_.rope_theta}, layer.cache, layer.first_position);
  if (is_sparse) {
    const ops::Selection selection = {config_.block_size, config_.top_k_blocks, config_.init_blocks,
                                      config_.local_blocks};
    device_.select_and_attend(a.attended, a.block_ids, a.q, a.index_q, layer.cache, heads, selection,
                              layer.first_position);
  } else {
    device_.attend(a.attended, a.q, layer.cache, heads, layer.first_position);
  }
  device_.linear(a.update, a.attended, w.o);
}

// a.update = the dense network, or Σ w_e · expert_e + shared expert, of a.normed.
void Forward::feed_forward(const Layer& layer, const Activations::Views& a) {
  const LayerWeights& w = layer.weights;
  const ops::Activation activation = {config_.swiglu_alpha, config_.swiglu_limit};
  if (!w.is_moe) {
    device_.feed_forward(a.update, a.normed, w.ffn, activation);
    return;
  }
  // The routed scaling sits in the experts' weights; the shared expert has none.
  const ops::Router router = {w.router, w.router_bias, config_.routed_scaling};
  const ops::Ffn* shared = config_.shared_dim > 0 ? &w.ffn : nullptr;
  device_.route_and_mix(a.update, a.expert_ids, a.expert_weights, a.normed, router, w.experts, shared, activation);
}

std::vector<float> Forward::logits(std::int64_t token_idx) {
  const Activations::Views a = activations_.first(token_idx + 1);
  const Tensor normed = a.normed.slice(token_idx, 1);
  device_.rms_norm(normed, a.hidden.slice(token_idx, 1), weights_.final_norm, config_.rms_eps);
  device_.linear(activations_.logits(), normed, weights_.lm_head);
  return ops::read_floats(device_, activations_.logits());
}

void Forward::record(int layer_idx, const Activations::Views& a, BlockChoices& choices) {
  const std::int64_t n_queries = std::min(choices.n_queries, a.block_ids.rows);
  const Tensor last = a.block_ids.slice(a.block_ids.rows - n_queries, n_queries);
  BlockChoices::Layer layer = {layer_idx, std::vector<std::int32_t>(static_cast<std::size_t>(last.rows * last.cols))};
  device_.download(layer.block_ids.data(), last.data, layer.block_ids.size() * sizeof(std::int32_t));
  choices.layers.push_back(std::move(layer));
}

}  // namespace inference
