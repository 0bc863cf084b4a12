#pragma once
// From pictures to patches, as the released processor does it: size rules, antialiased bicubic resize on 8-bit
// values, normalisation, patch order.

#include <cstdint>
#include <span>
#include <vector>

#include "inference/model_config.h"
#include "inference/ops/ops.h"

namespace inference {

// Somebody else's RGB pixels, 8 bits each, rows stride_bytes apart.
struct ImageView {
  const std::uint8_t* rgb = nullptr;
  int width = 0, height = 0;  // px
  std::int64_t stride_bytes = 0;
};

struct ImageSize {
  int width = 0, height = 0;  // px
  bool operator==(const ImageSize&) const = default;
};

// How large the model sees a picture.
struct ResizeRule {
  enum class Mode { Area, LongSide };
  Mode mode = Mode::Area;
  // Area mode: the area is brought between these (px²). The maximum is 672² for images, 768·28² for video frames.
  std::int64_t min_pixels = 3136;
  std::int64_t max_pixels = 451584;
  // Long-side mode: the longer side is at most this (px); short sides under 112 px are enlarged.
  int max_long_side_px = 2016;
};

inline constexpr std::int64_t kMaxVideoFramePixels = 602112;      // px² of one frame
inline constexpr std::int64_t kMaxVideoVolumePixels = 301056000;  // px² · frames of one clip

// The size that the model sees: both sides multiples of `multiple` (patch_size · merge_size), halves rounded to even.
// Throws Error for empty pictures, an aspect ratio over 200, or an area over 3584² in long-side mode.
ImageSize model_size(ImageSize original, const ResizeRule& rule, int multiple);

// Cubic convolution (a = -1/2) whose support widens when shrinking; two passes with 8-bit values between.
std::vector<std::uint8_t> resize_bicubic(const ImageView& image, ImageSize size);  // [height, width, 3]

// Which frames of a recording the model sees at `fps`: the first, then each first one at least 1 / fps later.
std::vector<std::int64_t> sample_frames(std::int64_t n_frames, double recorded_fps, double fps);

// Pictures as the vision tower takes them.
struct Patches {
  int grid_t = 0, grid_h = 0, grid_w = 0;  // temporal slots, rows and columns of patches
  std::vector<float> pixels;               // [grid_t * grid_h * grid_w, channels * temporal_patch_size * patch_size²]

  std::int64_t n_patches() const { return std::int64_t{grid_t} * grid_h * grid_w; }
};

// A still picture fills both taps of one temporal slot.
Patches make_image_patches(const ImageView& image, const ResizeRule& rule, const VisionConfig& config);

// A clip: all frames of one size; the last is repeated to an even count. At most kMaxVideoVolumePixels.
Patches make_video_patches(std::span<const ImageView> frames, const ResizeRule& rule, const VisionConfig& config);

// Where each patch stands, in the order of `pixels`: slot by slot, inside a slot merge groups row by row, inside a
// group row by row. t restarts at 0 with each segment of segment_max_slots slots, because attention does not cross
// them.
std::vector<ops::PatchPosition> patch_positions(const Patches& patches, const VisionConfig& config);

}  // namespace inference
