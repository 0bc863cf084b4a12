#include "capture/picture_match.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

namespace capture {
namespace {

// Mean strength of the outlines below which a picture is taken for a plain surface; a line of text has about 20.
constexpr double kBlank = 1.5;

// [height, width] CV_32F: how much the brightness changes at each pixel, whichever way.
cv::Mat outlines(const cv::Mat& bgrx) {
  cv::Mat grey, across, down, strength;
  cv::cvtColor(bgrx, grey, cv::COLOR_BGRA2GRAY);
  cv::Sobel(grey, across, CV_32F, 1, 0);
  cv::Sobel(grey, down, CV_32F, 0, 1);
  cv::magnitude(across, down, strength);
  return strength;
}

bool is_blank(const cv::Mat& strength) {
  return strength.empty() || cv::mean(strength)[0] < kBlank;
}

PictureMatch best_place(const cv::Mat& where, const cv::Mat& what) {
  cv::Mat scores;
  cv::matchTemplate(where, what, scores, cv::TM_CCOEFF_NORMED);
  cv::patchNaNs(scores, 0);
  PictureMatch match;
  cv::Point at;
  cv::minMaxLoc(scores, nullptr, &match.score, nullptr, &at);
  match.area_px = {at.x, at.y, what.cols, what.rows};
  // Places that overlap the best one by half are the same place.
  cv::Mat elsewhere = scores.clone();
  const cv::Rect same = cv::Rect(at.x - what.cols / 2, at.y - what.rows / 2, what.cols, what.rows) &
                        cv::Rect(0, 0, scores.cols, scores.rows);
  elsewhere(same).setTo(-1);
  cv::minMaxLoc(elsewhere, nullptr, &match.runner_up);
  match.runner_up = std::max(match.runner_up, 0.0);
  return match;
}

}  // namespace

std::optional<PictureMatch> find_picture(const cv::Mat& where, const cv::Mat& what, std::span<const double> scales) {
  if (where.empty() || what.empty()) return std::nullopt;
  const cv::Mat place = outlines(where);
  std::optional<PictureMatch> best;
  for (const double scale : scales) {
    cv::Mat scaled = what;
    if (scale != 1) cv::resize(what, scaled, {}, scale, scale, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
    if (scaled.cols > where.cols || scaled.rows > where.rows) continue;
    const cv::Mat wanted = outlines(scaled);
    if (is_blank(wanted)) return std::nullopt;
    const PictureMatch match = best_place(place, wanted);
    if (!best || match.score > best->score) best = match;
  }
  return best;
}

std::optional<double> likeness(const cv::Mat& a, const cv::Mat& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  cv::Mat same_size = b;
  if (a.size() != b.size()) cv::resize(b, same_size, a.size(), 0, 0, cv::INTER_AREA);
  const cv::Mat first = outlines(a), second = outlines(same_size);
  if (is_blank(first) || is_blank(second)) return std::nullopt;
  cv::Mat score;
  cv::matchTemplate(first, second, score, cv::TM_CCOEFF_NORMED);
  return score.at<float>(0, 0);
}

}  // namespace capture
