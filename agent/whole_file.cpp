#include "agent/whole_file.h"

#include <QSaveFile>

#include "agent/error.h"

namespace agent {

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  QSaveFile file(QString::fromStdString(path.native()));
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes.data(), static_cast<qint64>(bytes.size())) < 0 ||
      !file.commit()) {
    throw Error("can't write " + path.string() + ": " + file.errorString().toStdString() +
                "; check that its folder exists, has room and may be written to");
  }
}

}  // namespace agent
