#include "inference/ops/cpu/dot.h"

#include <array>
#include <cmath>
#include <limits>

namespace inference::ops {

const float* mx_factors() {
  static const std::array<float, 256> factors = [] {
    std::array<float, 256> table{};
    for (int code = 0; code < 255; ++code) table[static_cast<std::size_t>(code)] = std::ldexp(1.0F, code - 127 + 60);
    table[255] = std::numeric_limits<float>::quiet_NaN();
    return table;
  }();
  return factors.data();
}

}  // namespace inference::ops
