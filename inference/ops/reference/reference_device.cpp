// The oracle: each operation as its formula says, in plain loops with sums in double. Slow on purpose.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "inference/number_formats.h"
#include "inference/ops/ops.h"

namespace inference::ops {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

float swiglu(float gate, float up, const Activation& activation) {
  const double g = std::min(gate, activation.limit);
  const double u = std::clamp(up, -activation.limit, activation.limit);
  return static_cast<float>((u + 1) * g * sigmoid(activation.alpha * g));
}

// y[out_dim] = w · x[in_dim]
std::vector<float> multiply(const Matrix& w, const float* x) {
  std::vector<float> y(static_cast<std::size_t>(w.rows));
  for (std::int64_t row = 0; row < w.rows; ++row) {
    double sum = 0;
    for (std::int64_t col = 0; col < w.cols; ++col) sum += static_cast<double>(weight_at(w, row, col)) * x[col];
    y[static_cast<std::size_t>(row)] = static_cast<float>(sum);
  }
  return y;
}

std::vector<float> ffn_of(const Ffn& ffn, const float* x, const Activation& activation) {
  std::vector<float> inner = multiply(ffn.gate, x);
  const std::vector<float> up = multiply(ffn.up, x);
  for (std::size_t i = 0; i < inner.size(); ++i) inner[i] = swiglu(inner[i], up[i], activation);
  return multiply(ffn.down, inner.data());
}

// out = x / sqrt(mean(x²) + eps) * (1 + weight), out may be x
void gemma_norm(float* out, const float* x, const Vector& weight, float eps) {
  double squares = 0;
  for (std::int64_t i = 0; i < weight.size; ++i) squares += static_cast<double>(x[i]) * x[i];
  const double scale = 1 / std::sqrt(squares / static_cast<double>(weight.size) + eps);
  for (std::int64_t i = 0; i < weight.size; ++i) out[i] = static_cast<float>(x[i] * scale * (1.0 + weight.data[i]));
}

// Rotates the pair (x[first], x[second]) by the angle.
void rotate(float* x, int first, int second, double angle) {
  const double a = x[first], b = x[second];
  x[first] = static_cast<float>(a * std::cos(angle) - b * std::sin(angle));
  x[second] = static_cast<float>(b * std::cos(angle) + a * std::sin(angle));
}

// Element of a cached key (part 0) or value (part 1).
float cached(const KvLayer& cache, int part, int kv_head, std::int64_t position, int element) {
  const std::int64_t slot =
      (part * cache.kv_heads + kv_head) * std::int64_t{cache.page_size} + position % cache.page_size;
  return load_as_float(cache.pages[static_cast<std::size_t>(position / cache.page_size)], cache.dtype,
                       slot * cache.head_dim + element);
}

// Softmax attention of one query head over the given positions.
void attend_one(float* out, const float* q, const KvLayer& cache, int kv_head,
                const std::vector<std::int64_t>& positions) {
  std::vector<double> weights;
  double largest = kMinusInfinity;
  for (const std::int64_t position : positions) {
    double score = 0;
    for (int i = 0; i < cache.head_dim; ++i)
      score += static_cast<double>(q[i]) * cached(cache, 0, kv_head, position, i);
    weights.push_back(score / std::sqrt(static_cast<double>(cache.head_dim)));
    largest = std::max(largest, weights.back());
  }
  double total = 0;
  for (double& weight : weights) total += weight = std::exp(weight - largest);
  for (int i = 0; i < cache.head_dim; ++i) {
    double sum = 0;
    for (std::size_t p = 0; p < positions.size(); ++p) sum += weights[p] * cached(cache, 1, kv_head, positions[p], i);
    out[i] = static_cast<float>(sum / total);
  }
}

// The best block for one query and kv head that is not taken yet, -1 when none is left.
int best_block(const std::vector<float>& scores, const std::vector<bool>& taken) {
  int best = -1;
  for (int block = 0; block < static_cast<int>(scores.size()); ++block) {
    const auto i = static_cast<std::size_t>(block);
    if (!taken[i] && scores[i] > kMinusInfinity && (best < 0 || scores[i] > scores[static_cast<std::size_t>(best)])) {
      best = block;
    }
  }
  return best;
}

class ReferenceDevice final : public Device {
 public:
  std::string description() const override { return "reference loops"; }
  DType activation_type() const override { return DType::F32; }

  void* allocate(std::size_t n_bytes) override {
    void* memory = std::malloc(std::max<std::size_t>(n_bytes, 1));
    if (memory == nullptr) throw Error(message("out of memory: ", n_bytes, " bytes were asked for"));
    return memory;
  }
  void release(void* memory) override { std::free(memory); }
  void clear(void* memory, std::size_t n_bytes) override { std::memset(memory, 0, n_bytes); }
  void upload(void* to, const void* from_host, std::size_t n_bytes) override { std::memcpy(to, from_host, n_bytes); }
  void download(void* to_host, const void* from, std::size_t n_bytes) override { std::memcpy(to_host, from, n_bytes); }
  const void* resident(const void* host, std::size_t /*n_bytes*/) override { return host; }

