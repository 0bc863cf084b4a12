#include "inference/ops/ops.h"

#include <algorithm>

#include "inference/number_formats.h"

namespace inference::ops {

void write_floats(Device& device, Tensor to, std::span<const float> from) {
  INFERENCE_CHECK(static_cast<std::int64_t>(from.size()) == to.rows * to.cols, "write_floats: sizes differ");
  if (to.dtype == DType::F32) {
    device.upload(to.data, from.data(), from.size_bytes());
    return;
  }
  std::vector<std::uint16_t> narrow(from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    store_float(narrow.data(), to.dtype, static_cast<std::int64_t>(i), from[i]);
  device.upload(to.data, narrow.data(), narrow.size() * sizeof(std::uint16_t));
}

std::vector<float> read_floats(Device& device, Tensor from) {
  const auto n = static_cast<std::size_t>(from.rows * from.cols);
  std::vector<float> to(n);
  if (from.dtype == DType::F32) {
    device.download(to.data(), from.data, n * sizeof(float));
    return to;
  }
  std::vector<std::uint16_t> narrow(n);
  device.download(narrow.data(), from.data, n * sizeof(std::uint16_t));
  INFERENCE_CHECK(from.dtype == DType::BF16, "no activations of ", dtype_name(from.dtype));
  std::transform(narrow.begin(), narrow.end(), to.begin(), bf16_to_float);  // all logits of every token pass here
  return to;
}

}  // namespace inference::ops
