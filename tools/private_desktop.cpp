#include "tools/private_desktop.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include "capture/error.h"
#include "tools/desktop_home.h"
#include "tools/desktop_readiness.h"
#include "tools/openbox_config.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kServerLimit = 20s;
constexpr auto kWindowManagerLimit = 15s;
constexpr auto kKeyboardLimit = 15s;
constexpr char kAccessibilityLauncher[] = "/usr/libexec/at-spi-bus-launcher";

[[noreturn]] void fail(const std::string& why) {
  throw capture::Error("cannot start a private desktop: " + why);
}

bool is_executable_file(const fs::path& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

void require_program(const std::string& name, const std::string& package) {
  const char* path = getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (is_executable_file(fs::path(rest.substr(0, end)) / name)) return;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  fail("the program " + name + " is not installed (or not in PATH); run: sudo apt install " + package);
}

using Cookie = std::array<char, 16>;

void append_field(std::string& out, std::string_view field) {
  out.push_back(static_cast<char>(field.size() >> 8));
  out.push_back(static_cast<char>(field.size() & 0xff));
  out.append(field);
}

// The Xauthority file format: family, address, display number, name, data. Family 0xffff holds for every address.
Cookie write_authority(const fs::path& path) {
  Cookie cookie;
  if (getrandom(cookie.data(), cookie.size(), 0) != static_cast<ssize_t>(cookie.size())) fail("no random numbers");
  std::string entry = "\xff\xff";
  append_field(entry, "");
  append_field(entry, "");
  append_field(entry, "MIT-MAGIC-COOKIE-1");
  append_field(entry, {cookie.data(), cookie.size()});
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written = fd >= 0 && write(fd, entry.data(), entry.size()) == static_cast<ssize_t>(entry.size());
  if (fd >= 0) close(fd);
  if (!written) fail("cannot write " + path.string());
  return cookie;
}

// A FIFO on which a starting program tells its address as one line.
class Announcement {
 public:
  explicit Announcement(fs::path path) : path_(std::move(path)) {
    if (mkfifo(path_.c_str(), 0600) != 0) fail("cannot make " + path_.string() + ": " + strerror(errno));
    fd_ = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd_ < 0) fail("cannot open " + path_.string() + ": " + strerror(errno));
  }
  ~Announcement() { close(fd_); }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;
  const fs::path& path() const { return path_; }

  // None: the program ended first, or the time passed.
  std::optional<std::string> line(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::string text;
    for (auto now = deadline - limit; now < deadline; now = std::chrono::steady_clock::now()) {
      pollfd readable{fd_, POLLIN, 0};
      if (poll(&readable, 1, static_cast<int>((deadline - now) / 1ms) + 1) < 0 && errno != EINTR) break;
      char buffer[512];
      const ssize_t n_bytes = read(fd_, buffer, sizeof buffer);
      if (n_bytes > 0) text.append(buffer, static_cast<size_t>(n_bytes));
      if (const size_t end = text.find('\n'); end != std::string::npos) return text.substr(0, end);
      if (n_bytes == 0) break;
    }
    return std::nullopt;
  }

 private:
  fs::path path_;
  int fd_ = -1;
};

using Connection = std::unique_ptr<xcb_connection_t, decltype(&xcb_disconnect)>;

Connection connect_with_cookie(const std::string& display, Cookie cookie) {
  char name[] = "MIT-MAGIC-COOKIE-1";
  xcb_auth_info_t authority{static_cast<int>(sizeof name - 1), name, static_cast<int>(cookie.size()), cookie.data()};
  Connection connection(xcb_connect_to_display_with_auth_info(display.c_str(), &authority, nullptr), &xcb_disconnect);
  if (xcb_connection_has_error(connection.get()) != 0) fail("its X server " + display + " refuses our connection");
  return connection;
}

// Lets every program of this user in, so that our own parts need not carry one cookie per desktop.
void admit_this_user(xcb_connection_t* connection) {
  using namespace std::string_literals;
  const std::string who = "localuser\0#"s + std::to_string(getuid());
  xcb_generic_error_t* error = xcb_request_check(
      connection,
      xcb_change_hosts_checked(connection, XCB_HOST_MODE_INSERT, XCB_FAMILY_SERVER_INTERPRETED,
                               static_cast<uint16_t>(who.size()), reinterpret_cast<const uint8_t*>(who.data())));
  if (error != nullptr) {
    free(error);
    fail("its X server does not admit this user");
  }
}

