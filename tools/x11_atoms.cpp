#include "tools/x11_atoms.h"

namespace tools {

using capture::XReply;

xcb_atom_t X11Atoms::operator[](std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto known = atoms_.find(name); known != atoms_.end()) return known->second;
  const auto cookie = xcb_intern_atom(connection_->get(), 0, static_cast<uint16_t>(name.size()), name.data());
  const XReply<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(connection_->get(), cookie, nullptr));
  if (!reply) return XCB_ATOM_NONE;
  atoms_.emplace(name, reply->atom);
  return reply->atom;
}

std::string X11Atoms::name_of(xcb_atom_t atom) {
  const std::lock_guard lock(mutex_);
  if (const auto known = names_.find(atom); known != names_.end()) return known->second;
  const auto cookie = xcb_get_atom_name(connection_->get(), atom);
  const XReply<xcb_get_atom_name_reply_t> reply(xcb_get_atom_name_reply(connection_->get(), cookie, nullptr));
  if (!reply) return "";
  std::string name(xcb_get_atom_name_name(reply.get()),
                   static_cast<size_t>(xcb_get_atom_name_name_length(reply.get())));
  names_.emplace(atom, name);
  return name;
}

std::vector<uint32_t> property_numbers(const PropertyReply& reply) {
  if (!reply || reply->format != 32) return {};
  const auto* numbers = static_cast<const uint32_t*>(xcb_get_property_value(reply.get()));
  return {numbers, numbers + xcb_get_property_value_length(reply.get()) / 4};
}

std::string property_text(const PropertyReply& reply) {
  if (!reply || reply->format != 8) return "";
  return {static_cast<const char*>(xcb_get_property_value(reply.get())),
          static_cast<size_t>(xcb_get_property_value_length(reply.get()))};
}

std::string latin1_to_utf8(const std::string& text) {
  std::string utf8;
  utf8.reserve(text.size());
  for (const unsigned char c : text) {
    if (c >= 0x80) utf8.push_back(static_cast<char>(0xc0 | (c >> 6)));
    utf8.push_back(static_cast<char>(c < 0x80 ? c : 0x80 | (c & 0x3f)));
  }
  return utf8;
}

}  // namespace tools
