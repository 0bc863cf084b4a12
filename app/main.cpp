// deskhand: the command line.

#include <QCoreApplication>
#include <cstdio>
#include <exception>

#include "app/run_command.h"

namespace {

constexpr const char* kUsage =
    "Usage: deskhand [run] \"task\" [options]\n"
    "       deskhand run --help\n"
    "\n"
    "Does a task on a Linux desktop: its own, unless told otherwise. The window is not built yet: without arguments "
    "it\n"
    "gives a demonstration on the terminal.\n"
    "\n"
    "  --help       this text\n"
    "  --version    the version\n";

int demonstrate(const QString& program) {
  const QString task = "Open Calculator, then click 7";
  std::printf(
      "The window is not built yet. Instead a demonstration: the small model does \"%s\" on a desktop of its own.\n\n",
      task.toUtf8().constData());
  return app::run_command({program, "--yes", "shell", task});
}

int dispatch(const QStringList& arguments) {
  const QString first = arguments.value(1);
  if (first.isEmpty()) return demonstrate(arguments.value(0));
  if (first == "--help") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (first == "--version") {
    std::puts("deskhand " DESKHAND_VERSION);
    return 0;
  }
  QStringList rest = arguments;
  if (first == "run") rest.removeAt(1);
  return app::run_command(rest);
}

}  // namespace

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  try {
    return dispatch(QCoreApplication::arguments());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "deskhand: error: %s\n", error.what());
    return 2;
  }
}
