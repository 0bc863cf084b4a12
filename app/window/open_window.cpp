#include "app/window/open_window.h"

#include <xcb/xcb.h>

#include <QApplication>
#include <cstdio>

#include "agent/recorder.h"
#include "app/window/main_window.h"
#include "app/window/preferences.h"
#include "app/window/theme.h"
#include "app/window/translations.h"

namespace app {
namespace {

// Qt ends the program where it can't open a display; asked first, we can say it better.
bool has_display() {
  const QByteArray platform = qgetenv("QT_QPA_PLATFORM");
  if (!platform.isEmpty() && !platform.startsWith("xcb")) return true;
  if (!qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")) return true;
  if (qEnvironmentVariableIsEmpty("DISPLAY")) return false;
  xcb_connection_t* connection = xcb_connect(nullptr, nullptr);
  const bool is_open = xcb_connection_has_error(connection) == 0;
  xcb_disconnect(connection);
  return is_open;
}

}  // namespace

int open_window(int& argc, char** argv) {
  if (!has_display()) {
    std::fputs(
        "deskhand: there is no display for the window. Start it from a desktop, or set DISPLAY.\n"
        "Without one, tasks run on a private desktop:  deskhand run \"task\"\n",
        stderr);
    return 1;
  }
  QApplication application(argc, argv);
  QApplication::setApplicationName("Deskhand");
  QApplication::setDesktopFileName("deskhand");
  {
    const Preferences preferences;
    use_language(preferences.language());
    apply_theme(application, preferences.theme());
  }
  int status = 0;
  {
    MainWindow window(agent::Recorder::default_path());
    window.show();
    status = QApplication::exec();
  }
  AgentBridge::finish_all();  // behind the window, which is gone
  return status;
}

}  // namespace app
