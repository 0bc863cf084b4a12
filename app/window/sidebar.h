#pragma once
// Left: a new task, the sessions that run, those of the record, settings.

#include <QFrame>
#include <QStyledItemDelegate>

class QLineEdit;
class QListView;
class QPushButton;
class QSortFilterProxyModel;

namespace app {

class SessionList;

class SessionDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class Sidebar : public QFrame {
  Q_OBJECT

 public:
  explicit Sidebar(SessionList* sessions, QWidget* parent = nullptr);
  void mark(qint64 session);  // as the one that is shown; 0: none
  void mark_settings(bool is_shown);

 Q_SIGNALS:
  void new_task();
  void session_chosen(qint64 session);
  void settings_chosen();

 private:
  QListView* list_;
  QSortFilterProxyModel* filtered_;
  QLineEdit* filter_;
  QPushButton* settings_;
};

}  // namespace app
