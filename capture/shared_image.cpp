#include "capture/shared_image.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "capture/error.h"

namespace capture {
namespace {

// More images are only needed while frames are held; those beyond are forgotten and freed with their frames.
constexpr std::size_t kMaxPooledImages = 4;
constexpr int kMarks = 16;
constexpr std::uint32_t kMark = 0xa5c35e17;

std::size_t mark_position(std::size_t n_pixels, int mark) {
  return (n_pixels - 1) * static_cast<std::size_t>(mark) / (kMarks - 1);
}

}  // namespace

SharedImage::SharedImage(std::shared_ptr<X11Connection> x, Size size)
    : x_(std::move(x)),
      size_(size),
      n_bytes_(std::size_t{4} * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)) {
  const int fd = memfd_create("deskhand-frame", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(n_bytes_)) != 0) {
    if (fd >= 0) close(fd);
    throw Error("No shared memory for a frame of " + std::to_string(n_bytes_) + " bytes: " + std::strerror(errno));
  }
  void* memory = mmap(nullptr, n_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (memory == MAP_FAILED) {
    close(fd);
    throw Error("Can't map a frame of " + std::to_string(n_bytes_) + " bytes: " + std::strerror(errno));
  }
  pixels_ = static_cast<std::uint8_t*>(memory);
  for (int mark = 0; mark < kMarks; ++mark) {
    std::memcpy(pixels_ + 4 * mark_position(n_bytes_ / 4, mark), &kMark, sizeof kMark);
  }
  stale.add({0, size.height});
  segment_ = xcb_generate_id(x_->get());
  // XCB sends the descriptor and closes it.
  const XError error(xcb_request_check(x_->get(), xcb_shm_attach_fd_checked(x_->get(), segment_, fd, 0)));
  if (error || !x_->is_alive()) {
    munmap(pixels_, n_bytes_);
    if (!x_->is_alive()) throw Error("The X server at " + x_->display() + " is gone");
    throw Error("The X server at " + x_->display() + " can't use shared memory: " + describe(error.get()));
  }
}

SharedImage::~SharedImage() {
  xcb_shm_detach(x_->get(), segment_);
  xcb_flush(x_->get());
  munmap(pixels_, n_bytes_);
}

xcb_shm_get_image_cookie_t SharedImage::request(xcb_drawable_t drawable, int x, int y, RowBand band) {
  const std::uint32_t offset = 4u * static_cast<std::uint32_t>(size_.width) * static_cast<std::uint32_t>(band.first);
  return xcb_shm_get_image(x_->get(), drawable, static_cast<std::int16_t>(x), static_cast<std::int16_t>(y + band.first),
                           static_cast<std::uint16_t>(size_.width), static_cast<std::uint16_t>(band.n_rows()), ~0u,
                           XCB_IMAGE_FORMAT_Z_PIXMAP, segment_, offset);
}

std::string SharedImage::finish(xcb_shm_get_image_cookie_t cookie, RowBand band) {
  xcb_generic_error_t* raw_error = nullptr;
  const XReply<xcb_shm_get_image_reply_t> reply(xcb_shm_get_image_reply(x_->get(), cookie, &raw_error));
  const XError error(raw_error);
  if (!reply) return x_->is_alive() ? describe(error.get()) : "the X server at " + x_->display() + " is gone";
  const std::uint32_t expected =
      4u * static_cast<std::uint32_t>(size_.width) * static_cast<std::uint32_t>(band.n_rows());
  if (reply->size != expected) {
    return "the X server wrote " + std::to_string(reply->size) + " bytes instead of " + std::to_string(expected);
  }
  if (!was_written_ && band == RowBand{0, size_.height}) {
    if (is_untouched()) return "the X server says that it wrote the picture, but the shared memory is untouched";
    was_written_ = true;
  }
  return {};
}

bool SharedImage::is_untouched() const {
  for (int mark = 0; mark < kMarks; ++mark) {
    if (std::memcmp(pixels_ + 4 * mark_position(n_bytes_ / 4, mark), &kMark, sizeof kMark) != 0) return false;
  }
  return true;
}

void SharedImagePool::set_size(Size size) {
  if (size == size_) return;
  images_.clear();
  size_ = size;
}

void SharedImagePool::mark_stale(RowBand band) {
  for (const auto& image : images_) image->stale.add(band);
}

std::shared_ptr<SharedImage> SharedImagePool::up_to_date() const {
  const auto is_fresh = [](const auto& image) { return image->stale.is_empty(); };
  const auto found = std::find_if(images_.begin(), images_.end(), is_fresh);
  return found == images_.end() ? nullptr : *found;
}

std::shared_ptr<SharedImage> SharedImagePool::free_image() {
  std::shared_ptr<SharedImage> best;
  for (const auto& image : images_) {
    const bool is_free = image.use_count() == 1;
    if (is_free && (!best || image->stale.n_rows() < best->stale.n_rows())) best = image;
  }
  if (best) {
    // Pairs with the release of the last frame that owned the image, perhaps on another thread.
    std::atomic_thread_fence(std::memory_order_acquire);
    return best;
  }
  auto image = std::make_shared<SharedImage>(x_, size_);
  if (images_.size() >= kMaxPooledImages) images_.erase(images_.begin());
  images_.push_back(image);
  return image;
}

}  // namespace capture
