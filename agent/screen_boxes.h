#pragma once
// Boxes that a model draws in its text, to show what it speaks of: <box>x1 y1 x2 y2 what it is</box>, two corners in
// the space in which it writes all points.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "agent/model.h"
#include "agent/transcript.h"

namespace agent {

struct MarkedBox {
  std::array<double, 4> corners;  // as the model wrote them
  std::string label;              // may be empty
};
struct MarkedText {
  std::string text;  // without markup; labels stay as words
  std::vector<MarkedBox> boxes;
  std::size_t n_open_bytes = 0;  // at the end of a text so far: left out, as they may be a box yet
};

// What isn't four numbers stays in the text as it was written. A text that is still being written may end within a box,
// which is left out then.
enum class Written { Whole, SoFar };
MarkedText read_boxes(std::string_view text, Written written = Written::Whole);

// Where they are on the desktop that the picture shows. A box outside of it is left out.
std::vector<ScreenBox> on_desktop(const std::vector<MarkedBox>& boxes, const ModelInfo& model,
                                  const capture::Frame& shown);

}  // namespace agent
