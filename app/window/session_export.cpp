#include "app/window/session_export.h"

#include <QCoreApplication>
#include <QMenu>
#include <QThreadPool>

#include "agent/export.h"
#include "app/window/theme.h"

namespace app {
namespace {

struct ExportWords {
  Q_DECLARE_TR_FUNCTIONS(Export)
};

void write_export(const SessionExport& wish, const std::filesystem::path& target) {
  namespace fs = std::filesystem;
  const auto recorder = agent::Recorder::open(wish.record);
  const std::string form = wish.form.toStdString();
  if (!fs::is_regular_file(target)) return agent::export_as(form, *recorder, wish.session, target, wish.part);
  fs::path fresh =
      target.parent_path() / (".new-" + target.filename().string());  // keeps the ending: it tells the form
  fs::remove(fresh);
  agent::export_as(form, *recorder, wish.session, fresh, wish.part);
  fs::rename(fresh, target);
}

}  // namespace

void fill_export_menu(QMenu* menu, const std::function<void(const QString& form)>& chosen) {
  const struct {
    const char *form, *icon;
    QString name;
  } forms[] = {{"html", "globe", ExportWords::tr("Report (HTML)")},
               {"mp4", "film", ExportWords::tr("Film (MP4)")},
               {"zip", "file", ExportWords::tr("Zip file with pictures and events")},
               {"folder", "folder", ExportWords::tr("Folder with pictures and events")},
               {"workflow", "refresh", ExportWords::tr("Workflow that can be replayed")}};
  for (const auto& form : forms) {
    menu->addAction(icon(form.icon, IconColour::Dim), form.name, menu, [chosen, name = form.form] { chosen(name); });
  }
}

QString export_name(const SessionExport& wish) {
  const QString part = wish.part.is_whole() ? "" : "-part";
  return QString("deskhand-%1%2").arg(wish.session).arg(part) + (wish.form == "folder" ? "" : "." + wish.form);
}

void start_export(const SessionExport& wish, const QString& target, QObject* receiver,
                  const std::function<void(const QString&)>& said) {
  QThreadPool::globalInstance()->start([wish, target, said, receiver = QPointer(receiver)] {
    QString outcome = ExportWords::tr("Exported to %1").arg(target);
    try {
      write_export(wish, target.toStdString());
    } catch (const std::exception& error) {
      outcome = QString::fromUtf8(error.what());
    }
    QMetaObject::invokeMethod(
        qApp,
        [receiver, said, outcome] {
          if (receiver) said(outcome);
        },
        Qt::QueuedConnection);
  });
}

}  // namespace app
