#pragma once
// Memory that the X server writes pictures into (MIT-SHM), and a small pool of it.

#include <xcb/shm.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/row_bands.h"
#include "capture/screen_map.h"
#include "capture/x11_connection.h"

namespace capture {

// One picture of [height, width] pixels of four bytes, rows without gaps. The memory has no name, so nothing is left
// behind however the program ends.
class SharedImage {
 public:
  // Throws Error when the memory or its attachment fails.
  SharedImage(std::shared_ptr<X11Connection> x, Size size);
  ~SharedImage();
  SharedImage(const SharedImage&) = delete;
  SharedImage& operator=(const SharedImage&) = delete;

  Size size() const { return size_; }
  std::uint8_t* pixels() const { return pixels_; }

  RowBands stale;  // rows that differ, or may differ, from the screen

  // Asks for `band` of the picture whose top left corner is at (x, y) of `drawable`; the answer must be taken by
  // finish().
  xcb_shm_get_image_cookie_t request(xcb_drawable_t drawable, int x, int y, RowBand band);
  // Empty when the rows were written; else the reason.
  std::string finish(xcb_shm_get_image_cookie_t cookie, RowBand band);

 private:
  bool is_untouched() const;  // still holds nothing but the marks of the constructor

  std::shared_ptr<X11Connection> x_;
  Size size_;
  std::size_t n_bytes_;
  std::uint8_t* pixels_ = nullptr;
  xcb_shm_seg_t segment_ = 0;
  bool was_written_ = false;
};

// Images of one size. An image is free when only the pool owns it; frames own theirs as long as they live.
class SharedImagePool {
 public:
  explicit SharedImagePool(std::shared_ptr<X11Connection> x) : x_(std::move(x)) {}

  void set_size(Size size);  // forgets all images when the size differs
  void mark_stale(RowBand band);
  // An image without stale rows, also one that frames own; null when there is none.
  std::shared_ptr<SharedImage> up_to_date() const;
  // The free image with the fewest stale rows, made when there is none. Throws Error when no memory can be had.
  std::shared_ptr<SharedImage> free_image();

 private:
  std::shared_ptr<X11Connection> x_;
  Size size_;
  std::vector<std::shared_ptr<SharedImage>> images_;
};

}  // namespace capture
