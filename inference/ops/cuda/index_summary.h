#pragma once
// A small copy of a full block of index keys, with which most blocks can be ruled out without reading their keys.
//
// Keys are turned by a fixed rotation (which no product with a query turned alike notices, and which spreads a few
// large dimensions over all) and rounded to 8 bits with one step per block. `error` bounds how far a product with the
// copy may be from the product with the keys, per length of the query: a block's score lies within error · |q| of its
// best product with the copy.

#include <cuda_runtime.h>

#include <cstdint>

#include "inference/ops/cuda/recording.h"
#include "inference/ops/ops.h"

namespace inference::ops::cuda {

struct SummaryLimits {
  float step;   // of the rounding
  float error;  // infinite for keys with NaN or infinity
};

constexpr int kSummaryKeys = 128, kSummaryDim = 128;
constexpr int kSummaryKeyBytes = kSummaryKeys * kSummaryDim;
// Codes, SummaryLimits and room to the next 256 bytes, where the next page's rows have to begin (see address_space.h).
constexpr std::size_t kSummaryBytes = kSummaryKeyBytes + 256;

// Whether pages of this shape have summaries.
constexpr bool has_summaries(int page_size, int index_dim, DType dtype) {
  return page_size == kSummaryKeys && index_dim == kSummaryDim && dtype == DType::BF16;
}

// Writes the summaries behind the keys of full pages.
void summarize_index_pages(cudaStream_t stream, const KvLayer& cache, std::int64_t first_page, std::int64_t n_pages);
// The same of the pages that n_tokens from first_position on have filled.
void summarize_filled_pages(cudaStream_t stream, const KvLayer& cache, std::int64_t first_position,
                            std::int64_t n_tokens, const Replay& replay);

}  // namespace inference::ops::cuda
