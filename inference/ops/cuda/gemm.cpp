// Which kernel takes a product.

#include "inference/ops/cuda/gemm.h"

namespace inference::ops::cuda {

void multiply(cudaStream_t stream, const Product& product, bool is_hopper) {
  if (product.x.rows <= kMaxVectorRows && product.grouping.weights == nullptr) {
    multiply_few_rows(stream, product);
  } else {
    multiply_many_rows(stream, product, is_hopper,
                       fits_tensor_cores(product.x.dtype, product.weight_type, product.x.cols));
  }
}

void multiply_many_rows(cudaStream_t stream, const Product& product, bool is_hopper, bool on_tensor_cores) {
  if (is_hopper && fits_hopper_product(product)) {
    multiply_on_hopper(stream, product);
  } else if (on_tensor_cores) {
    multiply_on_tensor_cores(stream, product);
  } else {
    multiply_plainly(stream, product);
  }
}

}  // namespace inference::ops::cuda
