#pragma once
// How kernels that stream a token's weights are launched.

#include "inference/ops/cuda/common.cuh"

namespace inference::ops::cuda {

// With as much L1 as there is, where loads under way take room. is_early: as by launch_early, whose division of the
// multiprocessors' memory these kernels don't share.
template <typename... Params, typename... Args>
void launch_streaming(const char* what, void (*kernel)(Params...), dim3 n_ctas, int n_threads, std::size_t smem_bytes,
                      cudaStream_t stream, bool is_early, const Args&... args) {
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1),
             what);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = n_ctas;
  config.blockDim = dim3(static_cast<unsigned>(n_threads));
  config.dynamicSmemBytes = smem_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = is_early ? 1 : 0;
  check_cuda(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...), what);
}

}  // namespace inference::ops::cuda
