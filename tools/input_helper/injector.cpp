#include "tools/input_helper/injector.h"

#include <X11/extensions/XI2.h>
#include <X11/extensions/XTest.h>

namespace tools::input_helper {

Injector::Injector(Display* display, HeldState& held)
    : display_(display),
      held_(held),
      width_(DisplayWidth(display, DefaultScreen(display))),
      height_(DisplayHeight(display, DefaultScreen(display))) {}

void Injector::set_screen_size(int width, int height) {
  width_ = width;
  height_ = height;
}

void Injector::expect(int raw_type, unsigned detail) {
  const auto now = Clock::now();
  // An event that has not come back after a second was swallowed by the server.
  while (!sent_.empty() && now - sent_.front().at > std::chrono::seconds(1)) sent_.pop_front();
  sent_.push_back({raw_type, detail, now});
}

bool Injector::was_sent(int raw_type, unsigned detail) {
  for (auto at = sent_.begin(); at != sent_.end(); ++at) {
    if (at->raw_type != raw_type || at->detail != detail) continue;
    sent_.erase(at);
    return true;
  }
  return false;
}

void Injector::move(Point to) {
  expect(XI_RawMotion, 0);
  last_move_ = to;
  XTestFakeMotionEvent(display_, DefaultScreen(display_), to.x_pt, to.y_pt, CurrentTime);
}

void Injector::button(unsigned button, bool down) {
  if (down) held_.buttons[button] = true;
  expect(down ? XI_RawButtonPress : XI_RawButtonRelease, button);
  XTestFakeButtonEvent(display_, button, down, CurrentTime);
  if (down) return;
  // The mark goes only when the server has the release, so that a death in between is covered.
  XSync(display_, False);
  held_.buttons[button] = false;
}

void Injector::key(KeyCode keycode, bool down) {
  held_.last_key_ns = Clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  if (down) held_.keys[keycode] = true;
  expect(down ? XI_RawKeyPress : XI_RawKeyRelease, keycode);
  XTestFakeKeyEvent(display_, keycode, down, CurrentTime);
  if (down) return;
  XSync(display_, False);
  held_.keys[keycode] = false;
}

void Injector::release_all() {
  for (unsigned button = 1; button <= kMaxButton; ++button)
    if (held_.buttons[button]) expect(XI_RawButtonRelease, button);
  for (unsigned keycode = 8; keycode < 256; ++keycode)
    if (held_.keys[keycode]) expect(XI_RawKeyRelease, keycode);
  release_held(display_, held_);
}

}  // namespace tools::input_helper
