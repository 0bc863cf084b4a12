#include "inference/ops/cuda/cublas.h"

namespace inference::ops::cuda {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(message("cuBLASLt failed (", what, "): ", cublasLtGetStatusString(status)));
}

cublasLtMatrixLayout_t layout(std::int64_t rows, std::int64_t cols) {
  cublasLtMatrixLayout_t made = nullptr;
  check(cublasLtMatrixLayoutCreate(&made, CUDA_R_16BF, static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(cols), rows),
        "layout");
  return made;
}

}  // namespace

Cublas::Cublas() {
  check(cublasLtCreate(&handle_), "start");
  if (cudaMalloc(&workspace_, kWorkspaceBytes) != cudaSuccess) throw Error("out of GPU memory: cuBLASLt's workspace");
}

Cublas::~Cublas() {
  for (const auto& [shape, plan] : plans_) {
    cublasLtMatmulDescDestroy(plan.operation);
    for (const cublasLtMatrixLayout_t made : {plan.w, plan.x, plan.out}) cublasLtMatrixLayoutDestroy(made);
  }
  cudaFree(workspace_);
  cublasLtDestroy(handle_);
}

bool Cublas::fits(Tensor out, Tensor x, const Matrix& w) {
  constexpr std::int64_t kAligned = 8;  // elements of 16 bytes
  return out.dtype == DType::BF16 && x.dtype == DType::BF16 && w.dtype == DType::BF16 && w.rows % kAligned == 0 &&
         w.cols % kAligned == 0;
}

// The library counts columns first: outᵀ [n, n_rows] = w [n, k] · xᵀ [k, n_rows], with w stored as its transpose.
const Cublas::Plan& Cublas::plan_for(std::int64_t n_rows, std::int64_t n, std::int64_t k) {
  const auto [found, is_new] = plans_.try_emplace({n_rows, n, k});
  Plan& plan = found->second;
  if (!is_new) return plan;
  check(cublasLtMatmulDescCreate(&plan.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "operation");
  const cublasOperation_t transposed = CUBLAS_OP_T;
  check(cublasLtMatmulDescSetAttribute(plan.operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed)),
        "transpose");
  plan.w = layout(k, n);
  plan.x = layout(k, n_rows);
  plan.out = layout(n, n_rows);
  cublasLtMatmulPreference_t preference = nullptr;
  check(cublasLtMatmulPreferenceCreate(&preference), "preference");
  check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspaceBytes,
                                             sizeof(kWorkspaceBytes)),
        "workspace");
  cublasLtMatmulHeuristicResult_t best = {};
  int n_found = 0;
  check(cublasLtMatmulAlgoGetHeuristic(handle_, plan.operation, plan.w, plan.x, plan.out, plan.out, preference, 1,
                                       &best, &n_found),
        "choice of an algorithm");
  cublasLtMatmulPreferenceDestroy(preference);
  if (n_found == 0) throw Error(message("cuBLASLt has no algorithm for [", n_rows, ", ", n, ", ", k, "]"));
  plan.algorithm = best.algo;
  return plan;
}

void Cublas::multiply(cudaStream_t stream, Tensor out, Tensor x, const Matrix& w) {
  const Plan& plan = plan_for(x.rows, w.rows, w.cols);
  const float one = 1, zero = 0;
  check(cublasLtMatmul(handle_, plan.operation, &one, w.data, plan.w, x.data, plan.x, &zero, out.data, plan.out,
                       out.data, plan.out, &plan.algorithm, workspace_, kWorkspaceBytes, stream),
        "product");
}

}  // namespace inference::ops::cuda
