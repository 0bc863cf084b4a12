#include "tests/desk/input_window.h"

#include <X11/XKBlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace desk_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Display* open_or_throw(const std::string& name) {
  XSetErrorHandler([](Display*, XErrorEvent*) { return 0; });
  Display* display = XOpenDisplay(name.c_str());
  if (!display) throw std::runtime_error("no X server at " + name);
  return display;
}

}  // namespace

InputWindow::InputWindow(const std::string& display, Area area, Managed managed) : display_(open_or_throw(display)) {
  XSetWindowAttributes attributes{};
  attributes.event_mask = KeyPressMask | KeyReleaseMask | ButtonPressMask | ButtonReleaseMask | PointerMotionMask |
                          StructureNotifyMask | FocusChangeMask;
  attributes.override_redirect = managed == Managed::No;
  window_ = XCreateWindow(display_, DefaultRootWindow(display_), area.x, area.y, static_cast<unsigned>(area.width),
                          static_cast<unsigned>(area.height), 0, CopyFromParent, InputOutput, CopyFromParent,
                          CWEventMask | CWOverrideRedirect, &attributes);
  XSizeHints hints{};
  hints.flags = USPosition | PPosition;
  hints.x = area.x;
  hints.y = area.y;
  XSetWMNormalHints(display_, window_, &hints);
  XStoreName(display_, window_, "input window");
  XMapWindow(display_, window_);
  wait_for_count(MapNotify, 1);
}

InputWindow::~InputWindow() {
  XCloseDisplay(display_);
}

void InputWindow::take_focus() {
  XSetInputFocus(display_, window_, RevertToPointerRoot, CurrentTime);
  XSync(display_, False);
}

const std::vector<LoggedEvent>& InputWindow::events() {
  while (XPending(display_) > 0) {
    XEvent event;
    XNextEvent(display_, &event);
    LoggedEvent logged{.type = event.type, .seen_at = steady_clock::now()};
    if (event.type == MappingNotify) XRefreshKeyboardMapping(&event.xmapping);
    if (event.type >= KeyPress && event.type <= MotionNotify) {
      logged.detail = event.type == MotionNotify ? 0 : event.xkey.keycode;
      logged.x_root = event.xkey.x_root;
      logged.y_root = event.xkey.y_root;
      logged.state = event.xkey.state;
      logged.time_ms = event.xkey.time;
      if (event.type == KeyPress || event.type == KeyRelease) {
        char text[32];
        XLookupString(&event.xkey, text, sizeof text, &logged.keysym, nullptr);
      }
    }
    events_.push_back(logged);
  }
  return events_;
}

std::vector<LoggedEvent> InputWindow::events_of(int type) {
  std::vector<LoggedEvent> found;
  for (const LoggedEvent& event : events())
    if (event.type == type) found.push_back(event);
  return found;
}

bool InputWindow::wait_for(const std::function<bool()>& condition) {
  const auto until = steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (steady_clock::now() > until) return false;
    pollfd polled{ConnectionNumber(display_), POLLIN, 0};
    ::poll(&polled, 1, 5);
  }
  return true;
}

bool InputWindow::wait_for_count(int type, std::size_t count) {
  return wait_for([&] { return events_of(type).size() >= count; });
}

Pressed pressed_now(Display* display) {
  Pressed pressed;
  Window root = None, child = None;
  int x = 0, y = 0, window_x = 0, window_y = 0;
  unsigned mask = 0;
  XQueryPointer(display, DefaultRootWindow(display), &root, &child, &x, &y, &window_x, &window_y, &mask);
  pressed.buttons = mask & (Button1Mask | Button2Mask | Button3Mask | Button4Mask | Button5Mask);
  char keys[32];
  XQueryKeymap(display, keys);
  for (int keycode = 0; keycode < 256; ++keycode)
    if (keys[keycode / 8] & (1 << (keycode % 8))) pressed.keycodes.push_back(keycode);
  return pressed;
}

double milliseconds_until_released(Display* display) {
  const auto start = steady_clock::now();
  while (!pressed_now(display).nothing()) {
    if (steady_clock::now() - start > milliseconds(3000)) return -1;
    ::usleep(500);
  }
  return std::chrono::duration<double, std::milli>(steady_clock::now() - start).count();
}

HumanHand::HumanHand(const std::string& display) : display_(open_or_throw(display)) {
  int n_devices = 0;
  XDeviceInfo* devices = XListInputDevices(display_, &n_devices);
  for (int device_idx = 0; device_idx < n_devices; ++device_idx) {
    const XDeviceInfo& device = devices[device_idx];
    if (std::strstr(device.name, "XTEST")) continue;
    if (device.use == IsXExtensionPointer) pointer_ = XOpenDevice(display_, device.id);
    if (device.use == IsXExtensionKeyboard) keyboard_ = XOpenDevice(display_, device.id);
  }
  XFreeDeviceList(devices);
  if (!pointer_ || !keyboard_) throw std::runtime_error("the X server has no mouse and keyboard of its own");
}

HumanHand::~HumanHand() {
  XCloseDisplay(display_);
}

void HumanHand::move_to(int x, int y) {
  int axes[] = {x, y};
  XTestFakeDeviceMotionEvent(display_, pointer_, False, 0, axes, 2, CurrentTime);
  XSync(display_, False);
}

void HumanHand::click() {
  XTestFakeDeviceButtonEvent(display_, pointer_, 1, True, nullptr, 0, CurrentTime);
  XTestFakeDeviceButtonEvent(display_, pointer_, 1, False, nullptr, 0, CurrentTime);
  XSync(display_, False);
}

void HumanHand::key(KeySym keysym, bool down) {
  XTestFakeDeviceKeyEvent(display_, keyboard_, XKeysymToKeycode(display_, keysym), down, nullptr, 0, CurrentTime);
  XSync(display_, False);
}

void foreign_xtest_click(Display* display) {
  XTestFakeButtonEvent(display, 1, True, CurrentTime);
  XTestFakeButtonEvent(display, 1, False, CurrentTime);
  XSync(display, False);
}

bool run_program(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  std::vector<std::string> arguments = command, variables = environment;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  std::vector<char*> argv, envp;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  for (std::string& variable : variables) envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int failed = ::posix_spawnp(&pid, argv[0], &quiet, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&quiet);
  int status = 0;
  return !failed && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::optional<pid_t> child_of(pid_t parent) {
  std::ifstream children("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children");
  pid_t child = 0;
  if (children >> child) return child;
  return std::nullopt;
}

std::string keymap_text(const std::string& display) {
  char path[] = "/tmp/deskhand-keymap-XXXXXX";
  ::close(::mkstemp(path));
  run_program({"xkbcomp", "-w", "0", display, path});
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  ::unlink(path);
  return text.str();
}

}  // namespace desk_test