  void embed(Tensor out, const Matrix& table, std::span<const std::int32_t> ids) override {
    for (std::int64_t token = 0; token < out.rows; ++token) {
      for (std::int64_t col = 0; col < out.cols; ++col) {
        out.f32()[token * out.cols + col] = weight_at(table, ids[static_cast<std::size_t>(token)], col);
      }
    }
  }

  void rms_norm(Tensor out, Tensor x, Vector weight, float eps) override {
    for (std::int64_t token = 0; token < x.rows; ++token) {
      gemma_norm(out.f32() + token * x.cols, x.f32() + token * x.cols, weight, eps);
    }
  }

  void linear(Tensor out, Tensor x, const Matrix& w, Vector bias) override {
    INFERENCE_CHECK(x.cols == w.cols && out.cols == w.rows && out.rows == x.rows, "linear: shapes differ");
    for (std::int64_t row = 0; row < x.rows; ++row) {
      const std::vector<float> y = multiply(w, x.f32() + row * x.cols);
      for (std::int64_t col = 0; col < out.cols; ++col) {
        out.f32()[row * out.cols + col] =
            y[static_cast<std::size_t>(col)] + (bias.data != nullptr ? bias.data[col] : 0);
      }
    }
  }

  void add(Tensor x, Tensor y) override {
    for (std::int64_t i = 0; i < x.rows * x.cols; ++i) x.f32()[i] += y.f32()[i];
  }

  void norm_rope_heads(Tensor x, const HeadNorm& norm, const Rope& rope, std::int64_t first_position) override {
    const std::int64_t head_dim = norm.weight.size;
    for (std::int64_t token = 0; token < x.rows; ++token) {
      for (std::int64_t start = 0; start < x.cols; start += head_dim) {
        float* head = x.f32() + token * x.cols + start;
        gemma_norm(head, head, norm.weight, norm.eps);
        for (int j = 0; j < rope.rotary_dim / 2; ++j) {
          const double frequency = std::pow(static_cast<double>(rope.theta), -2.0 * j / rope.rotary_dim);
          rotate(head, j, j + rope.rotary_dim / 2, static_cast<double>(first_position + token) * frequency);
        }
      }
    }
  }

  void store_kv(const KvLayer& cache, Tensor k, Tensor v, std::int64_t first_position) override {
    for (std::int64_t token = 0; token < k.rows; ++token) {
      const std::int64_t position = first_position + token;
      void* page = cache.pages[static_cast<std::size_t>(position / cache.page_size)];
      for (std::int64_t col = 0; col < k.cols; ++col) {
        const std::int64_t kv_head = col / cache.head_dim, element = col % cache.head_dim;
        const std::int64_t slot = kv_head * cache.page_size + position % cache.page_size;
        const std::int64_t values = std::int64_t{cache.kv_heads} * cache.page_size;
        store_float(page, cache.dtype, slot * cache.head_dim + element, k.f32()[token * k.cols + col]);
        store_float(page, cache.dtype, (values + slot) * cache.head_dim + element, v.f32()[token * v.cols + col]);
      }
    }
  }

  void store_index_k(const KvLayer& cache, Tensor index_k, std::int64_t first_position) override {
    for (std::int64_t token = 0; token < index_k.rows; ++token) {
      const std::int64_t position = first_position + token;
      for (std::int64_t i = 0; i < index_k.cols; ++i) {
        store_float(cache.index_pages[static_cast<std::size_t>(position / cache.page_size)], cache.dtype,
                    position % cache.page_size * cache.index_dim + i, index_k.f32()[token * index_k.cols + i]);
      }
    }
  }

  void attend(Tensor out, Tensor q, const KvLayer& cache, const Heads& heads, std::int64_t first_position) override {
    for (std::int64_t token = 0; token < q.rows; ++token) {
      std::vector<std::int64_t> visible(static_cast<std::size_t>(first_position + token + 1));
      std::iota(visible.begin(), visible.end(), 0);
      for (int head = 0; head < heads.q_heads; ++head) {
        const std::int64_t at = (token * heads.q_heads + head) * heads.head_dim;
        attend_one(out.f32() + at, q.f32() + at, cache, head / (heads.q_heads / heads.kv_heads), visible);
      }
    }
  }

