// Elementwise helpers of several kernels, once per instruction set. Any length; no order of additions to mind.

#if defined(INFERENCE_OPS_CPU_ACTIVATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef INFERENCE_OPS_CPU_ACTIVATION_INL_H
#undef INFERENCE_OPS_CPU_ACTIVATION_INL_H
#else
#define INFERENCE_OPS_CPU_ACTIVATION_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "inference/ops/ops.h"

HWY_BEFORE_NAMESPACE();
namespace inference::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// x[i] = f(x[i], y[i]) in vectors; the tail passes through a zero padded copy, so all elements see the same operations.
template <class F>
HWY_INLINE void map_with(float* x, const float* y, std::int64_t n, const F& f) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, x + i);
  if (i == n) return;
  HWY_ALIGN float a[HWY_MAX_BYTES / sizeof(float)] = {}, b[HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy(x + i, x + n, a);
  std::copy(y + i, y + n, b);
  hn::Store(f(hn::Load(d, a), hn::Load(d, b)), d, a);
  std::copy(a, a + (n - i), x + i);
}

HWY_INLINE void add_to(float* x, const float* y, std::int64_t n) {
  map_with(x, y, n, [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); });
}

// gate = (clamp(up, ±limit) + 1) * g * sigmoid(alpha * g), g = min(gate, limit)
HWY_INLINE void gate_with(float* gate, const float* up, std::int64_t n, const Activation& activation) {
  const hn::ScalableTag<float> d;
  const auto limit = hn::Set(d, activation.limit), minus_alpha = hn::Set(d, -activation.alpha), one = hn::Set(d, 1.0F);
  map_with(gate, up, n, [&](auto g, auto u) HWY_ATTR {
    g = hn::Min(g, limit);
    u = hn::Max(hn::Min(u, limit), hn::Neg(limit));
    const auto denominator = hn::Add(one, hn::Exp(d, hn::Min(hn::Mul(minus_alpha, g), hn::Set(d, 88.0F))));
    return hn::Div(hn::Mul(hn::Add(u, one), g), denominator);
  });
}

}  // namespace inference::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
