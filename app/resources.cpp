#include "app/resources.h"

#include <QCoreApplication>

namespace app {

std::filesystem::path resource_path(const std::filesystem::path& relative) {
  const std::filesystem::path program_dir = QCoreApplication::applicationDirPath().toStdString();
  const std::filesystem::path installed = program_dir.parent_path() / "share" / "deskhand";
  if (std::filesystem::exists(installed)) return installed / relative;
  return std::filesystem::path(DESKHAND_SOURCE_DIR) / "resources" / relative;
}

}  // namespace app
