#pragma once
// Finds a small picture in a large one by its outlines: other colours, as of a dark theme, don't hide it.

#include <opencv2/core/mat.hpp>
#include <optional>
#include <span>

#include "capture/screen_map.h"

namespace capture {

struct PictureMatch {
  Rect area_px;          // in the large picture
  double score = 0;      // 1: the same outlines; about 0: no likeness
  double runner_up = 0;  // the best score elsewhere: when it is close, the match means little
};

inline constexpr double kOneScale[] = {1.0};

// The best place of `what` in `where`, both BGRx, over the sizes in `scales` (2: twice as large as recorded). Nothing
// when `what` is blank, so that it would fit anywhere, or larger than `where`.
std::optional<PictureMatch> find_picture(const cv::Mat& where, const cv::Mat& what,
                                         std::span<const double> scales = kOneScale);

// How alike two pictures are, whatever their sizes; nothing when either is blank.
std::optional<double> likeness(const cv::Mat& a, const cv::Mat& b);

}  // namespace capture
