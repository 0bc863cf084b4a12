#include "capture/image_budget.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "capture/error.h"

namespace capture {
namespace {

constexpr int kMaxAspect = 200;
constexpr int kMinTokens = 4;
constexpr double kMinShortSidePx = 112;
constexpr std::int64_t kMaxTotalPixels = std::int64_t{3584} * 3584;

// std::nearbyint rounds halves to even, as the model's processor does.
int nearest_multiple(double side_px) {
  return std::max(kTokenSidePx, static_cast<int>(std::nearbyint(side_px / kTokenSidePx)) * kTokenSidePx);
}
int multiple_below(double side_px) {
  return std::max(kTokenSidePx, static_cast<int>(std::floor(side_px / kTokenSidePx)) * kTokenSidePx);
}
int multiple_above(double side_px) {
  return static_cast<int>(std::ceil(side_px / kTokenSidePx)) * kTokenSidePx;
}

std::int64_t area(Size size) {
  return std::int64_t{size.width} * size.height;
}

Size size_by_area(Size native, int max_tokens) {
  const Size rounded{nearest_multiple(native.width), nearest_multiple(native.height)};
  const std::int64_t max_pixels = std::int64_t{max_tokens} * kTokenSidePx * kTokenSidePx;
  const std::int64_t min_pixels = std::int64_t{kMinTokens} * kTokenSidePx * kTokenSidePx;
  if (area(rounded) > max_pixels) {
    const double shrink = std::sqrt(static_cast<double>(area(native)) / static_cast<double>(max_pixels));
    return {multiple_below(native.width / shrink), multiple_below(native.height / shrink)};
  }
  if (area(rounded) < min_pixels) {
    const double grow = std::sqrt(static_cast<double>(min_pixels) / static_cast<double>(area(native)));
    return {multiple_above(native.width * grow), multiple_above(native.height * grow)};
  }
  return rounded;
}

Size size_by_long_side(Size native, int max_long_side_px) {
  const double long_side = std::max(native.width, native.height), short_side = std::min(native.width, native.height);
  double scale = 1;
  if (long_side > max_long_side_px) {
    scale = max_long_side_px / long_side;
  } else if (short_side < kMinShortSidePx) {
    scale = kMinShortSidePx / short_side;
  }
  return {nearest_multiple(native.width * scale), nearest_multiple(native.height * scale)};
}

}  // namespace

std::optional<Size> model_size(Size native_px, const ImageBudget& budget) {
  CAPTURE_CHECK(native_px.width > 0 && native_px.height > 0, "a picture has pixels");
  const auto [short_side, long_side] = std::minmax(native_px.width, native_px.height);
  if (long_side > std::int64_t{kMaxAspect} * short_side) return std::nullopt;
  if (budget.rule == ImageBudget::Rule::Area) {
    CAPTURE_CHECK(budget.max_tokens >= kMinTokens, "the model needs four tokens to see anything");
    return size_by_area(native_px, budget.max_tokens);
  }
  CAPTURE_CHECK(budget.max_long_side_px > 0 && budget.max_long_side_px % kTokenSidePx == 0,
                "the cap is a whole number of tokens");
  const Size size = size_by_long_side(native_px, budget.max_long_side_px);
  return area(size) > kMaxTotalPixels ? std::nullopt : std::optional(size);
}

int n_tokens(Size model_px) {
  return (model_px.width / kTokenSidePx) * (model_px.height / kTokenSidePx);
}

}  // namespace capture
