#include "capture/x11_connection.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <sstream>

#include "capture/error.h"

namespace capture {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Whether somebody accepts connections at the local socket of this display number.
bool somebody_listens(int number) {
  const std::string path = "/tmp/.X11-unix/X" + std::to_string(number);
  for (const bool is_abstract : {false, true}) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + (is_abstract ? 1 : 0), path.data(), path.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
    const bool is_open = connect(fd, reinterpret_cast<sockaddr*>(&address), length) == 0;
    close(fd);
    if (is_open) return true;
  }
  return false;
}

std::string why_unreachable(const std::string& name) {
  char* host = nullptr;
  int number = 0, screen = 0;
  if (!xcb_parse_display(name.c_str(), &host, &number, &screen)) {
    return "DISPLAY is \"" + name + "\", which is not the name of a display (\":0\" would be)";
  }
  const bool is_local = host == nullptr || *host == '\0' || std::strcmp(host, "unix") == 0;
  std::free(host);
  if (!is_local) return "The X server at " + name + " can't be reached or refuses us";
  if (!somebody_listens(number))
    return "No X server answers at " + name + ": start one or set DISPLAY to one that runs";
  const std::string file = environment("XAUTHORITY");
  return "The X server at " + name + " refuses us: " +
         (file.empty() ? "set XAUTHORITY to the file with its cookie"
                       : "the file that XAUTHORITY names, " + file + ", holds no valid cookie for it");
}

}  // namespace

std::string describe(const xcb_generic_error_t* error) {
  if (error == nullptr) return "no answer";
  static constexpr std::array kNames = {"Success",   "BadRequest", "BadValue",         "BadWindow",   "BadPixmap",
                                        "BadAtom",   "BadCursor",  "BadFont",          "BadMatch",    "BadDrawable",
                                        "BadAccess", "BadAlloc",   "BadColor",         "BadGContext", "BadIDChoice",
                                        "BadName",   "BadLength",  "BadImplementation"};
  std::ostringstream out;
  if (error->error_code < kNames.size()) {
    out << kNames[error->error_code];
  } else {
    out << "extension error " << int{error->error_code};
  }
  out << " (resource 0x" << std::hex << error->resource_id << ")";
  return out.str();
}

std::shared_ptr<X11Connection> X11Connection::open(const std::string& display) {
  const std::string name = display.empty() ? environment("DISPLAY") : display;
  if (name.empty()) {
    throw Error(
        environment("WAYLAND_DISPLAY").empty()
            ? "DISPLAY is not set, so there is no screen to see: start from a desktop session, or use a private desktop"
            : "DISPLAY is not set: this Wayland session runs no XWayland, and capture needs an X server; use a "
              "private desktop");
  }
  int screen_number = 0;
  xcb_connection_t* connection = xcb_connect(name.c_str(), &screen_number);
  if (xcb_connection_has_error(connection) != 0) {
    xcb_disconnect(connection);
    throw Error(why_unreachable(name));
  }
  xcb_screen_iterator_t screen = xcb_setup_roots_iterator(xcb_get_setup(connection));
  for (; screen.rem > 1 && screen_number > 0; --screen_number) xcb_screen_next(&screen);
  return std::shared_ptr<X11Connection>(new X11Connection(connection, screen.data, name));
}

X11Connection::~X11Connection() {
  xcb_disconnect(connection_);
}

bool X11Connection::has(xcb_extension_t* extension) const {
  const xcb_query_extension_reply_t* reply = xcb_get_extension_data(connection_, extension);
  return reply != nullptr && reply->present;
}

void X11Connection::require(xcb_extension_t* extension, const char* name, const char* purpose) const {
  if (has(extension)) return;
  throw Error("The X server at " + display_ + " has no " + name + " extension, which " + purpose +
              " needs: switch it on in the server, or use a private desktop");
}

}  // namespace capture
