#include "inference/prompt.h"

#include "inference/check.h"

namespace inference {

Prompt expand_media(std::span<const std::int32_t> token_ids, std::vector<std::shared_ptr<const VisionTokens>> media,
                    const MediaMarkers& markers, const SlotMarker& slot_marker) {
  Prompt prompt;
  std::size_t next = 0;
  for (const std::int32_t id : token_ids) {
    if (id != markers.image && id != markers.video) {
      prompt.token_ids.push_back(id);
      continue;
    }
    if (next == media.size()) {
      throw Error(
          message("the conversation has more placeholders than the ", media.size(), " pictures and clips given"));
    }
    const VisionTokens& tokens = *media[next];
    if (tokens.is_video != (id == markers.video)) {
      throw Error(message("placeholder ", next + 1, " of the conversation stands for a ",
                          id == markers.video ? "clip, a picture" : "picture, a clip", " was given"));
    }
    for (int slot = 0; slot < tokens.n_slots; ++slot) {
      if (tokens.is_video && slot_marker) {
        const std::vector<std::int32_t> marker = slot_marker(next, slot);
        prompt.token_ids.insert(prompt.token_ids.end(), marker.begin(), marker.end());
      }
      prompt.token_ids.push_back(markers.start_of_image);
      prompt.token_ids.insert(prompt.token_ids.end(), static_cast<std::size_t>(tokens.tokens_per_slot()), id);
      prompt.token_ids.push_back(markers.end_of_image);
    }
    ++next;
  }
  if (next != media.size()) {
    throw Error(message("the conversation has ", next, " placeholders for ", media.size(), " pictures and clips"));
  }
  prompt.media = std::move(media);
  return prompt;
}

}  // namespace inference
