#include "tools/input_helper/human_watch.h"

#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/extensions/XInput2.h>

#include <algorithm>
#include <cstdlib>

namespace tools::input_helper {

HumanWatch::HumanWatch(Display* display, Injector& injector, std::vector<KeySym> panic_chord)
    : display_(display), injector_(injector), panic_chord_(std::move(panic_chord)) {
  int first_event = 0, first_error = 0, major = 2, minor = 2;
  if (!XQueryExtension(display, "XInputExtension", &opcode_, &first_event, &first_error)) return;
  if (XIQueryVersion(display, &major, &minor) != Success || (major == 2 && minor < 2)) return;
  unsigned char bits[XIMaskLen(XI_LASTEVENT)] = {};
  for (const int type : {XI_RawKeyPress, XI_RawKeyRelease, XI_RawButtonPress, XI_RawButtonRelease, XI_RawMotion})
    XISetMask(bits, type);
  unsigned char hierarchy_bits[XIMaskLen(XI_LASTEVENT)] = {};
  XISetMask(hierarchy_bits, XI_HierarchyChanged);
  XIEventMask masks[] = {{XIAllMasterDevices, sizeof bits, bits},
                         {XIAllDevices, sizeof hierarchy_bits, hierarchy_bits}};
  XISelectEvents(display, DefaultRootWindow(display), masks, 2);
  list_xtest_devices();
  find_chord_keys();
  works_ = true;
}

void HumanWatch::list_xtest_devices() {
  xtest_devices_.clear();
  const Atom is_xtest = XInternAtom(display_, "XTEST Device", False);
  int n_devices = 0;
  XIDeviceInfo* devices = XIQueryDevice(display_, XIAllDevices, &n_devices);
  for (int device_idx = 0; device_idx < n_devices; ++device_idx) {
    Atom type = None;
    int format = 0;
    unsigned long n_items = 0, bytes_after = 0;
    unsigned char* data = nullptr;
    XIGetProperty(display_, devices[device_idx].deviceid, is_xtest, 0, 1, False, XA_INTEGER, &type, &format, &n_items,
                  &bytes_after, &data);
    if (n_items == 1 && data && data[0]) xtest_devices_.insert(devices[device_idx].deviceid);
    if (data) XFree(data);
  }
  XIFreeDeviceInfo(devices);
}

void HumanWatch::find_chord_keys() {
  chord_keycodes_.clear();
  for (const KeySym keysym : panic_chord_)
    if (const KeyCode keycode = XKeysymToKeycode(display_, keysym)) chord_keycodes_.push_back(keycode);
  if (chord_keycodes_.size() != panic_chord_.size()) chord_keycodes_.clear();
}

bool HumanWatch::is_ours(int raw_type, unsigned detail, int source_id) {
  if (!xtest_devices_.contains(source_id)) return false;
  if (injector_.was_sent(raw_type, detail)) return true;
  // The server repeats a key that we hold.
  const bool is_key = raw_type == XI_RawKeyPress || raw_type == XI_RawKeyRelease;
  return is_key && injector_.is_key_held(detail);
}

HumanWatch::Sight HumanWatch::look(XEvent& event) {
  if (event.type != GenericEvent || event.xcookie.extension != opcode_) return Sight::Nothing;
  if (!XGetEventData(display_, &event.xcookie)) return Sight::Nothing;
  Sight sight = Sight::Nothing;
  const int type = event.xcookie.evtype;
  if (type == XI_HierarchyChanged) {
    list_xtest_devices();
  } else {
    const auto& raw = *static_cast<XIRawEvent*>(event.xcookie.data);
    const auto detail = static_cast<unsigned>(raw.detail);
    if (!is_ours(type, detail, raw.sourceid)) {
      if (type == XI_RawKeyPress || type == XI_RawKeyRelease)
        sight = on_key(detail, type == XI_RawKeyPress);
      else if (type == XI_RawButtonPress)
        sight = Sight::Touched;
      else if (type == XI_RawMotion)
        sight = on_motion();
    }
  }
  XFreeEventData(display_, &event.xcookie);
  return sight;
}

HumanWatch::Sight HumanWatch::on_key(unsigned keycode, bool down) {
  if (!down) {
    keys_down_.erase(keycode);
    return Sight::Nothing;
  }
  keys_down_.insert(keycode);
  const bool chord = !chord_keycodes_.empty() && std::all_of(chord_keycodes_.begin(), chord_keycodes_.end(),
                                                             [this](KeyCode key) { return keys_down_.contains(key); });
  return chord ? Sight::PanicChord : Sight::Touched;
}

HumanWatch::Sight HumanWatch::on_motion() {
  const auto now = Clock::now();
  if (now - last_motion_at_ > std::chrono::seconds(1)) moved_px_ = 0;
  Window root = None, child = None;
  int x = 0, y = 0, window_x = 0, window_y = 0;
  unsigned mask = 0;
  XQueryPointer(display_, DefaultRootWindow(display_), &root, &child, &x, &y, &window_x, &window_y, &mask);
  if (moved_px_ == 0 && now - last_motion_at_ > std::chrono::seconds(1))
    last_seen_ = injector_.last_move().value_or(Point{x, y});
  moved_px_ += std::max(std::abs(x - last_seen_.x_pt), std::abs(y - last_seen_.y_pt));
  last_seen_ = {x, y};
  last_motion_at_ = now;
  if (moved_px_ <= kTouch_px) return Sight::Nothing;
  moved_px_ = 0;
  return Sight::Touched;
}

}  // namespace tools::input_helper
