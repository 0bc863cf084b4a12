#include "app/window/action_mark.h"

#include <QJsonArray>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "app/window/call_text.h"
#include "app/window/theme.h"

namespace app {
namespace {

const QColor kInk("#3f5be0");
const QColor kSecondary("#c2458f");

std::optional<QPointF> to_desktop(const QJsonValue& x, const QJsonValue& y, const capture::ScreenMap& map) {
  if (!x.isDouble() || !y.isDouble() || map.image_px().width == 0) return std::nullopt;
  const auto point = map.to_desktop(x.toDouble(), y.toDouble());
  const auto* found = std::get_if<capture::DesktopPoint>(&point);
  return found != nullptr ? std::optional(QPointF(found->x_pt, found->y_pt)) : std::nullopt;
}

// A line with a dark edge below, so that it shows on every ground.
void stroke(QPainter& painter, const QPainterPath& path, const QColor& colour, double width) {
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(255, 255, 255, 220), width + 3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(path);
  painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(path);
}

void paint_ring(QPainter& painter, QPointF at, const ActionMark& mark, double phase) {
  const QColor colour = mark.is_secondary ? kSecondary : kInk;
  const double breath = 0.5 - 0.5 * std::cos(phase * 2 * M_PI);
  QColor halo = colour;
  halo.setAlpha(static_cast<int>(60 - 40 * breath));
  painter.setPen(Qt::NoPen);
  painter.setBrush(halo);
  painter.drawEllipse(at, 22 + 6 * breath, 22 + 6 * breath);
  QPainterPath ring;
  for (int n = 0; n < std::min(mark.count, 3); ++n) ring.addEllipse(at, 14 + 5 * n, 14 + 5 * n);
  stroke(painter, ring, colour, 2.2);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawEllipse(at, 2.6, 2.6);
}

void paint_arrow(QPainter& painter, QPointF from, QPointF to) {
  const QPointF way = to - from;
  const double length = std::hypot(way.x(), way.y());
  if (length < 1) return;
  const QPointF along = way / length, across(-along.y(), along.x());
  QPainterPath head;
  head.moveTo(to - along * 11 + across * 7);
  head.lineTo(to);
  head.lineTo(to - along * 11 - across * 7);
  stroke(painter, head, kInk, 2.6);
}

// Key caps or typed text in a row at the bottom of the screen.
void paint_caps(QPainter& painter, const QStringList& caps, const QRectF& screen) {
  const QFont font = text_font(TextSize::Title, QFont::DemiBold);
  const QFontMetricsF metrics(font);
  constexpr double kGap = 8, kPadding = 12;
  const double most = screen.width() - 48;
  QList<std::pair<QString, double>> boxes;
  double width = -kGap;
  for (const QString& cap : caps) {
    const QString shown = metrics.elidedText(cap, Qt::ElideRight, std::max(60.0, most - width - 2 * kPadding));
    boxes.append({shown, std::max(metrics.horizontalAdvance(shown) + 2 * kPadding, metrics.height() + kPadding)});
    width += boxes.last().second + kGap;
  }
  const double height = metrics.height() + kPadding;
  QPointF at(screen.center().x() - width / 2, screen.bottom() - height - 20);
  painter.setFont(font);
  for (const auto& [text, box_width] : boxes) {
    const QRectF box(at, QSizeF(box_width, height));
    painter.setPen(QPen(QColor(255, 255, 255, 60), 1));
    painter.setBrush(QColor(20, 24, 34, 225));
    painter.drawRoundedRect(box, 8, 8);
    painter.setPen(Qt::white);
    painter.drawText(box, Qt::AlignCenter, text);
    at.rx() += box_width + kGap;
  }
}

}  // namespace

std::optional<ActionMark> mark_of(const QString& tool, const QJsonObject& a, const capture::ScreenMap& map) {
  const QString action = a["action"].toString();
  ActionMark mark;
  if (tool == "keyboard") {
    mark.kind = action == "type" ? ActionMark::Kind::Text : ActionMark::Kind::Keys;
    mark.text = shown(a["text"].toString());
    mark.keys = a["keys"].toString().split('+', Qt::SkipEmptyParts);
    return mark.text.isEmpty() && mark.keys.isEmpty() ? std::nullopt : std::optional(mark);
  }
  if (tool != "pointer") return std::nullopt;
  if (action == "drag") {
    mark.kind = ActionMark::Kind::Path;
    for (const QJsonValue& point : a["path"].toArray()) {
      if (const auto at = to_desktop(point.toArray().at(0), point.toArray().at(1), map)) mark.points_pt.append(*at);
    }
  } else if (const auto at = to_desktop(a["x"], a["y"], map)) {
    mark.points_pt.append(*at);
  }
  if (action == "scroll") {
    mark.kind = ActionMark::Kind::Scroll;
    mark.scroll = {a["right"].toDouble(), a["down"].toDouble()};
  }
  mark.count = a["count"].toInt(1);
  mark.is_secondary = a.contains("button") && a["button"].toString() != "left";
  for (const QJsonValue& key : a["modifiers"].toArray()) mark.keys.append(key.toString());
  return mark.points_pt.isEmpty() ? std::nullopt : std::optional(mark);
}

void paint_mark(QPainter& painter, const ActionMark& mark, const QRectF& screen,
                const std::function<QPointF(QPointF)>& to_view, double phase) {
  painter.setRenderHint(QPainter::Antialiasing);
  QList<QPointF> points;
  for (const QPointF& point : mark.points_pt) points.append(to_view(point));
  if (mark.kind == ActionMark::Kind::Path && points.size() > 1) {
    QPainterPath path(points.first());
    for (const QPointF& point : points) path.lineTo(point);
    stroke(painter, path, kInk, 2.6);
    paint_arrow(painter, points[points.size() - 2], points.last());
  }
  if (mark.kind == ActionMark::Kind::Scroll) {
    const double length = std::hypot(mark.scroll.x(), mark.scroll.y());
    if (length > 0) {
      const QPointF end = points.first() + mark.scroll / length * 52;
      QPainterPath path(points.first());
      path.lineTo(end);
      stroke(painter, path, kInk, 2.6);
      paint_arrow(painter, points.first(), end);
    }
  }
  if (!points.isEmpty()) paint_ring(painter, points.first(), mark, phase);
  if (mark.kind == ActionMark::Kind::Text) return paint_caps(painter, {mark.text.simplified()}, screen);
  if (!mark.keys.isEmpty()) paint_caps(painter, mark.keys, screen);
}

}  // namespace app
