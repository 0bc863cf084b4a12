#pragma once
// What a desktop offers on its session bus, as far as the window asks: which colours it likes, and notifications.

#include <QDBusContext>
#include <QDBusVariant>
#include <QList>
#include <QObject>
#include <QProcess>
#include <QThread>
#include <QVariantMap>
#include <atomic>
#include <memory>
#include <mutex>

namespace app_test {

// org.freedesktop.portal.Settings
class FakeColours : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Settings")

 public:
  explicit FakeColours(unsigned scheme) : scheme_(scheme) {}
  void become(unsigned scheme);  // 1: dark, 2: light

 public Q_SLOTS:
  QDBusVariant Read(const QString& name_space, const QString& key);

 Q_SIGNALS:
  void SettingChanged(const QString& name_space, const QString& key, const QDBusVariant& value);

 private:
  std::atomic<unsigned> scheme_;
};

// org.freedesktop.Notifications
class FakeNotifications : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

 public:
  QStringList shown() const;  // "title: text", the newest last

 public Q_SLOTS:
  unsigned Notify(const QString& program, unsigned replaces, const QString& icon, const QString& title,
                  const QString& text, const QStringList& actions, const QVariantMap& hints, int timeout_ms);

 private:
  mutable std::mutex mutex_;
  QStringList shown_;
};

// A session bus with both, on a thread of its own. One for the whole program: Qt connects once.
class FakeDesktop {
 public:
  static FakeDesktop& instance();
  ~FakeDesktop();

  FakeColours& colours() { return *colours_; }
  FakeNotifications& notifications() { return *notifications_; }

 private:
  FakeDesktop();

  QProcess bus_;
  QThread thread_;
  std::unique_ptr<FakeColours> colours_;
  std::unique_ptr<FakeNotifications> notifications_;
};

}  // namespace app_test
