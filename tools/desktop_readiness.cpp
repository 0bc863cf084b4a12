#include "tools/desktop_readiness.h"

#include <poll.h>

#include <cstdlib>
#include <functional>
#include <memory>

namespace tools {
namespace {

using std::chrono::steady_clock;

xcb_window_t root_of(xcb_connection_t* connection) {
  return xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
}

xcb_atom_t atom(xcb_connection_t* connection, std::string_view name) {
  const std::unique_ptr<xcb_intern_atom_reply_t, decltype(&free)> reply(
      xcb_intern_atom_reply(connection, xcb_intern_atom(connection, 0, static_cast<uint16_t>(name.size()), name.data()),
                            nullptr),
      &free);
  return reply ? reply->atom : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
}

bool has_property(xcb_connection_t* connection, xcb_window_t window, xcb_atom_t property) {
  const std::unique_ptr<xcb_get_property_reply_t, decltype(&free)> reply(
      xcb_get_property_reply(connection, xcb_get_property(connection, 0, window, property, XCB_ATOM_ANY, 0, 1),
                             nullptr),
      &free);
  return reply && reply->type != XCB_ATOM_NONE;
}

// The window's property events must be selected. `before_each_wait` may stir up whoever is to set it.
bool wait_for_property(xcb_connection_t* connection, xcb_window_t window, xcb_atom_t property,
                       const DesktopProcess& owner, steady_clock::time_point deadline, int wait_ms,
                       const std::function<void()>& before_each_wait) {
  while (!has_property(connection, window, property)) {
    if (owner.exit_status() || steady_clock::now() > deadline || xcb_connection_has_error(connection) != 0)
      return false;
    before_each_wait();
    pollfd readable{xcb_get_file_descriptor(connection), POLLIN, 0};
    poll(&readable, 1, wait_ms);
    while (xcb_generic_event_t* event = xcb_poll_for_event(connection)) free(event);
  }
  return true;
}

}  // namespace

bool wait_for_root_property(xcb_connection_t* connection, std::string_view name, const DesktopProcess& owner,
                            std::chrono::milliseconds limit) {
  const xcb_window_t root = root_of(connection);
  const uint32_t selected = XCB_EVENT_MASK_PROPERTY_CHANGE, none = XCB_EVENT_MASK_NO_EVENT;
  xcb_change_window_attributes(connection, root, XCB_CW_EVENT_MASK, &selected);
  const bool found =
      wait_for_property(connection, root, atom(connection, name), owner, steady_clock::now() + limit, 200, [] {});
  xcb_change_window_attributes(connection, root, XCB_CW_EVENT_MASK, &none);
  return found;
}

// openbox announces itself (_NET_SUPPORTING_WM_CHECK) long before its main loop runs. Events of that while, a first
// window's MapRequest among them, it may move into a queue of its own, which its main loop does not look into before
// another event comes from the server: that window stays without a frame for as long as nothing else happens. So a
// request that only the main loop answers is sent once, and a property is touched until the answer comes.
bool wait_for_window_manager(xcb_connection_t* connection, const DesktopProcess& manager,
                             std::chrono::milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  // Before it announces itself nobody would get the request.
  if (!wait_for_root_property(connection, "_NET_SUPPORTING_WM_CHECK", manager, limit)) return false;
  const xcb_window_t root = root_of(connection);
  const xcb_window_t probe = xcb_generate_id(connection);
  const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  xcb_create_window(connection, XCB_COPY_FROM_PARENT, probe, root, -1, -1, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                    XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
  xcb_client_message_event_t request{};
  request.response_type = XCB_CLIENT_MESSAGE;
  request.format = 32;
  request.window = probe;
  request.type = atom(connection, "_NET_REQUEST_FRAME_EXTENTS");
  xcb_send_event(connection, 0, root, XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY,
                 reinterpret_cast<const char*>(&request));
  const xcb_atom_t touched = atom(connection, "_DESKHAND_WINDOW_MANAGER_AWAITED");
  const bool answered =
      wait_for_property(connection, probe, atom(connection, "_NET_FRAME_EXTENTS"), manager, deadline, 20, [&] {
        xcb_change_property(connection, XCB_PROP_MODE_REPLACE, root, touched, XCB_ATOM_CARDINAL, 32, 0, nullptr);
        xcb_flush(connection);
      });
  xcb_delete_property(connection, root, touched);
  xcb_destroy_window(connection, probe);
  xcb_flush(connection);
  return answered;
}

}  // namespace tools
