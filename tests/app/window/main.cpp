// The window's tests: a Qt application without a screen, and data that no other run sees.

#include <gtest/gtest.h>

#include <QTemporaryDir>

#include "app/window/theme.h"
#include "tests/app/window/watchdog.h"

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  const QTemporaryDir home;
  for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"}) {
    qputenv(name, home.path().toUtf8());
  }
  testing::InitGoogleTest(&argc, argv);
  app_test::TimedApplication application(argc, argv);
  app::apply_theme(application, app::ThemeChoice::Light);
  return RUN_ALL_TESTS();
}
