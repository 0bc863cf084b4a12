#pragma once
// Symbols of the tool bars, drawn by ourselves so that their names are known and their look varies.

#include <QColor>
#include <QIcon>
#include <QPainter>
#include <QStringList>

namespace screens {

const QStringList& icon_names();

// Paints the symbol into `box`; `stroke` is the line width, `filled` draws solid shapes.
void paint_icon(QPainter& painter, const QString& name, const QRectF& box, const QColor& color, double stroke,
                bool filled);
// Themes of real icons in a folder (THEME/NAME.png); themes that begin with "eval-" are for held-out screens.
void use_icon_themes(const QString& folder);
QStringList icon_themes(bool held_out);
QStringList themed_icon_names(const QString& theme);
QIcon themed_icon(const QString& theme, const QString& name);

QIcon make_icon(const QString& name, int size_px, const QColor& color, double stroke, bool filled);

}  // namespace screens
