#pragma once
// What the dot products of all instruction sets share.

#include <cstddef>
#include <cstdint>

#include "inference/tensor.h"

namespace inference::ops {

// Packed rows are zero padded to a multiple of the longest chunk (64 bytes of e4m3 codes).
inline constexpr std::size_t kPadding = 64;

constexpr std::size_t padded(std::size_t n) {
  return (n + kPadding - 1) / kPadding * kPadding;
}

// Elements whose products are summed lane by lane before the lanes are added: four rows of weights and three of x in
// fp32 (14 KiB) stay in L1 while a tile of a matrix product passes over them.
inline constexpr std::size_t kSumBlock = 512;

// Factors for e4m3 bits seen as fp32 (value * 2^-120) under scale code s: 2^(s - 127 + 120), split so that neither part
// leaves fp32's range for any scale below 2^67: the factor here is 2^(s - 127 + 60) and sums are multiplied by 2^60.
inline constexpr float kMxSumFactor = 1152921504606846976.0F;  // 2^60
const float* mx_factors();                                     // [256]

}  // namespace inference::ops
