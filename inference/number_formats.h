#pragma once
// The stored number formats, one value at a time: exact, readable, for loading and for the reference operations.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "inference/tensor.h"

namespace inference {

inline float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Round to nearest, ties to even; NaN stays NaN.
inline std::uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

inline float f16_to_float(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = mantissa == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

// OCP e4m3fn: no infinity, 0x7F and 0xFF are NaN, largest magnitude 448.
inline float e4m3_to_float(std::uint8_t bits) {
  const int exponent = (bits >> 3) & 15;
  const int mantissa = bits & 7;
  float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -9)
                                  : std::ldexp(static_cast<float>(mantissa + 8), exponent - 10);
  if ((bits & 0x7F) == 0x7F) magnitude = std::numeric_limits<float>::quiet_NaN();
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

// E8M0, the scale of a group of MXFP8 codes: 2^(bits - 127); 255 is NaN.
inline float e8m0_to_float(std::uint8_t bits) {
  if (bits == 255) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0F, static_cast<int>(bits) - 127);
}

// Element `index` of an array at any address: a checkpoint's tensors begin where its header happens to end.
template <typename T>
T element_at(const void* data, std::int64_t index) {
  T element;
  std::memcpy(&element, static_cast<const char*>(data) + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return element;
}

// Element `index` of stored values of type F32, F16, BF16 or F8E4M3 (the code alone, without its scale).
inline float load_as_float(const void* data, DType type, std::int64_t index) {
  switch (type) {
    case DType::F32:
      return element_at<float>(data, index);
    case DType::F16:
      return f16_to_float(element_at<std::uint16_t>(data, index));
    case DType::BF16:
      return bf16_to_float(element_at<std::uint16_t>(data, index));
    case DType::F8E4M3:
      return e4m3_to_float(static_cast<const std::uint8_t*>(data)[index]);
    default:
      INFERENCE_CHECK(false, "not a floating point type: ", dtype_name(type));
      return 0;
  }
}

inline void store_float(void* data, DType type, std::int64_t index, float value) {
  if (type == DType::F32) {
    static_cast<float*>(data)[index] = value;
  } else {
    INFERENCE_CHECK(type == DType::BF16, "cannot store ", dtype_name(type));
    static_cast<std::uint16_t*>(data)[index] = float_to_bf16(value);
  }
}

// The value of a weight with its scale.
inline float weight_at(const Matrix& w, std::int64_t row, std::int64_t col) {
  const float value = load_as_float(w.data, w.dtype, row * w.cols + col);
  if (w.scales == nullptr) return value;
  return value * e8m0_to_float(w.scales[row * (w.cols / kMxGroup) + col / kMxGroup]);
}

}  // namespace inference
