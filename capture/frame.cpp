#include "capture/frame.h"

#include <bit>
#include <cstring>
#include <opencv2/imgproc.hpp>

#include "capture/error.h"

namespace capture {
namespace {

std::uint64_t next_frame_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

constexpr std::uint64_t kColours = 0x00ffffff00ffffff;  // two pixels without their unused bytes
constexpr std::uint64_t kMixA = 0x9e3779b97f4a7c15, kMixB = 0xc2b2ae3d27d4eb4f;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  return std::rotl(hash ^ (word * kMixA), 29) * kMixB;
}

std::uint64_t two_pixels(const std::uint8_t* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word & kColours;
}

// Four independent lanes let the multiplications overlap.
std::uint64_t hash_row(const std::uint8_t* row, int n_pixels, std::uint64_t hash) {
  std::uint64_t lane[4] = {hash, hash ^ kMixA, hash ^ kMixB, ~hash};
  int px = 0;
  for (; px + 8 <= n_pixels; px += 8) {
    for (int i = 0; i < 4; ++i) lane[i] = mix(lane[i], two_pixels(row + 4 * px + 8 * i));
  }
  for (; px < n_pixels; ++px) {
    std::uint32_t word;
    std::memcpy(&word, row + 4 * px, sizeof word);
    lane[0] = mix(lane[0], word & 0x00ffffff);
  }
  return mix(mix(mix(lane[0], lane[1]), lane[2]), lane[3]);
}

}  // namespace

Frame::Frame(cv::Mat pixels_, ScreenMap map, Clock::time_point at, std::shared_ptr<const void> memory_)
    : id(next_frame_id()),
      pixels(std::move(pixels_)),
      screen_map(std::move(map)),
      captured_at(at),
      memory(std::move(memory_)) {
  CAPTURE_CHECK(pixels.type() == CV_8UC4, "pixels are four bytes each");
  CAPTURE_CHECK(screen_map.image_px() == (Size{pixels.cols, pixels.rows}), "the map describes these pixels");
}

std::uint64_t Frame::content_hash() const {
  std::uint64_t hash = hash_.load(std::memory_order_relaxed);
  if (hash != 0) return hash;
  hash = mix(static_cast<std::uint64_t>(pixels.cols), static_cast<std::uint64_t>(pixels.rows));
  for (int y = 0; y < pixels.rows; ++y) hash = hash_row(pixels.ptr(y), pixels.cols, hash);
  if (hash == 0) hash = 1;
  hash_.store(hash, std::memory_order_relaxed);
  return hash;
}

std::variant<DesktopPoint, PointError> Frame::to_desktop(const ImagePoint& point) const {
  if (point.frame_id != id) {
    return PointError{PointError::Kind::OtherFrame, "the point speaks of image " + std::to_string(point.frame_id) +
                                                        ", but this is image " + std::to_string(id)};
  }
  return screen_map.to_desktop(point.x_px, point.y_px);
}

std::shared_ptr<const Frame> crop(const std::shared_ptr<const Frame>& frame, Rect area_px) {
  ScreenMap map = frame->screen_map.cropped(area_px);
  const cv::Rect part(area_px.x, area_px.y, area_px.width, area_px.height);
  return std::make_shared<const Frame>(frame->pixels(part), std::move(map), frame->captured_at, frame);
}

std::shared_ptr<const Frame> resize(const std::shared_ptr<const Frame>& frame, Size image_px) {
  if (frame->screen_map.image_px() == image_px) return frame;
  const bool shrinks = image_px.width < frame->pixels.cols || image_px.height < frame->pixels.rows;
  cv::Mat resized;
  cv::resize(frame->pixels, resized, cv::Size(image_px.width, image_px.height), 0, 0,
             shrinks ? cv::INTER_AREA : cv::INTER_CUBIC);
  return std::make_shared<const Frame>(std::move(resized), frame->screen_map.resized(image_px), frame->captured_at);
}

}  // namespace capture
