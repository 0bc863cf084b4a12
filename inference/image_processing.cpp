#include "inference/image_processing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "inference/check.h"

namespace inference {
namespace {

constexpr double kMaxAspectRatio = 200;
constexpr int kMinShortSide = 112;                       // px, long-side mode
constexpr std::int64_t kMaxTotalPixels = 3584LL * 3584;  // px², long-side mode
constexpr std::array<float, 3> kMean = {0.48145466F, 0.4578275F, 0.40821073F};
constexpr std::array<float, 3> kStd = {0.26862954F, 0.26130258F, 0.27577711F};

// Python's round: halves go to the even neighbour. At least one multiple.
int round_to_multiple(double length, int multiple) {
  return std::max(multiple, static_cast<int>(std::nearbyint(length / multiple)) * multiple);
}

ImageSize area_size(ImageSize original, const ResizeRule& rule, int multiple) {
  const double height = original.height, width = original.width;
  ImageSize size = {round_to_multiple(width, multiple), round_to_multiple(height, multiple)};
  const std::int64_t area = std::int64_t{size.width} * size.height;
  if (area > rule.max_pixels) {
    const double beta = std::sqrt(height * width / static_cast<double>(rule.max_pixels));
    const auto shrunk = [&](double length) {
      return std::max(multiple, static_cast<int>(std::floor(length / beta / multiple)) * multiple);
    };
    size = {shrunk(width), shrunk(height)};
  } else if (area < rule.min_pixels) {
    const double beta = std::sqrt(static_cast<double>(rule.min_pixels) / (height * width));
    const auto grown = [&](double length) { return static_cast<int>(std::ceil(length * beta / multiple)) * multiple; };
    size = {grown(width), grown(height)};
  }
  return size;
}

ImageSize long_side_size(ImageSize original, const ResizeRule& rule, int multiple) {
  const int long_side = std::max(original.width, original.height);
  const int short_side = std::min(original.width, original.height);
  double scale = 1;
  if (long_side > rule.max_long_side_px) {
    scale = static_cast<double>(rule.max_long_side_px) / long_side;
  } else if (short_side < kMinShortSide) {
    scale = static_cast<double>(kMinShortSide) / short_side;
  }
  const ImageSize size = {round_to_multiple(original.width * scale, multiple),
                          round_to_multiple(original.height * scale, multiple)};
  if (std::int64_t{size.width} * size.height > kMaxTotalPixels) {
    throw Error(message("a picture of ", original.width, "x", original.height, " px would be shown to the model at ",
                        size.width, "x", size.height, " px, more than ", kMaxTotalPixels,
                        " px in all; use a smaller max_long_side_px"));
  }
  return size;
}

// One output pixel's share of the input along an axis.
struct Taps {
  int first = 0;
  std::vector<std::int32_t> weights;  // fixed point, kPrecisionBits after the point
};

constexpr int kPrecisionBits = 22;  // 8-bit pixels times such weights, summed, fit in 32 bits

double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

std::vector<Taps> make_taps(int in_length, int out_length) {
  const double scale = static_cast<double>(in_length) / out_length;
  const double stretch = std::max(scale, 1.0);  // shrinking widens the filter: antialiasing
  const double support = 2 * stretch;
  std::vector<Taps> all(static_cast<std::size_t>(out_length));
  for (int out = 0; out < out_length; ++out) {
    const double center = (out + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(center - support + 0.5));
    const int end = std::min(in_length, static_cast<int>(center + support + 0.5));
    std::vector<double> weights;
    double total = 0;
    for (int in = first; in < end; ++in) {
      weights.push_back(cubic((in - center + 0.5) / stretch));
      total += weights.back();
    }
    Taps& taps = all[static_cast<std::size_t>(out)];
    taps.first = first;
    for (const double weight : weights) {
      taps.weights.push_back(static_cast<std::int32_t>(std::lround(weight / total * (1 << kPrecisionBits))));
    }
  }
  return all;
}

std::uint8_t weighted(const std::uint8_t* from, std::int64_t step, const Taps& taps) {
  std::int64_t sum = 1 << (kPrecisionBits - 1);
  for (const std::int32_t weight : taps.weights) {
    sum += std::int64_t{*from} * weight;
    from += step;
  }
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> kPrecisionBits, 0, 255));
}

