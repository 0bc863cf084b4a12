#pragma once
// An action on a desktop as it is drawn over its picture: where it aims, along which way, with which keys.

#include <QJsonObject>
#include <QList>
#include <QPointF>
#include <QStringList>
#include <functional>
#include <optional>

#include "capture/screen_map.h"

class QPainter;

namespace app {

struct ActionMark {
  enum class Kind { Point, Path, Scroll, Keys, Text };
  Kind kind = Kind::Point;
  QList<QPointF> points_pt;   // desktop points; keys and text have none
  int count = 1;              // 2: a double click
  bool is_secondary = false;  // another than the left button
  QPointF scroll;             // right, down
  QStringList keys;
  QString text;
};

// Nothing: it has no place on the desktop, or a place that the picture doesn't show. `map`: of the picture whose pixels
// the arguments speak of.
std::optional<ActionMark> mark_of(const QString& tool, const QJsonObject& arguments, const capture::ScreenMap& map);

// Draws it. `to_view` maps desktop points to the painter's; `phase` 0 … 1 lets the ring breathe.
void paint_mark(QPainter& painter, const ActionMark& mark, const QRectF& screen,
                const std::function<QPointF(QPointF)>& to_view, double phase);

}  // namespace app