std::string why_it_ended(const DesktopProcess& process) {
  std::string output = process.output(1500);
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output.empty() ? " (it said nothing)" : ". It said: " + output;
}

}  // namespace

struct PrivateDesktop::State {
  std::shared_ptr<DesktopSupervisor> supervisor;
  std::string display, session_bus;
  Environment environment;
  DesktopHome home;
  std::string home_warning;
  std::vector<DesktopProcess> parts;  // X server, bus, window manager, accessibility
  std::atomic<int> n_launched = 0;

  DesktopProcess launch(std::vector<std::string> argv, const Environment& variables, const fs::path& working_directory,
                        const fs::path& announce = {}) {
    const std::string log_name =
        std::to_string(++n_launched) + "-" + (argv.empty() ? "" : fs::path(argv[0]).filename().string());
    return DesktopProcess::launch(supervisor, {.argv = std::move(argv),
                                               .environment = variables,
                                               .working_directory = working_directory,
                                               .log_name = log_name,
                                               .announce = announce});
  }

  void start_x_server(const DesktopOptions& options);
  void start_session_bus();
  void set_keyboard(const KeyboardLayout& keyboard);
};

void PrivateDesktop::State::start_x_server(const DesktopOptions& options) {
  const std::string size = std::to_string(options.width_px) + "x" + std::to_string(options.height_px);
  Announcement announcement(supervisor->directory() / "display");
  Environment variables = environment;
  std::vector<std::string> argv;
  if (options.view == DesktopOptions::View::Headless) {
    argv = {"Xvfb", "-screen", "0", size + "x24"};
  } else {
    const char* outer = getenv("DISPLAY");
    if (outer == nullptr || *outer == '\0')
      fail("it is to be shown in a window, but DISPLAY is not set; start it headless or from a graphical session");
    argv = {"Xephyr", "-screen", size, "-title", options.title, "-no-host-grab"};
    variables["DISPLAY"] = outer;
    variables.erase("XAUTHORITY");
    for (const char* name : {"XAUTHORITY", "HOME"})
      if (const char* value = getenv(name)) variables[name] = value;
  }
  // -noreset: else the server forgets keyboard, monitors and properties whenever its last program leaves.
  for (const char* argument : {"-displayfd", "3", "-noreset", "-nolisten", "tcp", "-auth"}) argv.emplace_back(argument);
  argv.push_back(environment.at("XAUTHORITY"));
  const DesktopProcess server = launch(argv, variables, "/", announcement.path());
  const std::optional<std::string> number = announcement.line(kServerLimit);
  if (!number) fail("the X server " + argv[0] + " (" + size + ") did not start" + why_it_ended(server));
  display = ":" + *number;
  supervisor->ask({{"do", "display"}, {"socket", "/tmp/.X11-unix/X" + *number}});
  environment["DISPLAY"] = display;
  parts.push_back(server);
}

