#include "tests/app/window/fake_desktop.h"

#include <QDBusConnection>
#include <stdexcept>

namespace app_test {
namespace {

constexpr unsigned kLight = 2;

QDBusVariant as_variant(unsigned scheme) {
  return QDBusVariant(scheme);
}

}  // namespace

void FakeColours::become(unsigned scheme) {
  scheme_ = scheme;
  Q_EMIT SettingChanged("org.freedesktop.appearance", "color-scheme", as_variant(scheme));
}

// The portal's own old habit: a variant in a variant.
QDBusVariant FakeColours::Read(const QString&, const QString&) {
  return QDBusVariant(QVariant::fromValue(as_variant(scheme_)));
}

QStringList FakeNotifications::shown() const {
  const std::lock_guard lock(mutex_);
  return shown_;
}

unsigned FakeNotifications::Notify(const QString&, unsigned, const QString&, const QString& title, const QString& text,
                                   const QStringList&, const QVariantMap&, int) {
  const std::lock_guard lock(mutex_);
  shown_.append(title + ": " + text);
  return static_cast<unsigned>(shown_.size());
}

FakeDesktop& FakeDesktop::instance() {
  static FakeDesktop desktop;
  return desktop;
}

FakeDesktop::FakeDesktop() {
  bus_.start("dbus-daemon", {"--session", "--nofork", "--print-address=1"});
  if (!bus_.waitForStarted() || !bus_.waitForReadyRead(10000)) throw std::runtime_error("no dbus-daemon");
  const QByteArray address = bus_.readLine().trimmed();
  qputenv("DBUS_SESSION_BUS_ADDRESS", address);
  colours_ = std::make_unique<FakeColours>(kLight);
  notifications_ = std::make_unique<FakeNotifications>();
  colours_->moveToThread(&thread_);
  notifications_->moveToThread(&thread_);
  thread_.start();
  const auto offer = [&](const char* connection_name, const char* service, const char* path, QObject* object) {
    QDBusConnection connection = QDBusConnection::connectToBus(address, connection_name);
    const bool is_there =
        connection.registerObject(path, object, QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals) &&
        connection.registerService(service);
    if (!is_there) throw std::runtime_error(service);
  };
  offer("portal", "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", colours_.get());
  offer("notes", "org.freedesktop.Notifications", "/org/freedesktop/Notifications", notifications_.get());
}

FakeDesktop::~FakeDesktop() {
  QDBusConnection::disconnectFromBus("portal");
  QDBusConnection::disconnectFromBus("notes");
  thread_.quit();
  thread_.wait();
  bus_.kill();
  bus_.waitForFinished();
}

}  // namespace app_test
