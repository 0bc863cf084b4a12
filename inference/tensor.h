#pragma once
// The values that the engine computes with: views on memory that somebody else owns.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inference/check.h"

namespace inference {

// F8E4M3 codes are OCP e4m3fn; as weights they come with E8M0 scales (MXFP8).
enum class DType : std::uint8_t { F32, F16, BF16, F8E4M3, U8, I32, I64 };

std::size_t element_bytes(DType type);
std::string_view dtype_name(DType type);

// Number of consecutive input elements of a row that share one MXFP8 scale.
inline constexpr int kMxGroup = 32;

// Activations: a row-major matrix in the device's memory, one row per token (or patch). Heads lie side by side in a
// row: [n_tokens, heads, head_dim] is rows = n_tokens, cols = heads * head_dim.
struct Tensor {
  void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  DType dtype = DType::F32;

  float* f32() const {
    INFERENCE_CHECK(dtype == DType::F32, "expected F32 activations, found ", dtype_name(dtype));
    return static_cast<float*>(data);
  }
  std::int32_t* i32() const {
    INFERENCE_CHECK(dtype == DType::I32, "expected I32, found ", dtype_name(dtype));
    return static_cast<std::int32_t*>(data);
  }
  // The n rows from `first` on.
  Tensor slice(std::int64_t first, std::int64_t n) const {
    INFERENCE_CHECK(first >= 0 && n >= 0 && first + n <= rows, "rows ", first, "+", n, " of ", rows);
    return {static_cast<std::byte*>(data) + first * cols * static_cast<std::int64_t>(element_bytes(dtype)), n, cols,
            dtype};
  }
};

// A weight matrix [rows = out_dim, cols = in_dim] in its stored type.
struct Matrix {
  const void* data = nullptr;
  const std::uint8_t* scales = nullptr;  // MXFP8 only: E8M0 [rows, cols / kMxGroup], weight = code * 2^(scale - 127)
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  DType dtype = DType::F32;  // F32, F16, BF16 or F8E4M3
};

// A norm weight or a bias, always fp32. An absent one has no data.
struct Vector {
  const float* data = nullptr;
  std::int64_t size = 0;
};

}  // namespace inference
