#pragma once
// How much of a GPU's memory a model takes beside its weights.

#include <cstddef>
#include <cstdint>

#include "inference/model_config.h"
#include "inference/tensor.h"

namespace inference {

// Activations of a chunk of prefill_chunk tokens, what the kernels leave to each other for it, and a fixed part:
// workspaces, a picture's activations, a session's first pages.
std::size_t gpu_working_bytes(const TextConfig& config, DType activation_type, std::int64_t prefill_chunk);

}  // namespace inference