// Writes one frame into tap `tap` of temporal slot `slot`.
void write_frame(Patches& patches, int slot, int tap, const std::vector<std::uint8_t>& rgb,
                 const VisionConfig& config) {
  const int p = config.patch_size, m = config.merge_size, width = patches.grid_w * p;
  const std::int64_t elements = config.patch_elements();
  std::int64_t patch = std::int64_t{slot} * patches.grid_h * patches.grid_w;
  for (int group_h = 0; group_h < patches.grid_h; group_h += m) {
    for (int group_w = 0; group_w < patches.grid_w; group_w += m) {
      for (int inner = 0; inner < m * m; ++inner, ++patch) {
        const int top = (group_h + inner / m) * p, left = (group_w + inner % m) * p;
        for (int channel = 0; channel < config.channels; ++channel) {
          float* out = patches.pixels.data() + patch * elements +
                       std::int64_t{channel * config.temporal_patch_size + tap} * p * p;
          const auto c = static_cast<std::size_t>(channel);
          for (int y = 0; y < p; ++y) {
            const std::uint8_t* row = rgb.data() + (std::int64_t{top + y} * width + left) * 3 + channel;
            for (int x = 0; x < p; ++x) {
              *out++ = (static_cast<float>(row[std::int64_t{x} * 3]) / 255.0F - kMean[c]) / kStd[c];
            }
          }
        }
      }
    }
  }
}

Patches empty_patches(int n_slots, ImageSize size, const VisionConfig& config) {
  Patches patches;
  patches.grid_t = n_slots;
  patches.grid_h = size.height / config.patch_size;
  patches.grid_w = size.width / config.patch_size;
  patches.pixels.resize(static_cast<std::size_t>(patches.n_patches() * config.patch_elements()));
  return patches;
}

}  // namespace

ImageSize model_size(ImageSize original, const ResizeRule& rule, int multiple) {
  if (original.width <= 0 || original.height <= 0) {
    throw Error(message("a picture of ", original.width, "x", original.height, " px is empty"));
  }
  const double ratio =
      static_cast<double>(std::max(original.width, original.height)) / std::min(original.width, original.height);
  if (ratio > kMaxAspectRatio) {
    throw Error(message("a picture of ", original.width, "x", original.height, " px is more than ", kMaxAspectRatio,
                        " times as long as wide; cut it into parts"));
  }
  return rule.mode == ResizeRule::Mode::Area ? area_size(original, rule, multiple)
                                             : long_side_size(original, rule, multiple);
}

std::vector<std::uint8_t> resize_bicubic(const ImageView& image, ImageSize size) {
  // Horizontal, then vertical; an axis that keeps its length is copied.
  std::vector<std::uint8_t> narrowed(static_cast<std::size_t>(image.height) * static_cast<std::size_t>(size.width) * 3);
  const std::vector<Taps> columns = make_taps(image.width, size.width);
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.rgb + y * image.stride_bytes;
    std::uint8_t* out = narrowed.data() + std::int64_t{y} * size.width * 3;
    if (image.width == size.width) {
      std::copy(row, row + std::int64_t{size.width} * 3, out);
      continue;
    }
    for (const Taps& taps : columns) {
      for (int channel = 0; channel < 3; ++channel) {
        *out++ = weighted(row + std::int64_t{taps.first} * 3 + channel, 3, taps);
      }
    }
  }
  if (image.height == size.height) return narrowed;
  const std::vector<Taps> rows = make_taps(image.height, size.height);
  const std::int64_t row_bytes = std::int64_t{size.width} * 3;
  std::vector<std::uint8_t> resized(static_cast<std::size_t>(size.height) * static_cast<std::size_t>(row_bytes));
  for (std::size_t y = 0; y < rows.size(); ++y) {
    for (std::int64_t x = 0; x < row_bytes; ++x) {
      resized[y * static_cast<std::size_t>(row_bytes) + static_cast<std::size_t>(x)] =
          weighted(narrowed.data() + rows[y].first * row_bytes + x, row_bytes, rows[y]);
    }
  }
  return resized;
}

