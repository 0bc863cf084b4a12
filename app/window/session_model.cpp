#include "app/window/session_model.h"

#include <algorithm>

#include "app/window/call_text.h"
#include "app/window/session_reader.h"

namespace app {
namespace {

constexpr int kPictures_kb = 96 << 10;

}  // namespace

SessionModel::SessionModel(QObject* parent) : QAbstractListModel(parent), pictures_(kPictures_kb) {}

void SessionModel::follow(SessionReader* reader) {
  reader_ = reader;
  connect(reader, &SessionReader::changed, this, &SessionModel::apply);
  connect(reader, &SessionReader::picture_ready, this, &SessionModel::add_picture);
  connect(reader, &SessionReader::output_ready, this, [this](const QString& path, const QByteArray& written) {
    outputs_[path] = written;
    for (int row = 0; row < size() && !written.isEmpty(); ++row) {
      if (item(row).output_path == path) Q_EMIT dataChanged(index(row), index(row));
    }
  });
}

void SessionModel::apply(const SessionDelta& delta) {
  for (const SessionDelta::Change& change : delta.changes) {
    if (change.index < size()) {
      items_[static_cast<std::size_t>(change.index)] = change.item;
      const QModelIndex at = index(change.index);
      Q_EMIT dataChanged(at, at);
    }
  }
  const auto is_new = [&](const SessionDelta::Change& change) { return change.index >= size(); };
  const auto first_new = std::find_if(delta.changes.begin(), delta.changes.end(), is_new);
  if (const auto n_new = delta.changes.end() - first_new; n_new > 0) {
    beginInsertRows({}, size(), size() + static_cast<int>(n_new) - 1);
    for (auto change = first_new; change != delta.changes.end(); ++change) items_.push_back(change->item);
    endInsertRows();
  }
  elapsed_ms_ = std::max(elapsed_ms_, delta.elapsed_ms);
  if (delta.last_tokens.prompt > 0) last_tokens_ = delta.last_tokens;
  plans_ += delta.plans;
  if (!delta.plans.isEmpty()) Q_EMIT plan_changed();
  Q_EMIT changed();
}

int SessionModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : size();
}

QVariant SessionModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || role != Qt::DisplayRole) return {};
  return plain_line(item(index.row()));
}

int SessionModel::row_at(qint64 at_ms) const {
  const auto after = std::upper_bound(items_.begin(), items_.end(), at_ms,
                                      [](qint64 at, const SessionItem& item) { return at < item.at_ms; });
  return static_cast<int>(after - items_.begin()) - 1;
}

const QList<PlanLine>& SessionModel::plan_at(qint64 at_ms) const {
  static const QList<PlanLine> none;
  const auto after = std::upper_bound(plans_.begin(), plans_.end(), at_ms,
                                      [](qint64 at, const PlanVersion& plan) { return at < plan.at_ms; });
  return after == plans_.begin() ? none : std::prev(after)->lines;
}

const ScreenImage* SessionModel::picture(qint64 picture) {
  if (const ScreenImage* known = pictures_.object(picture)) return known;
  if (picture != 0 && reader_ != nullptr && !wanted_.contains(picture)) {
    wanted_.insert(picture);
    reader_->want_picture(picture);
  }
  return nullptr;
}

QImage SessionModel::thumbnail(qint64 picture) {
  const auto known = thumbnails_.constFind(picture);
  if (known != thumbnails_.constEnd()) return *known;
  this->picture(picture);
  return {};
}

QByteArray SessionModel::output(const QString& path) {
  const auto known = outputs_.constFind(path);
  if (known != outputs_.constEnd()) return *known;
  outputs_[path] = {};
  if (reader_ != nullptr) reader_->want_output(path);
  return {};
}

void SessionModel::add_picture(qint64 picture, const ScreenImage& image, const QImage& thumbnail) {
  wanted_.remove(picture);
  thumbnails_[picture] = thumbnail;
  const auto cost_kb = std::max<qsizetype>(1, image.image.sizeInBytes() >> 10);
  pictures_.insert(picture, new ScreenImage(image), static_cast<int>(cost_kb));
  Q_EMIT picture_ready(picture);
}

}  // namespace app
