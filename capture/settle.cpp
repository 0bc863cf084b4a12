#include "capture/settle.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "capture/error.h"
#include "capture/pulse_filter.h"
#include "capture/rect_list.h"
#include "capture/x11_damage.h"

namespace capture {
namespace {

using Clock = std::chrono::steady_clock;

// A program that paints without pause is looked at this often.
constexpr int kStepMs = 5;
constexpr int kMergeGapPt = 8;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// A descriptor that becomes readable when a stop is asked for.
class StopSignal {
 public:
  explicit StopSignal(const std::stop_token& stop)
      : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), callback_(stop, [this] { eventfd_write(fd_, 1); }) {}
  ~StopSignal() { close(fd_); }
  int fd() const { return fd_; }

 private:
  int fd_;
  std::stop_callback<std::function<void()>> callback_;
};

}  // namespace

class ScreenWatch::Impl {
 public:
  explicit Impl(std::shared_ptr<X11Connection> x) : x_(std::move(x)), damage_(x_, x_->root()) { xcb_flush(x_->get()); }

  void begin() { damage_.take(); }

  Settled settle(const SettleOptions& options, const std::stop_token& stop) {
    const StopSignal stopped(stop);
    const Clock::time_point start = Clock::now();
    const double watched_before_ms = watched_ms_;
    double last_change_ms = 0;
    bool has_changed = false;
    Settled result;
    for (;;) {
      const double now_ms = ms_since(start);
      watched_ms_ = watched_before_ms + now_ms;
      if (take_changes(result)) {
        last_change_ms = now_ms;
        has_changed = true;
      }
      if (!x_->is_alive()) result.error = "The X server at " + x_->display() + " is gone";
      const double quiet_from_ms =
          has_changed ? last_change_ms + options.quiet_ms : std::max(options.quiet_ms, options.first_change_ms);
      result.settled = result.error.empty() && now_ms >= quiet_from_ms;
      if (result.settled || !result.error.empty() || now_ms >= options.cap_ms || stop.stop_requested()) break;
      wait(std::min<double>(quiet_from_ms, options.cap_ms) - now_ms, stopped.fd());
    }
    result.waited_ms = static_cast<int>(ms_since(start));
    result.changed_pt = merge_close(std::move(result.changed_pt), kMergeGapPt);
    result.pulsing_pt = merge_close(std::move(result.pulsing_pt), 0);
    return result;
  }

  bool wait_for_change(int timeout_ms, const std::stop_token& stop) {
    const StopSignal stopped(stop);
    const Clock::time_point start = Clock::now();
    for (;;) {
      if (!damage_.take().empty()) return true;
      const double left_ms = timeout_ms - ms_since(start);
      if (left_ms <= 0 || stop.stop_requested() || !x_->is_alive()) return false;
      wait(left_ms, stopped.fd());
    }
  }

 private:
  // Whether something changed that means something.
  bool take_changes(Settled& result) {
    bool is_meant = false;
    // Whatever is damaged together and lies together is one change: a spinner's arc comes as many small rectangles.
    for (const Rect& area : merge_close(damage_.take(), kMergeGapPt)) {
      const bool is_pulse = pulses_.is_pulse(area, watched_ms_);
      (is_pulse ? result.pulsing_pt : result.changed_pt).push_back(area);
      is_meant |= !is_pulse;
    }
    if (result.changed_pt.size() > 1000) result.changed_pt = merge_close(std::move(result.changed_pt), kMergeGapPt);
    return is_meant;
  }

  // Until the server reports a change, `ms` have passed or a stop is asked for.
  void wait(double ms, int stop_fd) {
    pollfd stop_only{stop_fd, POLLIN, 0};
    const int first_ms = std::min(kStepMs, static_cast<int>(std::ceil(ms)));
    if (poll(&stop_only, 1, first_ms) != 0) return;
    const double left_ms = ms - first_ms;
    pollfd fds[] = {{xcb_get_file_descriptor(x_->get()), POLLIN, 0}, stop_only};
    if (left_ms > 0 && !discard_events()) poll(fds, 2, static_cast<int>(std::ceil(left_ms)));
    discard_events();
  }

  // True when there was one: the server has something to tell.
  bool discard_events() {
    bool was_any = false;
    while (const XReply<xcb_generic_event_t> event{xcb_poll_for_event(x_->get())}) was_any = true;
    return was_any;
  }

  std::shared_ptr<X11Connection> x_;
  X11Damage damage_;
  PulseFilter pulses_;
  double watched_ms_ = 0;  // how long changes have been watched in all calls
};

std::unique_ptr<ScreenWatch> ScreenWatch::open(const std::string& display) {
  auto x = X11Connection::open(display);
  require_damage(*x);
  return std::unique_ptr<ScreenWatch>(new ScreenWatch(std::make_unique<Impl>(std::move(x))));
}

ScreenWatch::ScreenWatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ScreenWatch::~ScreenWatch() = default;

void ScreenWatch::begin() {
  impl_->begin();
}
Settled ScreenWatch::settle(const SettleOptions& options, std::stop_token stop) {
  return impl_->settle(options, stop);
}
bool ScreenWatch::wait_for_change(int timeout_ms, std::stop_token stop) {
  return impl_->wait_for_change(timeout_ms, stop);
}

}  // namespace capture
