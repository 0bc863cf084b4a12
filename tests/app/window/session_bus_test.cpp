// Where no session bus runs, the window and what it starts do without one.

#include <gtest/gtest.h>

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>

#include "tests/desk/x_server.h"
#include "tools/windows.h"

namespace {

using namespace std::chrono_literals;

TEST(SessionBus, is_not_started_by_the_window) {
  const desk_test::TestXServer server({.width = 1400, .height = 900});
  const QTemporaryDir home;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.remove("DBUS_SESSION_BUS_ADDRESS");
  environment.remove("QT_QPA_PLATFORM");
  environment.insert("DISPLAY", QString::fromStdString(server.display()));
  for (const char* name : {"HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME"}) {
    environment.insert(name, home.path());
  }
  QProcess window;
  window.setProcessEnvironment(environment);
  window.start(DESKHAND_BIN_DIR "/deskhand", QStringList());
  ASSERT_TRUE(window.waitForStarted());
  auto windows = tools::Windows::open(server.display());
  EXPECT_TRUE(windows.wait_for([](const tools::Window& one) { return one.title == "Deskhand"; }, 60s));
  window.terminate();
  EXPECT_TRUE(window.waitForFinished(60000));
  // A bus that a library starts for a display leaves its address here.
  EXPECT_FALSE(QDir(home.filePath(".dbus")).exists());
}

}  // namespace
