#include "inference/ops/cuda/gpu.h"

#include <cstdint>

#include "inference/check.h"

namespace inference::ops::cuda {
namespace {

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  // Memory that was released stays with the program: sessions and pictures come and go.
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, 0), "memory pool");
  std::uint64_t keep = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "memory pool");
  return stream;
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw Error(message("the GPU failed (", what, "): ", cudaGetErrorString(status), "; start the program again"));
}

std::string refusal(std::size_t needed_bytes) {
  int n_gpus = 0;
  const cudaError_t status = cudaGetDeviceCount(&n_gpus);
  if (status != cudaSuccess || n_gpus == 0) {
    return message("no GPU answers: ", cudaGetErrorString(status == cudaSuccess ? cudaErrorNoDevice : status));
  }
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "memory");
  if (free_bytes >= needed_bytes) return {};
  return message("the GPU has ", static_cast<double>(free_bytes) / kGiB, " GiB free, this model needs ",
                 static_cast<double>(needed_bytes) / kGiB, " GiB");
}

cudaDeviceProp gpu_properties() {
  cudaDeviceProp properties = {};
  check(cudaGetDeviceProperties(&properties, 0), "properties");
  return properties;
}

Stream::Stream() : stream(make_stream()) {}

Stream::~Stream() {
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

}  // namespace inference::ops::cuda
