#include "app/window/session_list.h"

#include <QCoreApplication>
#include <QLocale>
#include <QPointer>
#include <QThreadPool>
#include <chrono>

#include "agent/recorder.h"
#include "app/window/call_text.h"

namespace app {
SessionList::Reading SessionList::read(const std::filesystem::path& record) {
  Reading reading;
  try {
    const auto recorder = agent::Recorder::open(record);
    for (const agent::SessionSummary& summary : recorder->list_sessions()) {
      const auto began_ms =
          std::chrono::duration_cast<std::chrono::milliseconds>(summary.began.time_since_epoch()).count();
      const agent::SessionInfo& info = summary.info;
      reading.entries.append({summary.id, QString::fromStdString(info.task), QString::fromStdString(info.model),
                              QString::fromStdString(info.desktop), QString::fromStdString(info.workspace),
                              QString::fromStdString(name_of(summary.status)), QString::fromStdString(summary.summary),
                              QDateTime::fromMSecsSinceEpoch(began_ms), summary.n_actions});
    }
    for (const auto& [rule, count] : recorder->count_allowed()) {
      reading.rule_counts[{QString::fromStdString(rule.first), QString::fromStdString(rule.second)}] = count;
    }
  } catch (const std::exception& error) {
    reading.problem = QString::fromUtf8(error.what());
  }
  return reading;
}

SessionList::SessionList(std::filesystem::path record, QObject* parent)
    : QAbstractListModel(parent), record_(std::move(record)) {}

SessionList::~SessionList() = default;

void SessionList::refresh() {
  is_due_ = is_reading_;
  if (std::exchange(is_reading_, true)) return;
  QThreadPool::globalInstance()->start([self = QPointer(this), record = record_] {
    const Reading reading = read(record);
    QMetaObject::invokeMethod(
        qApp,
        [self, reading] {
          if (!self) return;
          self->is_reading_ = false;
          self->take(reading);
          if (self->is_due_) self->refresh();
        },
        Qt::QueuedConnection);
  });
}

void SessionList::take(const Reading& reading) {
  if (!reading.problem.isEmpty()) return void(Q_EMIT failed(reading.problem));
  rule_counts_ = reading.rule_counts;
  if (reading.entries != entries_) {
    beginResetModel();
    entries_ = reading.entries;
    endResetModel();
  }
  Q_EMIT refreshed();
}

int SessionList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

QVariant SessionList::data(const QModelIndex& index, int role) const {
  const SessionEntry& entry = entries_[index.row()];
  switch (role) {
    case Qt::DisplayRole:
      return entry.task.simplified();
    case IdRole:
      return entry.id;
    case StatusRole:
      return entry.status;
    case DetailRole: {
      const bool is_today = entry.began.date() == QDate::currentDate();
      const QString when = is_today ? QLocale().toString(entry.began.time(), QLocale::ShortFormat)
                                    : QLocale().toString(entry.began.date(), QLocale::ShortFormat);
      return when + " · " + ending_text(entry.status);
    }
    case Qt::ToolTipRole:
      return entry.summary.isEmpty() ? entry.task : entry.task + "\n\n" + entry.summary;
    case Qt::AccessibleTextRole:
      return entry.task.simplified() + ", " + ending_text(entry.status);
    default:
      return {};
  }
}

}  // namespace app
