#include "tools/input_helper/display_check.h"

#include <X11/Xatom.h>
#include <X11/extensions/XTest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace tools::input_helper {
namespace {

int ignore_error(Display*, XErrorEvent*) {
  return 0;
}
// Nothing is pressed any more when the server is gone, and the program sees our socket close.
int end_with_server(Display*) {
  ::_exit(1);
}

bool server_listens(const std::string& display) {
  if (display.empty() || display[0] != ':') return false;
  const std::string path = "/tmp/.X11-unix/X" + display.substr(1, display.find('.') - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const bool listens = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return listens;
}

// libX11 prints its own lines about a refused connection; our one sentence replaces them.
Display* open_quietly() {
  const int saved = ::fcntl(2, F_DUPFD_CLOEXEC, 10);
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(null, 2);
  Display* display = XOpenDisplay(nullptr);
  if (saved >= 0) ::dup2(saved, 2);
  ::close(saved);
  ::close(null);
  return display;
}

std::vector<unsigned long> property(Display* display, Window window, const char* name, Atom type) {
  Atom found_type = None;
  int format = 0;
  unsigned long n_items = 0, bytes_after = 0;
  unsigned char* data = nullptr;
  std::vector<unsigned long> items;
  if (XGetWindowProperty(display, window, XInternAtom(display, name, False), 0, 64, False, type, &found_type, &format,
                         &n_items, &bytes_after, &data) == Success &&
      data && format == 32)
    items.assign(reinterpret_cast<unsigned long*>(data), reinterpret_cast<unsigned long*>(data) + n_items);
  if (data) XFree(data);
  return items;
}

bool holds_client(Display* display, Window window) {
  Window root = None, parent = None, *children = nullptr;
  unsigned n_children = 0;
  bool found = false;
  if (!XQueryTree(display, window, &root, &parent, &children, &n_children)) return false;
  for (unsigned child_idx = 0; child_idx < n_children && !found; ++child_idx)
    found = !property(display, children[child_idx], "WM_STATE", AnyPropertyType).empty();
  if (children) XFree(children);
  return found;
}

bool is_tip_or_note(Display* display, Window window) {
  for (const unsigned long type : property(display, window, "_NET_WM_WINDOW_TYPE", XA_ATOM))
    for (const char* name : {"_NET_WM_WINDOW_TYPE_TOOLTIP", "_NET_WM_WINDOW_TYPE_NOTIFICATION",
                             "_NET_WM_WINDOW_TYPE_DND", "_NET_WM_WINDOW_TYPE_DOCK", "_NET_WM_WINDOW_TYPE_DESKTOP"})
      if (type == XInternAtom(display, name, False)) return true;
  return false;
}

// Menus and combo boxes hold the pointer as long as they are open; clicking them is what an agent wants.
bool is_menu_open(Display* display) {
  Window root = None, parent = None, *children = nullptr;
  unsigned n_children = 0;
  bool found = false;
  if (!XQueryTree(display, DefaultRootWindow(display), &root, &parent, &children, &n_children)) return false;
  for (unsigned child_idx = 0; child_idx < n_children && !found; ++child_idx) {
    XWindowAttributes attributes;
    const Window window = children[child_idx];
    if (!XGetWindowAttributes(display, window, &attributes)) continue;
    const bool shown = attributes.override_redirect && attributes.map_state == IsViewable &&
                       attributes.c_class == InputOutput && attributes.width > 4 && attributes.height > 4 &&
                       attributes.x + attributes.width > 0 && attributes.y + attributes.height > 0;
    found = shown && !holds_client(display, window) && !is_tip_or_note(display, window);
  }
  if (children) XFree(children);
  return found;
}

}  // namespace

OpenedDisplay open_display() {
  const char* name = std::getenv("DISPLAY");
  if (!name || !*name) return {nullptr, "DISPLAY is not set: there is no X display to work on. Use a private desktop."};
  XSetErrorHandler(ignore_error);
  XSetIOErrorHandler(end_with_server);
  Display* display = open_quietly();
  if (!display) {
    const char* authority = std::getenv("XAUTHORITY");
    if (server_listens(name))
      return {nullptr, std::string("The X server ") + name + " refused the connection: XAUTHORITY (" +
                           (authority ? authority : "~/.Xauthority") + ") doesn't hold its cookie."};
    return {nullptr, std::string("No X server answers at DISPLAY=") + name + ": start one or correct DISPLAY."};
  }
  int event = 0, error = 0, major = 0, minor = 0;
  if (!XTestQueryExtension(display, &event, &error, &major, &minor)) {
    XCloseDisplay(display);
    return {nullptr,
            std::string("The X server ") + name +
                " lacks the XTEST extension, which mouse and keyboard need: start it without -extension XTEST."};
  }
  return {display, ""};
}

std::string input_method(Display* display) {
  for (const unsigned long server : property(display, DefaultRootWindow(display), "XIM_SERVERS", XA_ATOM)) {
    if (XGetSelectionOwner(display, server) == None) continue;
    char* atom_name = XGetAtomName(display, server);  // "@server=ibus"
    if (!atom_name) continue;
    const std::string name = atom_name;
    XFree(atom_name);
    return name.substr(name.find('=') + 1);
  }
  return {};
}

std::vector<std::string> display_warnings(Display* display) {
  std::vector<std::string> warnings;
  if (property(display, DefaultRootWindow(display), "_NET_SUPPORTING_WM_CHECK", XA_WINDOW).empty())
    warnings.push_back(
        "No window manager runs: windows can't be focused or moved by name, typing goes to the window "
        "under the pointer.");
  if (const std::string method = input_method(display); !method.empty())
    warnings.push_back("The input method " + method + " runs: it may change typed text.");
  return warnings;
}

bool is_pointer_grabbed(Display* display, Window unmapped_window) {
  // A window that isn't shown can't hold a grab, so the answer comes without any grab taking place.
  const int answer =
      XGrabPointer(display, unmapped_window, False, 0, GrabModeAsync, GrabModeAsync, None, None, CurrentTime);
  return (answer == AlreadyGrabbed || answer == GrabFrozen) && !is_menu_open(display);
}

bool is_keyboard_grabbed(Display* display, Window unmapped_window) {
  const int answer = XGrabKeyboard(display, unmapped_window, False, GrabModeAsync, GrabModeAsync, CurrentTime);
  return (answer == AlreadyGrabbed || answer == GrabFrozen) && !is_menu_open(display);
}

}  // namespace tools::input_helper
