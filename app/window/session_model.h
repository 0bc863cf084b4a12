#pragma once
// One session as the views see it: its items in order, its plan, its pictures. Lives on the UI thread.

#include <QAbstractListModel>
#include <QCache>
#include <QSet>
#include <vector>

#include "app/window/session_item.h"

namespace app {

class SessionReader;

class SessionModel : public QAbstractListModel {
  Q_OBJECT

 public:
  explicit SessionModel(QObject* parent = nullptr);

  void follow(SessionReader* reader);  // takes what it reads; null: shows what apply() brings
  void apply(const SessionDelta& delta);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;  // DisplayRole: one line of plain text

  const SessionItem& item(int row) const { return items_[static_cast<std::size_t>(row)]; }
  int size() const { return static_cast<int>(items_.size()); }
  // The last item that had begun by then; −1: none.
  int row_at(qint64 at_ms) const;

  const QList<PlanVersion>& plans() const { return plans_; }
  const QList<PlanLine>& plan_at(qint64 at_ms) const;
  qint64 elapsed_ms() const { return elapsed_ms_; }
  const TokenCounts& last_tokens() const { return last_tokens_; }

  // A picture of the record when it is loaded already; else null, asked for, and picture_ready() follows.
  const ScreenImage* picture(qint64 picture);
  // The same, small: for lists and strips. Null image: not there yet.
  QImage thumbnail(qint64 picture);
  void add_picture(qint64 picture, const ScreenImage& image, const QImage& thumbnail);
  // The end of what a command wrote, with its colours; the same way. Empty: not there.
  QByteArray output(const QString& path);

 Q_SIGNALS:
  void changed();  // anything at all
  void plan_changed();
  void picture_ready(qint64 picture);

 private:
  SessionReader* reader_ = nullptr;
  std::vector<SessionItem> items_;
  QList<PlanVersion> plans_;
  TokenCounts last_tokens_;
  qint64 elapsed_ms_ = 0;
  QCache<qint64, ScreenImage> pictures_;  // cost: kilobytes
  QHash<qint64, QImage> thumbnails_;
  QSet<qint64> wanted_;
  QHash<QString, QByteArray> outputs_;  // an entry without content: asked for, or gone
};

}  // namespace app
