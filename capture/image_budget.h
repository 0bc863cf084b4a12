#pragma once
// How large a picture the model gets to see. The sizes follow the model's own image processor, so that it resizes
// nothing again and a point in its answer is a point in our picture.

#include <optional>

#include "capture/screen_map.h"

namespace capture {

struct ImageBudget {
  enum class Rule {
    Area,      // as large as `max_tokens` allow, enlarged when tiny
    LongSide,  // the longer side at most `max_long_side_px`, for reading small text on a whole screen
  };
  Rule rule = Rule::Area;
  int max_tokens = 576;         // Area: one token is kTokenSidePx x kTokenSidePx pixels
  int max_long_side_px = 2016;  // LongSide: a multiple of kTokenSidePx
};

constexpr int kTokenSidePx = 28;  // of the square that becomes one token: 2 x 2 patches of 14 px

// The size at which a picture of `native_px` is shown: both sides multiples of kTokenSidePx. Nothing when the model
// can't take such a picture: longer than 200 times its width, or over the largest area even at the long-side cap.
[[nodiscard]] std::optional<Size> model_size(Size native_px, const ImageBudget& budget);

int n_tokens(Size model_px);

}  // namespace capture