  void select_blocks(Tensor block_ids, Tensor index_q, const KvLayer& cache, const Selection& selection,
                     std::int64_t first_position) override {
    const std::int64_t kv_heads = index_q.cols / cache.index_dim;
    for (std::int64_t token = 0; token < index_q.rows; ++token) {
      for (std::int64_t head = 0; head < kv_heads; ++head) {
        const float* q = index_q.f32() + token * index_q.cols + head * cache.index_dim;
        std::vector<int> chosen = choose(q, cache, selection, first_position + token);
        chosen.resize(static_cast<std::size_t>(selection.top_k_blocks), -1);
        std::copy(chosen.begin(), chosen.end(),
                  block_ids.i32() + token * block_ids.cols + head * selection.top_k_blocks);
      }
    }
  }

  void attend_blocks(Tensor out, Tensor q, Tensor block_ids, const KvLayer& cache, const Heads& heads,
                     std::int64_t first_position) override {
    const std::int64_t top_k = block_ids.cols / heads.kv_heads;
    for (std::int64_t token = 0; token < q.rows; ++token) {
      for (int head = 0; head < heads.q_heads; ++head) {
        const int kv_head = head / (heads.q_heads / heads.kv_heads);
        const std::int32_t* chosen = block_ids.i32() + token * block_ids.cols + kv_head * top_k;
        std::vector<std::int64_t> visible;
        for (std::int64_t i = 0; i < top_k && chosen[i] >= 0; ++i) {
          const std::int64_t start = std::int64_t{chosen[i]} * cache.page_size;
          for (std::int64_t p = start; p < start + cache.page_size && p <= first_position + token; ++p) {
            visible.push_back(p);
          }
        }
        const std::int64_t at = (token * heads.q_heads + head) * heads.head_dim;
        attend_one(out.f32() + at, q.f32() + at, cache, kv_head, visible);
      }
    }
  }

  void feed_forward(Tensor out, Tensor x, const Ffn& ffn, const Activation& activation) override {
    for (std::int64_t token = 0; token < x.rows; ++token) {
      const std::vector<float> y = ffn_of(ffn, x.f32() + token * x.cols, activation);
      std::copy(y.begin(), y.end(), out.f32() + token * out.cols);
    }
  }

  void route(Tensor expert_ids, Tensor expert_weights, Tensor x, const Matrix& router, Vector bias,
             float scaling) override {
    for (std::int64_t token = 0; token < x.rows; ++token) {
      std::vector<float> score = multiply(router, x.f32() + token * x.cols);
      std::vector<float> choice(score.size());
      for (std::size_t e = 0; e < score.size(); ++e) {
        score[e] = static_cast<float>(sigmoid(score[e]));
        choice[e] = score[e] + (bias.data != nullptr ? bias.data[e] : 0);
      }
      std::vector<std::int32_t> order(score.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return choice[static_cast<std::size_t>(a)] > choice[static_cast<std::size_t>(b)];
      });
      double total = 0;
      for (std::int64_t i = 0; i < expert_ids.cols; ++i)
        total += score[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
      for (std::int64_t i = 0; i < expert_ids.cols; ++i) {
        const std::int32_t expert = order[static_cast<std::size_t>(i)];
        expert_ids.i32()[token * expert_ids.cols + i] = expert;
        expert_weights.f32()[token * expert_ids.cols + i] =
            static_cast<float>(score[static_cast<std::size_t>(expert)] / total * scaling);
      }
    }
  }

  void mix_experts(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
                   const Ffn* shared, const Activation& activation) override {
    for (std::int64_t token = 0; token < x.rows; ++token) {
      std::vector<double> sum(static_cast<std::size_t>(out.cols), 0.0);
      if (shared != nullptr) {
        const std::vector<float> y = ffn_of(*shared, x.f32() + token * x.cols, activation);
        std::copy(y.begin(), y.end(), sum.begin());
      }
      for (std::int64_t i = 0; i < expert_ids.cols; ++i) {
        const std::int64_t at = token * expert_ids.cols + i;
        const std::vector<float> y =
            ffn_of(experts[static_cast<std::size_t>(expert_ids.i32()[at])], x.f32() + token * x.cols, activation);
        for (std::size_t col = 0; col < sum.size(); ++col)
          sum[col] += static_cast<double>(expert_weights.f32()[at]) * y[col];
      }
      std::transform(sum.begin(), sum.end(), out.f32() + token * out.cols,
                     [](double v) { return static_cast<float>(v); });
    }
  }

  void layer_norm(Tensor out, Tensor x, Vector weight, Vector bias, float eps) override {
    for (std::int64_t row = 0; row < x.rows; ++row) {
      const float* in = x.f32() + row * x.cols;
      const double mean = std::accumulate(in, in + x.cols, 0.0) / static_cast<double>(x.cols);
      double variance = 0;
      for (std::int64_t i = 0; i < x.cols; ++i) variance += (in[i] - mean) * (in[i] - mean);
      const double scale = 1 / std::sqrt(variance / static_cast<double>(x.cols) + eps);
      for (std::int64_t i = 0; i < x.cols; ++i) {
        out.f32()[row * x.cols + i] = static_cast<float>((in[i] - mean) * scale * weight.data[i] + bias.data[i]);
      }
    }
  }

