#include "inference/ops/cpu/moe.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "inference/ops/cpu/norms.h"

namespace inference::ops {

void choose_experts(Tensor expert_ids, Tensor expert_weights, const float* logits, std::int64_t n_experts, Vector bias,
                    float scaling) {
  const std::int64_t top_k = expert_ids.cols;
  std::vector<float> score(static_cast<std::size_t>(n_experts)), choice(score.size());
  std::vector<std::int32_t> order(score.size());
  for (std::int64_t token = 0; token < expert_ids.rows; ++token) {
    for (std::size_t e = 0; e < score.size(); ++e) {
      score[e] = 1.0F / (1.0F + std::exp(-logits[static_cast<std::size_t>(token * n_experts) + e]));
      choice[e] = score[e] + (bias.data != nullptr ? bias.data[e] : 0.0F);
    }
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + top_k, order.end(), [&](std::int32_t a, std::int32_t b) {
      const float x = choice[static_cast<std::size_t>(a)], y = choice[static_cast<std::size_t>(b)];
      return x > y || (x == y && a < b);
    });
    float total = 0;
    for (std::int64_t i = 0; i < top_k; ++i)
      total += score[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
    for (std::int64_t i = 0; i < top_k; ++i) {
      const std::int32_t expert = order[static_cast<std::size_t>(i)];
      expert_ids.i32()[token * top_k + i] = expert;
      expert_weights.f32()[token * top_k + i] = score[static_cast<std::size_t>(expert)] / total * scaling;
    }
  }
}

void FfnRunner::run(float* out, Tensor x, const Ffn& ffn, const Activation& activation) {
  x_.pack(pool_, x.f32(), x.rows, x.cols, ffn.gate.dtype);
  const Part part{&ffn, 0, x.rows};
  run_parts(out, {&part, 1}, activation);
}

void FfnRunner::mix(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
                    const Ffn* shared, const Activation& activation) {
  if (shared != nullptr) run(out.f32(), x, *shared, activation);
  // Assignments (token, choice) sorted by expert, then token: the order in which a token adds up its experts is then
  // the same for one token and for many.
  const std::int64_t top_k = expert_ids.cols;
  const std::int64_t n_rows = x.rows * top_k;
  std::vector<std::int32_t> assignments(static_cast<std::size_t>(n_rows)), tokens(assignments.size());
  std::iota(assignments.begin(), assignments.end(), 0);
  const auto expert_of = [&](std::int32_t assignment) { return expert_ids.i32()[assignment]; };
  std::stable_sort(assignments.begin(), assignments.end(),
                   [&](std::int32_t a, std::int32_t b) { return expert_of(a) < expert_of(b); });
  std::vector<Part> parts;
  for (std::size_t row = 0; row < assignments.size(); ++row) {
    tokens[row] = static_cast<std::int32_t>(assignments[row] / top_k);
    const std::int32_t expert = expert_of(assignments[row]);
    INFERENCE_CHECK(expert >= 0 && expert < static_cast<std::int32_t>(experts.size()), "no expert ", expert);
    const Ffn* ffn = &experts[static_cast<std::size_t>(expert)];
    if (parts.empty() || parts.back().ffn != ffn) parts.push_back({ffn, static_cast<std::int64_t>(row), 0});
    ++parts.back().n_rows;
  }
  x_.pack(pool_, x.f32(), n_rows, x.cols, experts[0].gate.dtype, tokens);
  out_.resize(static_cast<std::size_t>(n_rows * out.cols));
  run_parts(out_.data(), parts, activation);

  std::vector<std::int32_t> rows_of(assignments.size());  // [n_tokens, top_k], ascending: a token's rows of out_
  std::vector<std::int32_t> n_found(static_cast<std::size_t>(x.rows), 0);
  for (std::size_t row = 0; row < assignments.size(); ++row) {
    const auto token = static_cast<std::size_t>(tokens[row]);
    rows_of[token * static_cast<std::size_t>(top_k) + static_cast<std::size_t>(n_found[token]++)] =
        static_cast<std::int32_t>(row);
  }
  for_each_row(pool_, x.rows, top_k * out.cols, [&](std::int64_t token) {
    float* to = out.f32() + token * out.cols;
    if (shared == nullptr) std::fill(to, to + out.cols, 0.0F);
    for (std::int64_t i = 0; i < top_k; ++i) {
      const std::int32_t row = rows_of[static_cast<std::size_t>(token * top_k + i)];
      scale_add_row(to, out_.data() + row * out.cols, expert_weights.f32()[assignments[static_cast<std::size_t>(row)]],
                    out.cols);
    }
  });
}

// out [n_rows, hidden_dim]: all parts' rows of x_ through their networks, in two parallel regions.
void FfnRunner::run_parts(float* out, std::span<const Part> parts, const Activation& activation) {
  const std::int64_t ffn_dim = parts[0].ffn->gate.rows, hidden_dim = parts[0].ffn->down.rows;
  const std::int64_t n_rows = parts.back().first_row + parts.back().n_rows;
  inner_.resize(static_cast<std::size_t>(n_rows * ffn_dim));
  std::vector<Product> products;
  for (const Part& part : parts) {
    products.push_back({.out = inner_.data() + part.first_row * ffn_dim,
                        .x = x_.row(part.first_row),
                        .x_stride = x_.stride(),
                        .n_rows = part.n_rows,
                        .w = part.ffn->gate,
                        .up = &part.ffn->up,
                        .activation = activation});
  }
  multiply(pool_, products);
  packed_inner_.pack(pool_, inner_.data(), n_rows, ffn_dim, parts[0].ffn->down.dtype);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    products[i] = {.out = out + parts[i].first_row * hidden_dim,
                   .x = packed_inner_.row(parts[i].first_row),
                   .x_stride = packed_inner_.stride(),
                   .n_rows = parts[i].n_rows,
                   .w = parts[i].ffn->down};
  }
  multiply(pool_, products);
}

}  // namespace inference::ops
