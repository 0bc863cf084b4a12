#pragma once
// Recognises that a picture's content moved up or down.

#include <opencv2/core/mat.hpp>
#include <optional>

namespace capture {

struct VerticalMove {
  int distance_px = 0;                  // down is positive
  int first_column = 0, n_columns = 0;  // of what moved
  int first_row = 0, n_rows = 0;        // of what changed by it
};

// `before` and `after` are [height, width] CV_8UC4 of the same size. The columns that moved must be neighbours, so a
// scroll bar or a fixed margin beside the content does no harm. Nothing when no distance explains most of the change.
std::optional<VerticalMove> find_vertical_move(const cv::Mat& before, const cv::Mat& after);

}  // namespace capture
