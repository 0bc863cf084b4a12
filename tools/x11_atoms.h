#pragma once
// Names and properties of an X server in C++ types. A window that has vanished reads as "no such property".

#include <xcb/xcb.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "capture/x11_connection.h"

namespace tools {

// Any thread.
class X11Atoms {
 public:
  explicit X11Atoms(std::shared_ptr<capture::X11Connection> connection) : connection_(std::move(connection)) {}

  xcb_atom_t operator[](std::string_view name);
  std::string name_of(xcb_atom_t atom);

 private:
  std::shared_ptr<capture::X11Connection> connection_;
  std::mutex mutex_;
  std::map<std::string, xcb_atom_t, std::less<>> atoms_;
  std::map<xcb_atom_t, std::string> names_;
};

using PropertyReply = capture::XReply<xcb_get_property_reply_t>;

// The items of a property of format 32; empty when there is none.
std::vector<uint32_t> property_numbers(const PropertyReply& reply);
// The bytes of a property of format 8; empty when there is none.
std::string property_text(const PropertyReply& reply);

// X's oldest text type, STRING, is ISO 8859-1.
std::string latin1_to_utf8(const std::string& text);

}  // namespace tools
