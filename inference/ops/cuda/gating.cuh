#pragma once
// M3's gate: (clamp(up, ±limit) + 1) · g · sigmoid(alpha · g) with g = min(gate, limit); the gate has no lower clamp.

#include "inference/ops/ops.h"

namespace inference::ops::cuda {

__device__ inline float gated(float gate, float up, const Activation& activation) {
  const float g = fminf(gate, activation.limit);
  const float u = fminf(fmaxf(up, -activation.limit), activation.limit);
  return (u + 1) * g / (1 + expf(-activation.alpha * g));
}

}  // namespace inference::ops::cuda
