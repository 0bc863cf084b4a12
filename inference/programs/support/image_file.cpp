#include "inference/programs/support/image_file.h"

#include <png.h>

#include "inference/check.h"
#include "inference/mapped_file.h"

namespace inference::programs {

RgbImage read_png(const std::filesystem::path& path) {
  constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const MappedFile file(path);
  if (png_image_begin_read_from_memory(&png, file.data(), file.size()) == 0) {
    throw Error(message(path.string(), ": cannot be read as PNG: ", png.message));
  }
  if (std::int64_t{png.width} * png.height > kMostPixels) {
    png_image_free(&png);
    throw Error(message(path.string(), ": ", png.width, "x", png.height, " px are more than this program takes"));
  }
  png.format = PNG_FORMAT_RGB;
  RgbImage image = {static_cast<int>(png.width), static_cast<int>(png.height), {}};
  image.rgb.resize(PNG_IMAGE_SIZE(png));
  const png_color black = {0, 0, 0};
  if (png_image_finish_read(&png, &black, image.rgb.data(), 0, nullptr) == 0) {
    throw Error(message(path.string(), ": is damaged: ", png.message));
  }
  return image;
}

}  // namespace inference::programs
