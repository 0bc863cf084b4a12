#include "tools/input_listener.h"

#include <X11/XKBlib.h>
#include <X11/Xlib.h>
#include <X11/Xproto.h>
#include <X11/extensions/record.h>
#include <X11/keysym.h>
#include <poll.h>
#include <xkbcommon/xkbcommon-compose.h>

#include <clocale>
#include <utility>

#include "capture/error.h"
#include "tools/key_names.h"

// Xlib's macros would hide our own names.
constexpr int kXKeyPress = KeyPress, kXKeyRelease = KeyRelease, kXButtonPress = ButtonPress,
              kXButtonRelease = ButtonRelease, kXMotionNotify = MotionNotify;
#undef KeyPress
#undef KeyRelease
#undef ButtonPress
#undef ButtonRelease
#undef MotionNotify

namespace tools {
namespace {

[[noreturn]] void fail(const std::string& why) {
  throw capture::Error("what is done on the desktop can't be recorded: " + why);
}

std::vector<std::string> modifiers_of(unsigned state) {
  std::vector<std::string> held;
  if (state & ControlMask) held.emplace_back("ctrl");
  if (state & Mod1Mask) held.emplace_back("alt");
  if (state & Mod4Mask) held.emplace_back("super");
  if (state & ShiftMask) held.emplace_back("shift");
  return held;
}

// Joins dead keys and compose sequences as programs do.
class Composer {
 public:
  Composer() : context_(xkb_context_new(XKB_CONTEXT_NO_FLAGS)) {
    const char* locale = std::setlocale(LC_CTYPE, nullptr);
    const bool is_plain = locale == nullptr || std::string(locale) == "C";
    table_ =
        xkb_compose_table_new_from_locale(context_, is_plain ? "en_US.UTF-8" : locale, XKB_COMPOSE_COMPILE_NO_FLAGS);
    if (table_ != nullptr) state_ = xkb_compose_state_new(table_, XKB_COMPOSE_STATE_NO_FLAGS);
  }
  ~Composer() {
    xkb_compose_state_unref(state_);
    xkb_compose_table_unref(table_);
    xkb_context_unref(context_);
  }
  Composer(const Composer&) = delete;
  Composer& operator=(const Composer&) = delete;

  // The text that this key adds; empty while a sequence is open.
  std::string text(std::uint32_t keysym) {
    char buffer[64] = "";
    if (state_ != nullptr && xkb_compose_state_feed(state_, keysym) == XKB_COMPOSE_FEED_ACCEPTED) {
      switch (xkb_compose_state_get_status(state_)) {
        case XKB_COMPOSE_COMPOSING:
          return "";
        case XKB_COMPOSE_COMPOSED:
          xkb_compose_state_get_utf8(state_, buffer, sizeof buffer);
          xkb_compose_state_reset(state_);
          return buffer;
        case XKB_COMPOSE_CANCELLED:
          xkb_compose_state_reset(state_);
          return "";
        case XKB_COMPOSE_NOTHING:
          break;
      }
    }
    xkb_keysym_to_utf8(keysym, buffer, sizeof buffer);
    return buffer;
  }

 private:
  xkb_context* context_;
  xkb_compose_table* table_ = nullptr;
  xkb_compose_state* state_ = nullptr;
};

}  // namespace

class InputListener::Impl {
 public:
  explicit Impl(const std::string& display_name) {
    const char* name = display_name.empty() ? nullptr : display_name.c_str();
    // The RECORD protocol wants one connection to steer and one that carries nothing but the record.
    control_ = open(name);
    data_ = open(name);
    int major = 0, minor = 0;
    if (control_ == nullptr || data_ == nullptr || !XRecordQueryVersion(control_, &major, &minor)) {
      close();
      fail(control_ == nullptr ? "there is no such display; set DISPLAY" : "its X server lacks the RECORD extension");
    }
    XRecordClientSpec clients = XRecordAllClients;
    XRecordRange* range = XRecordAllocRange();
    range->device_events.first = kXKeyPress;
    range->device_events.last = kXMotionNotify;
    context_ = XRecordCreateContext(control_, 0, &clients, 1, &range, 1);
    XFree(range);
    XSync(control_, False);
    if (context_ == 0 ||
        !XRecordEnableContextAsync(data_, context_, &Impl::on_record, reinterpret_cast<XPointer>(this))) {
      close();
      fail("its X server refuses to tell");
    }
  }
  ~Impl() { close(); }

