#include "app/window/screen_feed.h"

#include <chrono>
#include <utility>

#include "app/window/patience.h"
#include "app/window/session_reader.h"
#include "capture/frame.h"
#include "capture/settle.h"
#include "capture/x11_source.h"

namespace app {

ScreenFeed::ScreenFeed(const QString& display, int most_per_second, QObject* parent)
    : QObject(parent), display_(display.toStdString()), interval_ms_(1000 / most_per_second) {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    be_patient();
    try {
      watch(stop);
    } catch (const std::exception& error) {
      Q_EMIT lost(QString::fromUtf8(error.what()));
    }
  });
}

ScreenFeed::~ScreenFeed() = default;

void ScreenFeed::set_watched(bool is_watched) {
  {
    const std::lock_guard lock(mutex_);
    is_watched_ = is_watched;
  }
  watched_changed_.notify_all();
}

void ScreenFeed::set_size(QSize most_px) {
  const std::lock_guard lock(mutex_);
  most_px_ = most_px;
}

ScreenImage ScreenFeed::take() {
  const std::lock_guard lock(mutex_);
  is_told_ = true;
  return newest_;
}

// Whether the window hasn't been told since it last took one. What the old picture held is given back, and the window
// told, without the lock: this thread gets the processor last, and the window would wait for it.
bool ScreenFeed::keep(ScreenImage picture) {
  const std::lock_guard lock(mutex_);
  std::swap(newest_, picture);
  return std::exchange(is_told_, false);
}

std::shared_ptr<const capture::Frame> ScreenFeed::fitted(const std::shared_ptr<const capture::Frame>& frame) {
  QSize most_px;
  {
    const std::lock_guard lock(mutex_);
    most_px = most_px_;
  }
  const QSize native(frame->pixels.cols, frame->pixels.rows);
  const QSize size = native.scaled(most_px, Qt::KeepAspectRatio);
  if (most_px.isEmpty() || size.width() >= native.width()) return frame;
  return capture::resize(frame, {size.width(), size.height()});
}

void ScreenFeed::watch(const std::stop_token& stop) {
  const auto source = capture::X11Source::open({.display = display_});
  const auto changes = capture::ScreenWatch::open(display_);
  bool is_due = true;
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      if (!watched_changed_.wait(lock, stop, [this] { return is_watched_; })) return;
    }
    if (is_due) {
      capture::GrabOptions options;
      options.with_cursor = true;
      const capture::Grab grab = source->grab(options);
      if (!grab) return void(Q_EMIT lost(QString::fromStdString(grab.error)));
      const std::shared_ptr<const capture::Frame> frame = fitted(grab.frame);
      if (keep({image_of(frame), frame->screen_map})) Q_EMIT arrived();
    }
    {
      std::unique_lock lock(mutex_);
      watched_changed_.wait_for(lock, stop, std::chrono::milliseconds(interval_ms_), [] { return false; });
    }
    const auto since = std::chrono::steady_clock::now();
    is_due = changes->wait_for_change(1000, stop);
    // Back early without a change: the server is gone, which the next grab will tell.
    is_due |= std::chrono::steady_clock::now() - since < std::chrono::milliseconds(900);
  }
}

}  // namespace app
