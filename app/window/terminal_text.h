#pragma once
// What a command wrote to its terminal, with its colours.

#include <QByteArray>
#include <QList>
#include <QString>
#include <QTextLayout>

namespace app {

struct TerminalText {
  QString text;  // lines end in \n; invisible characters are shown
  QList<QTextLayout::FormatRange> formats;
};

// Understands colours and bold (SGR) and lines that are written anew after a carriage return; other control sequences
// are left out. Colours are chosen to be readable on the theme's ground.
TerminalText terminal_text(const QByteArray& written);

}  // namespace app
