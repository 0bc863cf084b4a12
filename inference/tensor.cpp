#include "inference/tensor.h"

namespace inference {

std::size_t element_bytes(DType type) {
  switch (type) {
    case DType::F32:
    case DType::I32:
      return 4;
    case DType::F16:
    case DType::BF16:
      return 2;
    case DType::F8E4M3:
    case DType::U8:
      return 1;
    case DType::I64:
      return 8;
  }
  INFERENCE_CHECK(false, "unknown dtype ", static_cast<int>(type));
  return 0;
}

std::string_view dtype_name(DType type) {
  switch (type) {
    case DType::F32:
      return "F32";
    case DType::F16:
      return "F16";
    case DType::BF16:
      return "BF16";
    case DType::F8E4M3:
      return "F8_E4M3";
    case DType::U8:
      return "U8";
    case DType::I32:
      return "I32";
    case DType::I64:
      return "I64";
  }
  return "unknown";
}

}  // namespace inference
