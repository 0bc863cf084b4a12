#include "app/window/session_reader.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "agent/recorder.h"
#include "app/window/item_builder.h"

namespace app {
namespace {

constexpr qint64 kMostOutputBytes = 64 << 10;
constexpr int kThumbnailHeight_px = 180;

}  // namespace

SessionReader::SessionReader(std::filesystem::path record, qint64 session, QObject* parent)
    : QObject(parent), record_(std::move(record)), session_(session), builder_(std::make_unique<ItemBuilder>()) {
  worker_.moveToThread(&thread_);
  thread_.start(QThread::LowPriority);
}

SessionReader::~SessionReader() {
  thread_.quit();
  thread_.wait();
}

void SessionReader::refresh() {
  if (is_reading_due_.exchange(true)) return;
  QMetaObject::invokeMethod(&worker_, [this] { read(); });
}

void SessionReader::want_picture(qint64 picture) {
  QMetaObject::invokeMethod(&worker_, [this, picture] { load_picture(picture); });
}

void SessionReader::want_output(const QString& path) {
  QMetaObject::invokeMethod(&worker_, [this, path] {
    QFile file(path);
    QByteArray written;
    // A recording from elsewhere may name anything: no pipe, whose other end could be waited for without end.
    if (QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly)) {
      file.seek(std::max<qint64>(0, file.size() - kMostOutputBytes));
      written = file.read(kMostOutputBytes);
    }
    Q_EMIT output_ready(path, written);
  });
}

agent::Recorder& SessionReader::recorder() {
  if (!recorder_) recorder_ = agent::Recorder::open(record_);
  return *recorder_;
}

void SessionReader::read() {
  is_reading_due_ = false;
  try {
    for (const agent::Event& event : recorder().load_events(session_, builder_->last_event())) builder_->add(event);
    const SessionDelta delta = builder_->take_delta();
    Q_EMIT changed(delta);
  } catch (const std::exception& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
  }
}

void SessionReader::load_picture(qint64 picture) {
  try {
    const agent::StoredPicture stored = recorder().load_picture(picture);
    const QImage image = image_of(stored.picture);
    Q_EMIT picture_ready(picture, {image, stored.picture->screen_map},
                         image.scaledToHeight(kThumbnailHeight_px, Qt::SmoothTransformation));
  } catch (const std::exception&) {
    Q_EMIT picture_ready(picture, {}, {});
  }
}

QImage image_of(const std::shared_ptr<const capture::Frame>& frame) {
  using Keeper = std::shared_ptr<const capture::Frame>;
  const cv::Mat& pixels = frame->pixels;
  return QImage(
      pixels.data, pixels.cols, pixels.rows, static_cast<qsizetype>(pixels.step), QImage::Format_RGB32,
      [](void* keeper) { delete static_cast<Keeper*>(keeper); }, new Keeper(frame));
}

}  // namespace app
