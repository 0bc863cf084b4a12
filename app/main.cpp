// deskhand: the window, and the command line.

#include <QCoreApplication>
#include <cstdio>
#include <exception>

#include "app/commands.h"
#include "app/window/open_window.h"
#include "tools/session_bus.h"

int main(int argc, char** argv) {
  tools::never_start_session_bus();
  try {
    if (argc == 1) return app::open_window(argc, argv);
    const QCoreApplication application(argc, argv);
    return app::run_command_line(QCoreApplication::arguments().mid(1));
  } catch (const app::UsageError& error) {
    std::fprintf(stderr, "deskhand: %s\n", error.what());
    return app::kExitWrongUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "deskhand: error: %s\n", error.what());
    return app::kExitFailed;
  }
}
