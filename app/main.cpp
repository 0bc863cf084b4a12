// deskhand: the command line.

#include <QCoreApplication>
#include <cstdio>
#include <exception>

#include "app/commands.h"

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  try {
    return app::run_command_line(QCoreApplication::arguments().mid(1));
  } catch (const app::UsageError& error) {
    std::fprintf(stderr, "deskhand: %s\n", error.what());
    return app::kExitWrongUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "deskhand: error: %s\n", error.what());
    return app::kExitFailed;
  }
}
