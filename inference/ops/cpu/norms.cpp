#include "inference/ops/cpu/norms.h"

#include <cmath>

#include "inference/ops/cpu/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/ops/cpu/norms.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "inference/ops/cpu/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace inference::ops::HWY_NAMESPACE {

// Σ f(x[i])
template <class F>
HWY_INLINE float sum_of(const float* x, std::int64_t n, const F& f) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) sum = hn::Add(sum, f(hn::LoadU(d, x + i)));
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < n; ++i) total += hn::GetLane(f(hn::Set(d, x[i])));
  return total;
}

void gemma_norm(float* out, const float* x, const Vector& weight, float eps) {
  const hn::ScalableTag<float> d;
  const std::int64_t n = weight.size;
  const float squares = sum_of(x, n, [](auto v) HWY_ATTR { return hn::Mul(v, v); });
  const auto scale = hn::Set(d, 1.0F / std::sqrt(squares / static_cast<float>(n) + eps));
  if (out != x) std::copy(x, x + n, out);
  const auto one = hn::Set(d, 1.0F);
  map_with(out, weight.data, n, [&](auto v, auto w) HWY_ATTR { return hn::Mul(hn::Mul(v, scale), hn::Add(one, w)); });
}

void layer_norm(float* out, const float* x, const Vector& weight, const Vector& bias, float eps) {
  const hn::ScalableTag<float> d;
  const std::int64_t n = weight.size;
  const float mean = sum_of(x, n, [](auto v) HWY_ATTR { return v; }) / static_cast<float>(n);
  const auto m = hn::Set(d, mean);
  const float squares = sum_of(x, n, [&](auto v) HWY_ATTR { return hn::Mul(hn::Sub(v, m), hn::Sub(v, m)); });
  const auto scale = hn::Set(d, 1.0F / std::sqrt(squares / static_cast<float>(n) + eps));
  if (out != x) std::copy(x, x + n, out);
  map_with(out, weight.data, n, [&](auto v, auto w) HWY_ATTR { return hn::Mul(hn::Mul(hn::Sub(v, m), scale), w); });
  add_to(out, bias.data, n);
}

void rotate(float* head, const float* cosines, const float* sines, std::int64_t n_pairs) {
  for (std::int64_t j = 0; j < n_pairs; ++j) {
    const float a = head[j], b = head[j + n_pairs];
    head[j] = a * cosines[j] - b * sines[j];
    head[j + n_pairs] = b * cosines[j] + a * sines[j];
  }
}

void add(float* x, const float* y, std::int64_t n) {
  add_to(x, y, n);
}

void scale_add(float* x, const float* y, float factor, std::int64_t n) {
  const auto f = hn::Set(hn::ScalableTag<float>(), factor);
  map_with(x, y, n, [&](auto a, auto b) HWY_ATTR { return hn::MulAdd(f, b, a); });
}

// x * (1 + erf(x / √2)) / 2 with the rational approximation 7.1.26 of Abramowitz and Stegun, |error| ≤ 1.5e-7.
void gelu(float* x, std::int64_t n) {
  const hn::ScalableTag<float> d;
  const auto one = hn::Set(d, 1.0F), half = hn::Set(d, 0.5F);
  map_with(x, x, n, [&](auto v, auto) HWY_ATTR {
    const auto z = hn::Abs(hn::Mul(v, hn::Set(d, 0.70710678F)));
    const auto t = hn::Div(one, hn::MulAdd(hn::Set(d, 0.3275911F), z, one));
    auto poly = hn::MulAdd(hn::Set(d, 1.061405429F), t, hn::Set(d, -1.453152027F));
    poly = hn::MulAdd(poly, t, hn::Set(d, 1.421413741F));
    poly = hn::MulAdd(poly, t, hn::Set(d, -0.284496736F));
    poly = hn::MulAdd(poly, t, hn::Set(d, 0.254829592F));
    const auto tail = hn::Mul(hn::Mul(poly, t), hn::Exp(d, hn::Neg(hn::Mul(z, z))));  // erfc(z)
    const auto weight = hn::IfThenElse(hn::Lt(v, hn::Zero(d)), tail, hn::Sub(hn::Set(d, 2.0F), tail));
    return hn::Mul(hn::Mul(half, v), weight);
  });
}

}  // namespace inference::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace inference::ops {

HWY_EXPORT(gemma_norm);
HWY_EXPORT(layer_norm);
HWY_EXPORT(rotate);
HWY_EXPORT(add);
HWY_EXPORT(scale_add);
HWY_EXPORT(gelu);

void gemma_norm_row(float* out, const float* x, const Vector& weight, float eps) {
  HWY_DYNAMIC_DISPATCH(gemma_norm)(out, x, weight, eps);
}
void layer_norm_row(float* out, const float* x, const Vector& weight, const Vector& bias, float eps) {
  HWY_DYNAMIC_DISPATCH(layer_norm)(out, x, weight, bias, eps);
}
void rotate_head(float* head, const float* cosines, const float* sines, std::int64_t n_pairs) {
  HWY_DYNAMIC_DISPATCH(rotate)(head, cosines, sines, n_pairs);
}
void add_row(float* x, const float* y, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(add)(x, y, n);
}
void scale_add_row(float* x, const float* y, float factor, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(scale_add)(x, y, factor, n);
}
void gelu_row(float* x, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(gelu)(x, n);
}

}  // namespace inference::ops
#endif
