#pragma once
// The state of all sessions in the desktop's tray, where it has one, and notifications.

#include <QMenu>
#include <QObject>
#include <QSystemTrayIcon>

namespace app {

class TrayIcon : public QObject {
  Q_OBJECT

 public:
  explicit TrayIcon(QObject* parent = nullptr);

  bool exists() const { return tray_ != nullptr; }
  void show_state(int n_busy, int n_waiting);
  // Over the desktop's notification service, without waiting for it.
  void notify(const QString& title, const QString& text);

 Q_SIGNALS:
  void window_wanted();
  void stop_all_wanted();
  void quit_wanted();

 private:
  QSystemTrayIcon* tray_ = nullptr;
  QMenu menu_;
  QAction* state_ = nullptr;
  QAction* stop_ = nullptr;
};

}  // namespace app