  void gelu(Tensor x) override {
    for (std::int64_t i = 0; i < x.rows * x.cols; ++i) {
      const double v = x.f32()[i];
      x.f32()[i] = static_cast<float>(v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))));
    }
  }

  void rope_3d(Tensor x, std::span<const PatchPosition> positions, int heads, float theta) override {
    const int head_dim = static_cast<int>(x.cols) / heads;
    const int axis_dim = 2 * ((2 * (head_dim / 2) / 3) / 2);
    const int per_axis = axis_dim / 2;
    for (std::int64_t patch = 0; patch < x.rows; ++patch) {
      const PatchPosition& at = positions[static_cast<std::size_t>(patch)];
      const std::int32_t axes[3] = {at.t, at.h, at.w};
      for (int head = 0; head < heads; ++head) {
        for (int i = 0; i < 3 * per_axis; ++i) {
          const double frequency = std::pow(static_cast<double>(theta), -2.0 * (i % per_axis) / axis_dim);
          rotate(x.f32() + patch * x.cols + head * head_dim, i, i + 3 * per_axis, axes[i / per_axis] * frequency);
        }
      }
    }
  }

  void attend_segments(Tensor out, Tensor q, Tensor k, Tensor v, std::span<const std::int64_t> segment_ends,
                       int heads) override {
    const std::int64_t head_dim = q.cols / heads;
    std::int64_t first = 0;
    for (const std::int64_t end : segment_ends) {
      for (std::int64_t patch = first; patch < end; ++patch) {
        for (int head = 0; head < heads; ++head) {
          attend_patch(out, q, k, v, {patch, first, end}, head * head_dim, head_dim);
        }
      }
      first = end;
    }
  }

 private:
  // The blocks that one query keeps, ascending.
  static std::vector<int> choose(const float* q, const KvLayer& cache, const Selection& selection,
                                 std::int64_t position) {
    const int own = static_cast<int>(position / selection.block_size);
    std::vector<float> scores(static_cast<std::size_t>(own) + 1, kMinusInfinity);
    for (std::int64_t p = 0; p <= position; ++p) {
      double score = 0;
      for (int i = 0; i < cache.index_dim; ++i) {
        score +=
            static_cast<double>(q[i]) * load_as_float(cache.index_pages[static_cast<std::size_t>(p / cache.page_size)],
                                                      cache.dtype, p % cache.page_size * cache.index_dim + i);
      }
      float& block = scores[static_cast<std::size_t>(p / selection.block_size)];
      block = std::max(block, static_cast<float>(score));
    }
    for (int block = 0; block <= own; ++block) {
      if (block > own - selection.local_blocks || block < selection.init_blocks) {
        scores[static_cast<std::size_t>(block)] = std::numeric_limits<float>::infinity();
      }
    }
    std::vector<bool> taken(scores.size(), false);
    std::vector<int> chosen;
    while (static_cast<int>(chosen.size()) < selection.top_k_blocks) {
      const int block = best_block(scores, taken);
      if (block < 0) break;
      taken[static_cast<std::size_t>(block)] = true;
      chosen.push_back(block);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  struct PatchSpan {
    std::int64_t patch, first, end;
  };

  static void attend_patch(Tensor out, Tensor q, Tensor k, Tensor v, PatchSpan span, std::int64_t col,
                           std::int64_t head_dim) {
    std::vector<double> weights;
    double largest = kMinusInfinity, total = 0;
    for (std::int64_t other = span.first; other < span.end; ++other) {
      double score = 0;
      for (std::int64_t i = 0; i < head_dim; ++i) {
        score += static_cast<double>(q.f32()[span.patch * q.cols + col + i]) * k.f32()[other * k.cols + col + i];
      }
      weights.push_back(score / std::sqrt(static_cast<double>(head_dim)));
      largest = std::max(largest, weights.back());
    }
    for (double& weight : weights) total += weight = std::exp(weight - largest);
    for (std::int64_t i = 0; i < head_dim; ++i) {
      double sum = 0;
      for (std::int64_t other = span.first; other < span.end; ++other) {
        sum += weights[static_cast<std::size_t>(other - span.first)] * v.f32()[other * v.cols + col + i];
      }
      out.f32()[span.patch * out.cols + col + i] = static_cast<float>(sum / total);
    }
  }
};

}  // namespace

std::unique_ptr<Device> make_reference_device() {
  return std::make_unique<ReferenceDevice>();
}

}  // namespace inference::ops