void PrivateDesktop::State::start_session_bus() {
  Announcement announcement(supervisor->directory() / "bus-address");
  const std::string address = "unix:path=" + (home.runtime / "bus").string();
  const DesktopProcess bus =
      launch({"dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address, "--print-address=3"},
             environment, home.home, announcement.path());
  const std::optional<std::string> told = announcement.line(kServerLimit);
  if (!told) fail("the D-Bus session did not start" + why_it_ended(bus));
  session_bus = *told;
  environment["DBUS_SESSION_BUS_ADDRESS"] = session_bus;
  parts.push_back(bus);
}

void PrivateDesktop::State::set_keyboard(const KeyboardLayout& keyboard) {
  std::vector<std::string> argv = {"setxkbmap", "-layout", keyboard.layout};
  if (!keyboard.variant.empty()) argv.insert(argv.end(), {"-variant", keyboard.variant});
  if (!keyboard.options.empty()) argv.insert(argv.end(), {"-option", keyboard.options});
  const DesktopProcess setter = launch(argv, environment, home.home);
  const std::optional<ExitStatus> status = setter.wait(kKeyboardLimit);
  if (!status || status->exit_code != 0)
    fail("the keyboard layout \"" + keyboard.layout + "\" (variant \"" + keyboard.variant + "\", options \"" +
         keyboard.options + "\") was refused; /usr/share/X11/xkb/rules/base.lst lists the names" +
         why_it_ended(setter));
}

PrivateDesktop PrivateDesktop::start(const DesktopOptions& options) {
  if (options.width_px < 64 || options.height_px < 64 || options.width_px > 16384 || options.height_px > 16384)
    fail("a size of " + std::to_string(options.width_px) + "x" + std::to_string(options.height_px) +
         " pixels is outside 64 to 16384");
  const bool headless = options.view == DesktopOptions::View::Headless;
  require_program(headless ? "Xvfb" : "Xephyr", headless ? "xvfb" : "xserver-xephyr");
  require_program("dbus-daemon", "dbus");
  if (options.window_manager == DesktopOptions::WindowManager::Openbox) require_program("openbox", "openbox");
  if (!options.keyboard.layout.empty()) require_program("setxkbmap", "x11-xkb-utils");
  if (!is_executable_file(kAccessibilityLauncher))
    fail(std::string(kAccessibilityLauncher) + " is not installed; run: sudo apt install at-spi2-core");

  auto state = std::make_unique<State>();
  const DesktopDirectory directory = create_desktop_directory();
  try {
    state->supervisor = std::make_shared<DesktopSupervisor>(directory);
  } catch (...) {
    remove_desktop_directory(directory.path);
    close(directory.lock_fd);
    throw;
  }
  close(directory.lock_fd);  // the supervisor holds it
  state->home = make_desktop_home(directory.path, options);
  state->environment = desktop_environment(state->home, directory.path);
  const Cookie cookie = write_authority(directory.path / "Xauthority");
  state->start_x_server(options);
  state->home_warning = guard_user_home(*state->supervisor, options.writable);
  state->start_session_bus();
  const Connection connection = connect_with_cookie(state->display, cookie);
  admit_this_user(connection.get());
  if (!options.keyboard.layout.empty()) state->set_keyboard(options.keyboard);
  for (const auto& [name, value] : options.extra_environment) state->environment[name] = value;

  const DesktopProcess accessibility =
      state->launch({kAccessibilityLauncher, "--launch-immediately"}, state->environment, state->home.home);
  if (options.window_manager == DesktopOptions::WindowManager::Openbox) {
    const fs::path config = directory.path / "openbox.xml";
    std::ofstream(config) << kOpenboxConfig;
    const DesktopProcess manager =
        state->launch({"openbox", "--config-file", config, "--sm-disable"}, state->environment, state->home.home);
    if (!wait_for_window_manager(connection.get(), manager, kWindowManagerLimit))
      fail("the window manager openbox did not start" + why_it_ended(manager));
    state->parts.push_back(manager);
  }
  if (!wait_for_root_property(connection.get(), "AT_SPI_BUS", accessibility, kWindowManagerLimit))
    fail("the accessibility bus did not start" + why_it_ended(accessibility));
  state->parts.push_back(accessibility);
  return PrivateDesktop(std::move(state));
}

PrivateDesktop::PrivateDesktop(std::unique_ptr<State> state) : state_(std::move(state)) {}
PrivateDesktop::~PrivateDesktop() = default;
PrivateDesktop::PrivateDesktop(PrivateDesktop&&) noexcept = default;
PrivateDesktop& PrivateDesktop::operator=(PrivateDesktop&&) noexcept = default;

const std::string& PrivateDesktop::display() const {
  return state_->display;
}
const Environment& PrivateDesktop::environment() const {
  return state_->environment;
}
const std::string& PrivateDesktop::session_bus() const {
  return state_->session_bus;
}
const fs::path& PrivateDesktop::home() const {
  return state_->home.home;
}
const fs::path& PrivateDesktop::directory() const {
  return state_->supervisor->directory();
}

const std::string& PrivateDesktop::home_warning() const {
  return state_->home_warning;
}

bool PrivateDesktop::is_alive() const {
  return std::all_of(state_->parts.begin(), state_->parts.end(),
                     [](const DesktopProcess& part) { return !part.exit_status(); });
}

DesktopProcess PrivateDesktop::launch(std::vector<std::string> argv, const Environment& extra_environment,
                                      const fs::path& working_directory) {
  Environment variables = state_->environment;
  for (const auto& [name, value] : extra_environment) variables[name] = value;
  return state_->launch(std::move(argv), variables, working_directory.empty() ? state_->home.home : working_directory);
}

}  // namespace tools
