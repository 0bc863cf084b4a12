#pragma once
// The vision tower: patches → features in the text model's width. See MODEL.md for its traps.

#include <memory>
#include <optional>
#include <stop_token>

#include "inference/image_processing.h"
#include "inference/ops/ops.h"
#include "inference/prompt.h"
#include "inference/weights.h"

namespace inference {

// Runs the tower on one picture or clip. Empty when `stop` was requested (noticed between layers).
std::optional<VisionTokens> encode_patches(ops::Device& device, const ModelConfig& config, const VisionWeights& weights,
                                           const Patches& patches, bool is_video, const std::stop_token& stop = {});

// What encode_patches would give as content_hash.
Hash128 content_hash(const Patches& patches, bool is_video);

}  // namespace inference