std::vector<std::int64_t> sample_frames(std::int64_t n_frames, double recorded_fps, double fps) {
  if (!(recorded_fps > 0) || !(fps > 0)) {
    throw Error(message("frame rates must be positive: recorded ", recorded_fps, ", wanted ", fps));
  }
  constexpr double kTolerance = 1e-4;  // s; a frame that is late by rounding alone counts as in time
  std::vector<std::int64_t> indices;
  for (std::int64_t next = 0; next < n_frames;) {
    indices.push_back(next);
    const double wanted = static_cast<double>(next) / recorded_fps + 1 / fps - kTolerance;
    next = std::max(next + 1, static_cast<std::int64_t>(std::ceil(wanted * recorded_fps)));
  }
  return indices;
}

Patches make_image_patches(const ImageView& image, const ResizeRule& rule, const VisionConfig& config) {
  const ImageSize size = model_size({image.width, image.height}, rule, config.patch_size * config.merge_size);
  Patches patches = empty_patches(1, size, config);
  const std::vector<std::uint8_t> rgb = resize_bicubic(image, size);
  for (int tap = 0; tap < config.temporal_patch_size; ++tap) write_frame(patches, 0, tap, rgb, config);
  return patches;
}

Patches make_video_patches(std::span<const ImageView> frames, const ResizeRule& rule, const VisionConfig& config) {
  if (frames.empty()) throw Error("a clip needs at least one frame");
  const ImageSize original = {frames[0].width, frames[0].height};
  for (const ImageView& frame : frames) {
    if (frame.width != original.width || frame.height != original.height) {
      throw Error(message("a clip's frames must be of one size: ", original.width, "x", original.height, " px and ",
                          frame.width, "x", frame.height, " px"));
    }
  }
  const ImageSize size = model_size(original, rule, config.patch_size * config.merge_size);
  const auto n_frames = static_cast<std::int64_t>(frames.size());
  if (n_frames * size.width * size.height > kMaxVideoVolumePixels) {
    throw Error(message("a clip of ", n_frames, " frames of ", size.width, "x", size.height, " px is larger than ",
                        kMaxVideoVolumePixels, " px in all; take fewer frames"));
  }
  const int taps = config.temporal_patch_size;
  const auto n_slots = static_cast<int>((n_frames + taps - 1) / taps);
  Patches patches = empty_patches(n_slots, size, config);
  for (int i = 0; i < n_slots * taps; ++i) {
    const ImageView& frame = frames[static_cast<std::size_t>(std::min<std::int64_t>(i, n_frames - 1))];
    write_frame(patches, i / taps, i % taps, resize_bicubic(frame, size), config);
  }
  return patches;
}

std::vector<ops::PatchPosition> patch_positions(const Patches& patches, const VisionConfig& config) {
  std::vector<ops::PatchPosition> positions;
  positions.reserve(static_cast<std::size_t>(patches.n_patches()));
  const int m = config.merge_size;
  for (int slot = 0; slot < patches.grid_t; ++slot) {
    for (int group_h = 0; group_h < patches.grid_h; group_h += m) {
      for (int group_w = 0; group_w < patches.grid_w; group_w += m) {
        for (int inner = 0; inner < m * m; ++inner) {
          positions.push_back({slot % config.segment_max_slots, group_h + inner / m, group_w + inner % m});
        }
      }
    }
  }
  return positions;
}

}  // namespace inference
