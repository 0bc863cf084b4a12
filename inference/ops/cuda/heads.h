#pragma once
// The heads of a few tokens: all products with what a layer reads in one launch, and norms, rotations and the stores to
// the cache in another.

#include <cuda_runtime.h>

#include "inference/ops/cuda/rows.h"
#include "inference/ops/ops.h"

namespace inference::ops::cuda {

void check_heads(const HeadMaps& maps, Tensor x, const Rope& rope, const KvLayer& cache, std::int64_t first_position);

// One launch per type of weights, for at most kMaxVectorRows rows.
void multiply_heads(cudaStream_t stream, const HeadMaps& maps, Tensor x);

// What finish_heads does with the products.
HeadSets head_sets(const HeadMaps& maps, const KvLayer& cache);

}  // namespace inference::ops::cuda
