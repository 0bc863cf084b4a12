#pragma once
// The languages of the window.

#include <QList>
#include <QString>

namespace app {

struct Language {
  QString code;  // "de", "zh_CN"
  QString name;  // in itself
};
const QList<Language>& languages();

// Everything that is written from now on is in this language; empty: the desktop's, English where it isn't there.
void use_language(const QString& code);

}  // namespace app
