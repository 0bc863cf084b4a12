#include "tools/session_bus.h"

#include <QByteArray>
#include <QFile>
#include <QString>

namespace tools {
namespace {

constexpr const char* kVariable = "DBUS_SESSION_BUS_ADDRESS";
constexpr const char* kNoBus = "disabled:";  // an address of no transport: connecting fails at once

}  // namespace

bool has_session_bus() {
  const QByteArray address = qgetenv(kVariable);
  if (!address.isEmpty()) return address != kNoBus;
  const QString folder = qEnvironmentVariable("XDG_RUNTIME_DIR");
  return !folder.isEmpty() && QFile::exists(folder + "/bus");
}

void never_start_session_bus() {
  if (!has_session_bus()) qputenv(kVariable, kNoBus);
}

}  // namespace tools
