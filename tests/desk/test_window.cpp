#include "tests/desk/test_window.h"

#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace desk_test {

TestWindow::TestWindow(const std::string& display, capture::Rect place_pt, std::uint32_t colour)
    : connection_(xcb_connect(display.c_str(), nullptr)) {
  if (xcb_connection_has_error(connection_) != 0) throw std::runtime_error("no X server at " + display);
  screen_ = xcb_setup_roots_iterator(xcb_get_setup(connection_)).data;
  window_ = xcb_generate_id(connection_);
  context_ = xcb_generate_id(connection_);
  const std::uint32_t values[] = {colour, 1};
  xcb_create_window(connection_, 24, window_, screen_->root, static_cast<std::int16_t>(place_pt.x),
                    static_cast<std::int16_t>(place_pt.y), static_cast<std::uint16_t>(place_pt.width),
                    static_cast<std::uint16_t>(place_pt.height), 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT,
                    XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT, values);
  const std::uint32_t no_exposures = 0;
  xcb_create_gc(connection_, context_, window_, XCB_GC_GRAPHICS_EXPOSURES, &no_exposures);
  show();
}

TestWindow::~TestWindow() {
  xcb_disconnect(connection_);
}

void TestWindow::fill(capture::Rect area_px, std::uint32_t colour) {
  xcb_change_gc(connection_, context_, XCB_GC_FOREGROUND, &colour);
  const xcb_rectangle_t rectangle{static_cast<std::int16_t>(area_px.x), static_cast<std::int16_t>(area_px.y),
                                  static_cast<std::uint16_t>(area_px.width),
                                  static_cast<std::uint16_t>(area_px.height)};
  xcb_poly_fill_rectangle(connection_, window_, context_, 1, &rectangle);
  sync();
}

void TestWindow::put(capture::Rect area_px, const std::uint32_t* pixels) {
  // In bands that fit into one request of the core protocol.
  const int band_rows = std::max(1, 60000 / area_px.width);
  for (int y = 0; y < area_px.height; y += band_rows) {
    const int n_rows = std::min(band_rows, area_px.height - y);
    const std::uint32_t* from = pixels + static_cast<std::ptrdiff_t>(y) * area_px.width;
    xcb_put_image(connection_, XCB_IMAGE_FORMAT_Z_PIXMAP, window_, context_, static_cast<std::uint16_t>(area_px.width),
                  static_cast<std::uint16_t>(n_rows), static_cast<std::int16_t>(area_px.x),
                  static_cast<std::int16_t>(area_px.y + y), 0, 24,
                  static_cast<std::uint32_t>(4 * n_rows * area_px.width), reinterpret_cast<const std::uint8_t*>(from));
  }
  sync();
}

void TestWindow::scroll(capture::Rect area_px, int dx_px, int dy_px) {
  xcb_copy_area(connection_, window_, window_, context_, static_cast<std::int16_t>(area_px.x),
                static_cast<std::int16_t>(area_px.y), static_cast<std::int16_t>(area_px.x + dx_px),
                static_cast<std::int16_t>(area_px.y + dy_px), static_cast<std::uint16_t>(area_px.width),
                static_cast<std::uint16_t>(area_px.height));
  sync();
}

void TestWindow::place(capture::Rect place_pt) {
  const std::uint32_t values[] = {static_cast<std::uint32_t>(place_pt.x), static_cast<std::uint32_t>(place_pt.y),
                                  static_cast<std::uint32_t>(place_pt.width),
                                  static_cast<std::uint32_t>(place_pt.height)};
  xcb_configure_window(connection_, window_,
                       XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT,
                       values);
  sync();
}

void TestWindow::raise() {
  const std::uint32_t above = XCB_STACK_MODE_ABOVE;
  xcb_configure_window(connection_, window_, XCB_CONFIG_WINDOW_STACK_MODE, &above);
  sync();
}

void TestWindow::show() {
  xcb_map_window(connection_, window_);
  sync();
}

void TestWindow::hide() {
  xcb_unmap_window(connection_, window_);
  sync();
}

void TestWindow::destroy() {
  xcb_destroy_window(connection_, window_);
  sync();
}

void TestWindow::set_cursor(std::uint32_t colour, int size_px) {
  const auto size = static_cast<std::uint16_t>(size_px);
  const xcb_pixmap_t shape = xcb_generate_id(connection_);
  xcb_create_pixmap(connection_, 1, shape, window_, size, size);
  const xcb_gcontext_t ink = xcb_generate_id(connection_);
  const std::uint32_t one = 1;
  xcb_create_gc(connection_, ink, shape, XCB_GC_FOREGROUND, &one);
  const xcb_rectangle_t all{0, 0, size, size};
  xcb_poly_fill_rectangle(connection_, shape, ink, 1, &all);
  const auto channel = [&](int shift) { return static_cast<std::uint16_t>((colour >> shift & 0xff) * 257); };
  const xcb_cursor_t cursor = xcb_generate_id(connection_);
  xcb_create_cursor(connection_, cursor, shape, shape, channel(16), channel(8), channel(0), 0, 0, 0, size / 2,
                    size / 2);
  xcb_change_window_attributes(connection_, window_, XCB_CW_CURSOR, &cursor);
  sync();
}

void TestWindow::warp_pointer(int x_px, int y_px) {
  xcb_warp_pointer(connection_, XCB_NONE, window_, 0, 0, 0, 0, static_cast<std::int16_t>(x_px),
                   static_cast<std::int16_t>(y_px));
  sync();
}

void TestWindow::sync() {
  std::free(xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_), nullptr));
}

}  // namespace desk_test
