#pragma once
// The live picture of a desktop: a thread that sleeps until something changes there.

#include <QObject>
#include <QSize>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "app/window/session_item.h"

namespace capture {
class Frame;
}

namespace app {

// At most `most_per_second` pictures a second, none while nothing changes or nobody watches. The signals arrive on the
// UI thread; only the newest picture is kept.
class ScreenFeed : public QObject {
  Q_OBJECT

 public:
  explicit ScreenFeed(const QString& display, int most_per_second = 15, QObject* parent = nullptr);
  ~ScreenFeed() override;

  void set_watched(bool is_watched);
  // Pictures needn't be larger than this: they are made smaller before they come. Empty: as large as the desktop.
  void set_size(QSize most_px);
  ScreenImage take();  // the newest picture
  QString display() const { return QString::fromStdString(display_); }

 Q_SIGNALS:
  void arrived();
  void lost(const QString& why);  // the desktop is gone

 private:
  void watch(const std::stop_token& stop);
  bool keep(ScreenImage picture);
  std::shared_ptr<const capture::Frame> fitted(const std::shared_ptr<const capture::Frame>& frame);

  std::string display_;
  int interval_ms_;
  std::mutex mutex_;
  std::condition_variable_any watched_changed_;
  bool is_watched_ = true, is_told_ = true;
  QSize most_px_;
  ScreenImage newest_;
  std::jthread thread_;  // last
};

}  // namespace app
