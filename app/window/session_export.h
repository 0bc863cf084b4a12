#pragma once
// A session, or a part of it, as a file: the forms that there are, and the writing, which never holds up the window.

#include <QPointer>
#include <QString>
#include <filesystem>
#include <functional>

#include "agent/session_part.h"

class QMenu;
class QObject;

namespace app {

// One action for each form; `chosen` gets its name, as agent::export_as takes it.
void fill_export_menu(QMenu* menu, const std::function<void(const QString& form)>& chosen);

struct SessionExport {
  std::filesystem::path record;
  qint64 session = 0;
  QString form;
  agent::SessionPart part = {};
};
// "deskhand-12.mp4"
QString export_name(const SessionExport& wish);
// Writes it on another thread: a long session has gigabytes of pictures. `said` is called on the UI thread with what to
// tell the user, unless `receiver` is gone by then. A file that is there already is replaced when the new one is whole.
void start_export(const SessionExport& wish, const QString& target, QObject* receiver,
                  const std::function<void(const QString&)>& said);

}  // namespace app
