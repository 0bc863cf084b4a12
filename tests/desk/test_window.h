#pragma once
// A window whose every pixel a test decides.

#include <xcb/xcb.h>

#include <cstdint>
#include <string>

#include "capture/screen_map.h"

namespace desk_test {

// Owns its connection, as a program of its own would. Colours are 0xRRGGBB. Each call returns when the server has
// drawn.
class TestWindow {
 public:
  // Not managed: placed exactly at `place_pt`, on top, and shown.
  TestWindow(const std::string& display, capture::Rect place_pt, std::uint32_t colour = 0);
  ~TestWindow();
  TestWindow(const TestWindow&) = delete;
  TestWindow& operator=(const TestWindow&) = delete;

  xcb_window_t id() const { return window_; }
  xcb_connection_t* connection() const { return connection_; }
  void fill(capture::Rect area_px, std::uint32_t colour);
  void put(capture::Rect area_px, const std::uint32_t* pixels);  // [height, width]
  void scroll(capture::Rect area_px, int dx_px, int dy_px);      // moves what is there
  void place(capture::Rect place_pt);
  void raise();
  void show();
  void hide();
  void destroy();
  void set_cursor(std::uint32_t colour, int size_px);  // a solid square with its hot spot in the middle
  void warp_pointer(int x_px, int y_px);
  void sync();

 private:
  xcb_connection_t* connection_;
  xcb_screen_t* screen_;
  xcb_window_t window_;
  xcb_gcontext_t context_;
};

}  // namespace desk_test