  std::vector<HandEvent> read(std::chrono::milliseconds wait) {
    XRecordProcessReplies(data_);
    if (events_.empty()) {
      pollfd ready{ConnectionNumber(data_), POLLIN, 0};
      if (poll(&ready, 1, static_cast<int>(wait.count())) > 0) XRecordProcessReplies(data_);
    }
    if (is_lost_) fail("the connection to its X server is lost");
    return std::exchange(events_, {});
  }

 private:
  // Xlib ends the program when a server goes away, unless its handler returns and the connection has an exit handler
  // of its own; other connections keep theirs, which still exits.
  Display* open(const char* name) {
    XSetIOErrorHandler([](Display*) { return 0; });
    Display* display = XOpenDisplay(name);
    const auto on_lost = [](Display*, void* self) { static_cast<Impl*>(self)->is_lost_ = true; };
    if (display != nullptr) XSetIOErrorExitHandler(display, on_lost, this);
    return display;
  }

  static void on_record(XPointer self, XRecordInterceptData* data) {
    if (data->category == XRecordFromServer && data->data_len * 4 >= sizeof(xEvent)) {
      reinterpret_cast<Impl*>(self)->take(*reinterpret_cast<const xEvent*>(data->data));
    }
    XRecordFreeData(data);
  }

  void take(const xEvent& wire) {
    const auto& where = wire.u.keyButtonPointer;
    HandEvent event;
    event.point = {where.rootX, where.rootY};
    event.at_ms = where.time;
    event.modifiers = modifiers_of(where.state);
    const int detail = wire.u.u.detail;
    switch (wire.u.u.type & 0x7f) {
      case kXMotionNotify:
        event.kind = HandEvent::Kind::Motion;
        break;
      case kXButtonPress:
        event.kind = HandEvent::Kind::ButtonPress;
        event.button = detail;
        break;
      case kXButtonRelease:
        event.kind = HandEvent::Kind::ButtonRelease;
        event.button = detail;
        break;
      case kXKeyPress:
        event.kind = HandEvent::Kind::KeyPress;
        take_key(static_cast<KeyCode>(detail), where.state, event);
        break;
      case kXKeyRelease:
        event.kind = HandEvent::Kind::KeyRelease;
        take_key(static_cast<KeyCode>(detail), where.state, event);
        break;
      default:
        return;
    }
    events_.push_back(std::move(event));
  }

  void take_key(KeyCode code, unsigned state, HandEvent& event) {
    XEvent pending;  // a new layout is told on this connection
    while (XPending(control_) > 0) {
      XNextEvent(control_, &pending);
      if (pending.type == MappingNotify) XRefreshKeyboardMapping(&pending.xmapping);
    }
    KeySym keysym = NoSymbol;
    unsigned used = 0;
    XkbLookupKeySym(control_, code, state, &used, &keysym);
    event.keysym = static_cast<std::uint32_t>(keysym);
    if (event.kind == HandEvent::Kind::KeyPress && !is_modifier(event.keysym))
      event.text = composer_.text(event.keysym);
  }

  void close() {
    if (context_ != 0 && !is_lost_) {
      XRecordDisableContext(control_, context_);
      XRecordFreeContext(control_, context_);
      XSync(control_, False);
    }
    if (data_ != nullptr) XCloseDisplay(data_);
    if (control_ != nullptr) XCloseDisplay(control_);
    control_ = data_ = nullptr;
    context_ = 0;
  }

  Display *control_ = nullptr, *data_ = nullptr;
  XRecordContext context_ = 0;
  bool is_lost_ = false;  // the server is gone
  Composer composer_;
  std::vector<HandEvent> events_;
};

InputListener::InputListener(const std::string& display) : impl_(std::make_unique<Impl>(display)) {}

InputListener::~InputListener() = default;

std::vector<HandEvent> InputListener::read(std::chrono::milliseconds wait) {
  return impl_->read(wait);
}

}  // namespace tools
