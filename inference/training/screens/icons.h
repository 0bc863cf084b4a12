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
QIcon make_icon(const QString& name, int size_px, const QColor& color, double stroke, bool filled);

}  // namespace screens
