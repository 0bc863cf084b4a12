#include "inference/ops/cuda/index_summary.cuh"

namespace inference::ops::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kKeysPerWarp = kSummaryKeys / kWarps;
constexpr float kMostCode = 127;
// Beyond the rounding of keys: queries are rounded to 16 bits, which moves a product by less than 1.8e-4 of the
// lengths' product, and sums of 128 products in fp32 by less than 2e-5.
constexpr float kOtherErrors = 2.5e-4F;

// The largest of all threads' values.
__device__ float block_max(float v) {
  __shared__ float parts[kWarps];
  v = warp_max(v);
  __syncthreads();
  if (threadIdx.x % kWarp == 0) parts[threadIdx.x / kWarp] = v;
  __syncthreads();
  for (const float part : parts) v = fmaxf(v, part);
  return v;
}

// A CTA per page, a warp per key.
__global__ __launch_bounds__(kWarps* kWarp) void summarize_kernel(void* const* pages, std::int64_t first_position,
                                                                  std::int64_t n_tokens, const int* shift) {
  wait_for_previous();
  allow_next();
  first_position += shift_of(shift);
  const std::int64_t page_idx = first_position / kSummaryKeys + blockIdx.x;
  if (page_idx >= (first_position + n_tokens) / kSummaryKeys) return;  // not full
  auto* page = static_cast<std::uint8_t*>(pages[page_idx]);
  const auto* keys = reinterpret_cast<const bf16*>(page);
  std::uint8_t* summary = page + kSummaryKeyBytes * sizeof(bf16);
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  float rotated[kKeysPerWarp][kRotatedPerLane];
  float largest = 0, longest = 0, bad = 0;
#pragma unroll
  for (int i = 0; i < kKeysPerWarp; ++i) {
    float squares = 0;
#pragma unroll
    for (int j = 0; j < kRotatedPerLane; ++j)
      rotated[i][j] = to_float(keys[(warp * kKeysPerWarp + i) * kSummaryDim + lane * kRotatedPerLane + j]);
    rotate(rotated[i]);
#pragma unroll
    for (const float value : rotated[i]) {
      largest = fmaxf(largest, fabsf(value));
      squares += value * value;
    }
    squares = warp_sum(squares);
    if (!isfinite(squares)) bad = 1;
    longest = fmaxf(longest, squares);
  }
  largest = block_max(largest);
  longest = block_max(longest);
  bad = block_max(bad);
  const float step = bad != 0 ? 0 : fmaxf(largest / kMostCode, 1e-30F);
  float error = 0;
#pragma unroll
  for (int i = 0; i < kKeysPerWarp; ++i) {
    float squares = 0;
    std::uint32_t codes = 0;
#pragma unroll
    for (int j = 0; j < kRotatedPerLane; ++j) {
      const float code = bad != 0 ? 0 : fminf(fmaxf(rintf(rotated[i][j] / step), -kMostCode), kMostCode);
      const float rest = rotated[i][j] - code * step;
      squares += rest * rest;
      codes |= (static_cast<std::uint32_t>(static_cast<int>(code)) & 0xFF) << 8 * j;
    }
    error = fmaxf(error, warp_sum(squares));
    const int piece = summary_piece(warp * kKeysPerWarp + i, lane / 4);
    *reinterpret_cast<std::uint32_t*>(summary + piece * 16 + lane % 4 * 4) = codes;
  }
  error = sqrtf(block_max(error));
  if (threadIdx.x == 0) {
    const float whole = 1.0001F * error + kOtherErrors * (sqrtf(longest) + error);
    *reinterpret_cast<SummaryLimits*>(summary + kSummaryKeyBytes) = {step, bad != 0 ? INFINITY : whole};
  }
}

}  // namespace

void summarize_filled_pages(cudaStream_t stream, const KvLayer& cache, std::int64_t first_position,
                            std::int64_t n_tokens, const Replay& replay) {
  INFERENCE_CHECK(has_summaries(cache.page_size, cache.index_dim, cache.dtype), "no summaries of ", cache.page_size,
                  " keys of ", cache.index_dim);
  std::int64_t n_pages = (first_position + n_tokens) / kSummaryKeys - first_position / kSummaryKeys;
  if (replay.shift != nullptr) n_pages = (n_tokens + kSummaryKeys - 1) / kSummaryKeys;  // at most, at any position
  if (n_pages <= 0) return;
  launch_early("summarize_filled_pages", summarize_kernel, static_cast<unsigned>(n_pages), kWarps * kWarp, 0, stream, 1,
               cache.index_page_table, first_position, n_tokens, replay.shift);
}

void summarize_index_pages(cudaStream_t stream, const KvLayer& cache, std::int64_t first_page, std::int64_t n_pages) {
  summarize_filled_pages(stream, cache, first_page * kSummaryKeys, n_pages * kSummaryKeys, {});
}

}  // namespace inference::ops::cuda
