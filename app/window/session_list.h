#pragma once
// The sessions of the record, the latest first, read on another thread.

#include <QAbstractListModel>
#include <QDateTime>
#include <QHash>
#include <QList>
#include <filesystem>

namespace app {

struct SessionEntry {
  qint64 id = 0;
  QString task, model, desktop, workspace, status, summary;
  QDateTime began;
  qint64 n_actions = 0;
  bool operator==(const SessionEntry&) const = default;
};

using RuleCounts = QHash<std::pair<QString, QString>, qint64>;  // by a rule's name and subject

class SessionList : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { IdRole = Qt::UserRole + 1, StatusRole, DetailRole };

  explicit SessionList(std::filesystem::path record, QObject* parent = nullptr);
  ~SessionList() override;

  void refresh();
  const SessionEntry& entry(int row) const { return entries_[row]; }
  const QList<SessionEntry>& entries() const { return entries_; }
  // How much each rule has allowed in all of them.
  const RuleCounts& rule_counts() const { return rule_counts_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 Q_SIGNALS:
  void refreshed();
  void failed(const QString& why);

 private:
  struct Reading {
    QList<SessionEntry> entries;
    RuleCounts rule_counts;
    QString problem;
  };
  static Reading read(const std::filesystem::path& record);
  void take(const Reading& reading);

  std::filesystem::path record_;
  QList<SessionEntry> entries_;
  RuleCounts rule_counts_;
  bool is_reading_ = false, is_due_ = false;
};

}  // namespace app
