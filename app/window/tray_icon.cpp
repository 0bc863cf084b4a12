#include "app/window/tray_icon.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCall>
#include <QPainter>
#include <QVariantMap>

#include "app/window/theme.h"
#include "tools/session_bus.h"

namespace app {
namespace {

// Our icon with a dot: green while something works, amber while something waits for the user.
QIcon state_icon(int n_busy, int n_waiting) {
  QIcon result;
  for (const int size : {22, 32, 48, 64}) {
    QPixmap pixmap = QIcon(":/icons/deskhand.svg").pixmap(QSize(size, size), 1.0);
    if (n_busy > 0 || n_waiting > 0) {
      QPainter painter(&pixmap);
      painter.setRenderHint(QPainter::Antialiasing);
      painter.setPen(QPen(Qt::white, size / 16.0));
      painter.setBrush(n_waiting > 0 ? QColor("#e8a317") : QColor("#19a463"));
      const double dot = size * 0.42;
      painter.drawEllipse(QRectF(size - dot - 1, size - dot - 1, dot, dot));
    }
    result.addPixmap(pixmap);
  }
  return result;
}

}  // namespace

TrayIcon::TrayIcon(QObject* parent) : QObject(parent) {
  if (!QSystemTrayIcon::isSystemTrayAvailable()) return;
  tray_ = new QSystemTrayIcon(this);
  state_ = menu_.addAction(QString());
  state_->setEnabled(false);
  menu_.addSeparator();
  menu_.addAction(tr("Show the window"), this, &TrayIcon::window_wanted);
  stop_ = menu_.addAction(tr("Stop everything"), this, &TrayIcon::stop_all_wanted);
  menu_.addSeparator();
  menu_.addAction(tr("Quit"), this, &TrayIcon::quit_wanted);
  tray_->setContextMenu(&menu_);
  connect(tray_, &QSystemTrayIcon::activated, this, [this](QSystemTrayIcon::ActivationReason reason) {
    if (reason != QSystemTrayIcon::Context) Q_EMIT window_wanted();
  });
  show_state(0, 0);
  tray_->show();
}

void TrayIcon::show_state(int n_busy, int n_waiting) {
  if (tray_ == nullptr) return;
  const QString text = n_waiting > 0 ? tr("%n sessions wait for you", nullptr, n_waiting)
                       : n_busy > 0  ? tr("%n sessions at work", nullptr, n_busy)
                                     : tr("Nothing is running");
  tray_->setIcon(state_icon(n_busy, n_waiting));
  tray_->setToolTip("Deskhand: " + text);
  state_->setText(text);
  stop_->setEnabled(n_busy > 0);
}

void TrayIcon::notify(const QString& title, const QString& text) {
  if (!tools::has_session_bus()) return;
  QDBusMessage call = QDBusMessage::createMethodCall("org.freedesktop.Notifications", "/org/freedesktop/Notifications",
                                                     "org.freedesktop.Notifications", "Notify");
  call.setArguments(
      {"Deskhand", 0U, "deskhand", title, text, QStringList(), QVariantMap{{"desktop-entry", "deskhand"}}, -1});
  QDBusConnection::sessionBus().asyncCall(call, 2000);
}

}  // namespace app
