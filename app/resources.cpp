#include "app/resources.h"

#include <QCoreApplication>

namespace app {

std::filesystem::path resource_path(const std::filesystem::path& relative) {
  const std::filesystem::path program_dir = QCoreApplication::applicationDirPath().toStdString();
  for (const char* share : {"../share/deskhand", "../../share/deskhand"}) {  // beside bin/, or beside lib/deskhand/
    const std::filesystem::path installed = program_dir / share;
    if (std::filesystem::exists(installed)) return (installed / relative).lexically_normal();
  }
  return std::filesystem::path(DESKHAND_SOURCE_DIR) / "resources" / relative;
}

}  // namespace app
