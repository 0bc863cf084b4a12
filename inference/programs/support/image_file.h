#pragma once
// Pictures from PNG files, for the engine's programs. (The desktop application has Qt for this.)

#include <cstdint>
#include <filesystem>
#include <vector>

#include "inference/image_processing.h"

namespace inference::programs {

struct RgbImage {
  int width = 0, height = 0;      // px
  std::vector<std::uint8_t> rgb;  // [height, width, 3]

  ImageView view() const { return {rgb.data(), width, height, std::int64_t{width} * 3}; }
};

RgbImage read_png(const std::filesystem::path& path);  // throws Error; alpha is blended on black

}  // namespace inference::programs
