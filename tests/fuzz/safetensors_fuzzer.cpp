// Any bytes as a safetensors file: tensors inside the file, or an Error.

#include <cstdlib>

#include "inference/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  try {
    for (const inference::StoredTensor& tensor : inference::parse_safetensors(bytes, size, "fuzz")) {
      if (tensor.n_bytes > 0 && (tensor.data < bytes || tensor.data + tensor.n_bytes > bytes + size)) std::abort();
      if (static_cast<std::size_t>(tensor.n_elements()) * inference::element_bytes(tensor.dtype) != tensor.n_bytes) {
        std::abort();
      }
    }
  } catch (const inference::Error&) {
  }
  return 0;
}
