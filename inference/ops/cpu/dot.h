#pragma once
// What the dot products of all instruction sets share.

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "inference/tensor.h"

namespace inference::ops {

// Packed rows are zero padded to a multiple of the longest chunk (64 bytes of e4m3 codes).
inline constexpr std::size_t kPadding = 64;

constexpr std::size_t padded(std::size_t n) {
  return (n + kPadding - 1) / kPadding * kPadding;
}

// A buffer of floats on a cache line's boundary (vectors that straddle lines load at half speed); grows, never shrinks.
class AlignedFloats {
 public:
  void reserve(std::size_t n) {
    if (n <= size_) return;
    data_ = hwy::AllocateAligned<float>(n);
    if (data_ == nullptr) throw Error(message("out of memory: ", n, " floats were asked for"));
    size_ = n;
  }
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<float[]> data_;
  std::size_t size_ = 0;
};

// Elements whose products are summed lane by lane before the lanes are added: four rows of weights and three of x in
// fp32 (14 KiB) stay in L1 while a tile of a matrix product passes over them.
inline constexpr std::size_t kSumBlock = 512;

// Factors for e4m3 bits seen as fp32 (value * 2^-120) under scale code s: 2^(s - 127 + 120), split so that neither part
// leaves fp32's range for any scale below 2^67: the factor here is 2^(s - 127 + 60) and sums are multiplied by 2^60.
inline constexpr float kMxSumFactor = 1152921504606846976.0F;  // 2^60
inline constexpr std::array<float, 256> kMxFactors = [] {
  std::array<float, 256> factors{};
  for (std::uint32_t code = 0; code < 256; ++code) {
    const std::uint32_t exponent = std::min(code + 60, 255U);  // 255 is infinity
    factors[code] = std::bit_cast<float>(exponent << 23);
  }
  factors[255] = std::numeric_limits<float>::quiet_NaN();
  return factors;
}();

}  // namespace inference::ops
