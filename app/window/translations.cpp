#include "app/window/translations.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

#include "app/window/window_resources.h"

namespace app {

const QList<Language>& languages() {
  static const QList<Language> all = {{"en", "English"}, {"de", "Deutsch"}, {"zh_CN", "简体中文"}, {"ja", "日本語"}};
  return all;
}

void use_language(const QString& code) {
  register_resources();
  static QTranslator ours, qt;
  QCoreApplication::removeTranslator(&ours);
  QCoreApplication::removeTranslator(&qt);
  const QLocale locale = code.isEmpty() ? QLocale::system() : QLocale(code);
  QLocale::setDefault(locale);
  if (qt.load(locale, "qtbase", "_", QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
    QCoreApplication::installTranslator(&qt);
  }
  if (ours.load(locale, "deskhand", "_", ":/translations")) QCoreApplication::installTranslator(&ours);
}

}  // namespace app
