#pragma once
// A connection to an X server, and what XCB needs around it. Requests are checked one by one, so a window that vanishes
// is a value here, where Xlib's default handler would end the program.

#include <xcb/xcb.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace capture {

struct FreeReply {
  void operator()(void* reply) const { std::free(reply); }
};
template <typename T>
using XReply = std::unique_ptr<T, FreeReply>;
using XError = XReply<xcb_generic_error_t>;

// "BadWindow (resource 0x400003)"; "no answer" for null.
std::string describe(const xcb_generic_error_t* error);

// Closed with its last owner. XCB locks inside, so owners may be on several threads.
class X11Connection {
 public:
  // `display` as in DISPLAY (":0"); empty: the environment's. Throws Error that says in one sentence why it can't be
  // reached: no display named, a malformed name, nobody answers there, or the server refuses us.
  static std::shared_ptr<X11Connection> open(const std::string& display = "");
  ~X11Connection();
  X11Connection(const X11Connection&) = delete;
  X11Connection& operator=(const X11Connection&) = delete;

  xcb_connection_t* get() const { return connection_; }
  const xcb_screen_t& screen() const { return *screen_; }
  xcb_window_t root() const { return screen_->root; }
  const std::string& display() const { return display_; }
  bool is_alive() const { return xcb_connection_has_error(connection_) == 0; }

  bool has(xcb_extension_t* extension) const;
  // Throws Error naming the extension and what it is needed for.
  void require(xcb_extension_t* extension, const char* name, const char* purpose) const;

 private:
  X11Connection(xcb_connection_t* connection, const xcb_screen_t* screen, std::string display)
      : connection_(connection), screen_(screen), display_(std::move(display)) {}

  xcb_connection_t* connection_;
  const xcb_screen_t* screen_;
  std::string display_;
};

}  // namespace capture
