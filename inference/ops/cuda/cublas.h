#pragma once
// Plain bf16 products by cuBLASLt, whose kernels are tuned for the GPU at hand.

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <tuple>

#include "inference/tensor.h"

namespace inference::ops::cuda {

class Cublas {
 public:
  Cublas();
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  // Whether multiply takes this product.
  static bool fits(Tensor out, Tensor x, const Matrix& w);
  // out [n_rows, n] = x [n_rows, k] · wᵀ, w [n, k]; all bf16, sums in fp32.
  void multiply(cudaStream_t stream, Tensor out, Tensor x, const Matrix& w);

 private:
  // What the library prepares for a shape (n_rows, n, k).
  struct Plan {
    cublasLtMatmulDesc_t operation = nullptr;
    cublasLtMatrixLayout_t w = nullptr, x = nullptr, out = nullptr;
    cublasLtMatmulAlgo_t algorithm = {};
  };
  const Plan& plan_for(std::int64_t n_rows, std::int64_t n, std::int64_t k);

  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Plan> plans_;
};

}  // namespace inference::ops::cuda
