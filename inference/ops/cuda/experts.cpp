#include "inference/ops/cuda/experts.h"

#include <vector>

#include "inference/ops/cuda/checks.h"

namespace inference::ops::cuda {
namespace {

bool are_alike(const Ffn& a, const Ffn& b) {
  return a.gate.dtype == b.gate.dtype && a.down.dtype == b.down.dtype && a.gate.rows == b.gate.rows;
}

}  // namespace

bool Experts::takes_shared(Tensor x, std::span<const Ffn> experts, const Ffn& shared) {
  return x.rows <= kMaxVectorRows && are_alike(shared, experts[0]);
}

Tensor Experts::inner_of(Tensor x, std::int64_t n_pairs, std::span<const Ffn> experts, Scratch& memory) {
  const std::int64_t ffn_dim = experts[0].gate.rows;
  const auto n_bytes = static_cast<std::size_t>(n_pairs * ffn_dim) * element_bytes(x.dtype);
  return {memory.of<std::byte>(n_bytes), n_pairs, ffn_dim, x.dtype};
}

void Experts::start_shared(Tensor x, std::int64_t top_k, std::span<const Ffn> experts, const Ffn& shared,
                           const Activation& activation, Scratch& inner_memory) {
  if (!takes_shared(x, experts, shared)) return;
  const Tensor inner = inner_of(x, x.rows * (top_k + 1), experts, inner_memory);
  const Pairs tables = tables_of(experts, &shared);
  const auto n_choices = static_cast<int>(top_k);
  branch_.start();
  expert_gate_up(branch_.stream(), inner, x,
                 {.gate_up = tables.gate_up,
                  .top_k = n_choices,
                  .n_pairs = n_choices + 1,
                  .n_experts = static_cast<int>(experts.size()),
                  .gate_up_type = experts[0].gate.dtype,
                  .activation = activation},
                 {n_choices, 1});
  shared_is_under_way_ = true;
}

void Experts::mix(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
                  const Ffn* shared, const Activation& activation, Scratch& inner_memory) {
  INFERENCE_CHECK(expert_ids.rows == x.rows && expert_weights.rows == x.rows &&
                      expert_weights.cols == expert_ids.cols && !experts.empty(),
                  "mix_experts: ", expert_ids.rows, " choices for ", x.rows, " tokens");
  for (const Ffn& ffn : experts) {
    check_ffn(out, x, ffn);
    INFERENCE_CHECK(are_alike(ffn, experts[0]), "mix_experts: experts of different types or widths");
  }
  std::int64_t n_pairs = expert_ids.rows * expert_ids.cols;
  if (shared != nullptr && takes_shared(x, experts, *shared)) n_pairs += x.rows;
  const Tensor inner = inner_of(x, n_pairs, experts, inner_memory);
  if (x.rows <= kMaxVectorRows) {
    mix_few(out, x, expert_ids, expert_weights, experts, shared, activation, inner);
  } else {
    mix_many(out, x, expert_ids, expert_weights, experts, shared, activation, inner);
  }
}

Experts::Pairs Experts::tables_of(std::span<const Ffn> experts, const Ffn* shared) {
  std::vector<WeightPair> gate_up, down;
  const auto append = [&](const Ffn& ffn) {
    gate_up.push_back(pair_of(ffn));
    down.push_back({ffn.down.data, ffn.down.scales});
  };
  for (const Ffn& ffn : experts) append(ffn);
  if (shared != nullptr) append(*shared);
  Tables& tables = tables_.try_emplace(experts.data(), stream_).first->second;
  return {tables.gate_up.of(gate_up), tables.down.of(down)};
}

void Experts::mix_few(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
                      const Ffn* shared, const Activation& activation, Tensor inner) {
  const Pairs tables = tables_of(experts, shared);
  const ExpertVectors vectors = {.gate_up = tables.gate_up,
                                 .down = tables.down,
                                 .ids = expert_ids.i32(),
                                 .expert_weights = expert_weights.f32(),
                                 .top_k = static_cast<int>(expert_ids.cols),
                                 .n_pairs = static_cast<int>(inner.rows / x.rows),
                                 .n_experts = static_cast<int>(experts.size()),
                                 .gate_up_type = experts[0].gate.dtype,
                                 .down_type = experts[0].down.dtype,
                                 .activation = activation};
  expert_gate_up(stream_, inner, x, vectors, {0, shared_is_under_way_ ? vectors.top_k : vectors.n_pairs});
  if (shared_is_under_way_) branch_.join();
  shared_is_under_way_ = false;
  const bool is_added = shared != nullptr && !takes_shared(x, experts, *shared);
  expert_down(stream_, out, inner, vectors, is_added);
}

void Experts::mix_many(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
                       const Ffn* shared, const Activation& activation, Tensor inner) {
  const Pairs tables = tables_of(experts, shared);
  const std::int64_t n_pairs = inner.rows, n_experts = static_cast<std::int64_t>(experts.size());
  const DType gate_type = experts[0].gate.dtype, down_type = experts[0].down.dtype;
  const bool on_tensor_cores =
      fits_tensor_cores(x.dtype, gate_type, x.cols) && fits_tensor_cores(x.dtype, down_type, inner.cols);
  const int tile_rows = on_tensor_cores ? kTensorTileRows : kPlainTileRows;
  const std::int64_t max_tiles = n_pairs / tile_rows + n_experts;
  const ExpertOrder order = expert_order(n_pairs, n_experts, max_tiles);
  sort_by_expert(stream_, order, expert_ids, static_cast<int>(n_experts), tile_rows);
  Grouping grouping = {tables.gate_up, order.token_of, order.tiles, order.n_tiles, static_cast<unsigned>(max_tiles)};
  multiply_many_rows(stream_,
                     {.out = inner,
                      .x = x,
                      .weight_type = gate_type,
                      .is_gated = true,
                      .activation = activation,
                      .grouping = grouping},
                     is_hopper_, on_tensor_cores);
  grouping.weights = tables.down;
  grouping.row_of = nullptr;
  const Tensor results = {results_.of<float>(static_cast<std::size_t>(n_pairs * out.cols)), n_pairs, out.cols};
  multiply_many_rows(stream_, {.out = results, .x = inner, .weight_type = down_type, .grouping = grouping}, is_hopper_,
                     on_tensor_cores);
  add_experts(stream_, out, shared != nullptr, results.f32(), order, expert_weights);
}

ExpertOrder Experts::expert_order(std::int64_t n_pairs, std::int64_t n_experts, std::int64_t max_tiles) {
  static_assert(sizeof(RowTile) == 3 * sizeof(std::int32_t));
  auto* memory = order_.of<std::int32_t>(static_cast<std::size_t>(2 * n_pairs + n_experts + 3 * max_tiles + 1));
  ExpertOrder order;
  order.token_of = memory;
  order.sorted_row = order.token_of + n_pairs;
  order.expert_ends = order.sorted_row + n_pairs;
  order.tiles = reinterpret_cast<RowTile*>(order.expert_ends + n_experts);
  order.n_tiles = order.expert_ends + n_experts + 3 * max_tiles;
  return order;
}

}  // namespace inference::ops::cuda
