#pragma once
// Reads one session of the record for the views, on a thread of its own: running or long ended, it is the same.

#include <QImage>
#include <QObject>
#include <QThread>
#include <atomic>
#include <filesystem>
#include <memory>

#include "app/window/session_item.h"

namespace agent {
class Recorder;
}
namespace capture {
class Frame;
}

namespace app {

class ItemBuilder;

// Used from the UI thread; the signals arrive there.
class SessionReader : public QObject {
  Q_OBJECT

 public:
  SessionReader(std::filesystem::path record, qint64 session, QObject* parent = nullptr);
  ~SessionReader() override;

  void refresh();  // asks for what is new in the record; many calls become one reading
  void want_picture(qint64 picture);
  void want_output(const QString& path);  // the end of what a command wrote

 Q_SIGNALS:
  void changed(const app::SessionDelta& delta);
  // Null images: it is damaged.
  void picture_ready(qint64 picture, const app::ScreenImage& image, const QImage& thumbnail);
  void output_ready(const QString& path, const QByteArray& written);  // empty: it isn't kept any more
  void failed(const QString& why);

 private:
  void read();
  void load_picture(qint64 picture);
  agent::Recorder& recorder();

  std::filesystem::path record_;
  qint64 session_;
  QThread thread_;
  QObject worker_;                             // lives on the thread
  std::unique_ptr<agent::Recorder> recorder_;  // these two: of the thread alone
  std::unique_ptr<ItemBuilder> builder_;
  std::atomic<bool> is_reading_due_{false};
};

// A frame's pixels as an image that shares them.
QImage image_of(const std::shared_ptr<const capture::Frame>& frame);

}  // namespace app
