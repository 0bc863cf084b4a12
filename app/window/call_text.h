#pragma once
// What calls, effects, verdicts and endings are called in the user's language.

#include <QString>

#include "app/window/session_item.h"

namespace app {

QString call_title(const QString& tool, const QJsonObject& arguments);  // "Click at 412, 230"
QString call_icon(const QString& tool, const QJsonObject& arguments);   // name of an icon
QString effect_text(const QString& effect);                             // "works its own desktop"
QString verdict_text(const QString& verdict);                           // "confirmed"
QString ending_text(const QString& status);                             // "Done"
QString ending_icon(const QString& status);
QString duration_text(double seconds);  // "0.4 s", "2:05"

// The item as one line: for lists, search and screen readers.
QString plain_line(const SessionItem& item);
// All that is written in the item: for copying and searching.
QString whole_text(const SessionItem& item);

// The user's eyes must see what would be done: invisible and bidirectional characters as \u{…}.
QString shown(const QString& text);

}  // namespace app
