#pragma once
// What a session is asked to continue: token ids, and the pictures and clips that stand at their placeholders.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "inference/hash.h"

namespace inference {

// A picture or clip as the model sees it. Immutable; shared between prompts and the engine's cache.
struct VisionTokens {
  std::vector<float> features;  // [n_tokens, hidden_dim]
  std::int64_t n_tokens = 0;    // of all slots together
  int n_slots = 1;              // temporal slots: 1 for a picture
  bool is_video = false;
  Hash128 content_hash;  // of what was encoded: equal pixels, equal hash

  std::int64_t tokens_per_slot() const { return n_tokens / n_slots; }
};

// The whole conversation so far. The n-th placeholder id (image or video) is replaced by the n-th feature row of
// `media`, taken in order; the counts must agree.
struct Prompt {
  std::vector<std::int32_t> token_ids;
  std::vector<std::shared_ptr<const VisionTokens>> media;
};

// The ids that surround and stand for media in a prompt.
struct MediaMarkers {
  std::int32_t image = -1;           // placeholder, one per feature row of a picture
  std::int32_t video = -1;           // placeholder, one per feature row of a clip
  std::int32_t start_of_image = -1;  // also starts each slot of a clip
  std::int32_t end_of_image = -1;
};

// Text shown before each temporal slot of a clip, as token ids; empty for none. Arguments: clip and slot index.
using SlotMarker = std::function<std::vector<std::int32_t>(std::size_t media_idx, int slot)>;

// A rendered conversation has one placeholder per picture or clip; the model wants start, one placeholder per feature
// row, end (for each slot of a clip). Throws Error when placeholders and media do not match in number or kind.
Prompt expand_media(std::span<const std::int32_t> token_ids, std::vector<std::shared_ptr<const VisionTokens>> media,
                    const MediaMarkers& markers, const SlotMarker& slot_marker = nullptr);

}  // namespace inference
