#pragma once
// When the programs that make a private desktop are ready, asked of its X server.

#include <xcb/xcb.h>

#include <chrono>
#include <string_view>

#include "tools/desktop_processes.h"

namespace tools {

// Waits until the root window carries the property. False: the owner ended, the server went, or the time passed.
bool wait_for_root_property(xcb_connection_t* connection, std::string_view name, const DesktopProcess& owner,
                            std::chrono::milliseconds limit);

// Waits until the window manager answers a request, so that it takes care of every window mapped from here on. False as
// above.
bool wait_for_window_manager(xcb_connection_t* connection, const DesktopProcess& manager,
                             std::chrono::milliseconds limit);

}  // namespace tools
