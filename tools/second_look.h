#pragma once
// A closer look before a click at something that is too small in the picture that the model was shown.

#include <optional>
#include <stop_token>

#include "capture/screen_map.h"
#include "tools/desktop.h"
#include "tools/tool.h"

namespace tools {

class SecondLook {
 public:
  // `crop_px`: size of the closer picture. Widgets decide where the desktop reads them, else the picture alone.
  SecondLook(Desktop& desktop, capture::Size crop_px) : desktop_(desktop), crop_px_(crop_px) {}

  // For a click or press at a point of `shown`: the surroundings in native resolution, which the model is shown instead
  // of acting. None where that would show nothing more, or where the target is large enough. Costs nothing when the
  // picture was shown at native resolution.
  std::optional<ToolResult> closer(const ToolCall& call, const capture::Frame& shown, std::stop_token stop);

 private:
  std::optional<Rect> widget_at(capture::DesktopPoint point, const std::stop_token& stop);

  Desktop& desktop_;
  capture::Size crop_px_;
};

// The box of what is drawn at a point, as the smallest square around it whose border is of one colour: a word, an icon,
// a check box. None when it is larger than `most_px`, or nothing is drawn there.
std::optional<capture::Rect> drawn_box(const cv::Mat& pixels, int x_px, int y_px, int most_px);

// Whether anything is drawn in a part of a picture: colours of neighbours in a row differ by more than a gradient's.
bool shows_strokes(const cv::Mat& pixels, const capture::Rect& area_px);

}  // namespace tools
