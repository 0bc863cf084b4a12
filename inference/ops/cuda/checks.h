#pragma once
// What operations expect of their weights and caches; a mistake of the caller ends the program.

#include <cstdint>

#include "inference/ops/ops.h"

namespace inference::ops::cuda {

void check_weight(const Matrix& w);
void check_ffn(Tensor out, Tensor x, const Ffn& ffn);
// Pages for positions 0 … n_positions - 1, and their list on the GPU.
void check_kv_pages(const KvLayer& cache, std::int64_t n_positions);
void check_index_pages(const KvLayer& cache, std::int64_t n_positions);

}  // namespace inference::ops::cuda
