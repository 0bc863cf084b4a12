#include "inference/training/screens/icons.h"

#include <QDir>
#include <QHash>
#include <QPainterPath>
#include <cmath>
#include <functional>

namespace screens {
namespace {

// All symbols live on a 16×16 grid.
using Draw = std::function<void(QPainterPath&)>;

void line(QPainterPath& path, std::initializer_list<QPointF> points) {
  bool first = true;
  for (const QPointF& point : points) {
    first ? path.moveTo(point) : path.lineTo(point);
    first = false;
  }
}

void polygon(QPainterPath& path, std::initializer_list<QPointF> points) {
  line(path, points);
  path.closeSubpath();
}

void star(QPainterPath& path) {
  for (int i = 0; i < 10; ++i) {
    const double radius = i % 2 ? 3 : 7, angle = -M_PI / 2 + i * M_PI / 5;
    const QPointF point(8 + radius * std::cos(angle), 8 + radius * std::sin(angle));
    i ? path.lineTo(point) : path.moveTo(point);
  }
  path.closeSubpath();
}

void gear(QPainterPath& path) {
  path.addEllipse(QPointF(8, 8), 4, 4);
  for (int i = 0; i < 8; ++i) {
    const double a = i * M_PI / 4;
    line(path, {QPointF(8 + 4 * std::cos(a), 8 + 4 * std::sin(a)), QPointF(8 + 7 * std::cos(a), 8 + 7 * std::sin(a))});
  }
}

const QHash<QString, Draw>& drawings() {
  static const QHash<QString, Draw> table = {
      {"save",
       [](QPainterPath& p) {
         p.addRect(2, 2, 12, 12);
         p.addRect(5, 2, 6, 4);
         p.addRect(4, 9, 8, 5);
       }},
      {"open",
       [](QPainterPath& p) {
         polygon(p, {{1, 13}, {1, 4}, {6, 4}, {7, 6}, {14, 6}, {14, 13}});
         line(p, {{1, 13}, {4, 8}, {15, 8}});
       }},
      {"folder",
       [](QPainterPath& p) {
         polygon(p, {{1, 14}, {1, 3}, {6, 3}, {8, 5}, {15, 5}, {15, 14}});
       }},
      {"file",
       [](QPainterPath& p) {
         polygon(p, {{3, 1}, {10, 1}, {13, 4}, {13, 15}, {3, 15}});
         line(p, {{10, 1}, {10, 4}, {13, 4}});
       }},
      {"trash",
       [](QPainterPath& p) {
         polygon(p, {{4, 5}, {12, 5}, {11, 15}, {5, 15}});
         line(p, {{2, 4}, {14, 4}});
         line(p, {{6, 4}, {6, 2}, {10, 2}, {10, 4}});
       }},
      {"search",
       [](QPainterPath& p) {
         p.addEllipse(QPointF(7, 7), 5, 5);
         line(p, {{11, 11}, {15, 15}});
       }},
      {"settings", gear},
      {"add",
       [](QPainterPath& p) {
         line(p, {{8, 2}, {8, 14}});
         line(p, {{2, 8}, {14, 8}});
       }},
      {"remove",
       [](QPainterPath& p) {
         line(p, {{2, 8}, {14, 8}});
       }},
      {"close",
       [](QPainterPath& p) {
         line(p, {{3, 3}, {13, 13}});
         line(p, {{13, 3}, {3, 13}});
       }},
      {"back",
       [](QPainterPath& p) {
         line(p, {{8, 3}, {3, 8}, {8, 13}});
         line(p, {{3, 8}, {14, 8}});
       }},
      {"forward",
       [](QPainterPath& p) {
         line(p, {{8, 3}, {13, 8}, {8, 13}});
         line(p, {{2, 8}, {13, 8}});
       }},
      {"up",
       [](QPainterPath& p) {
         line(p, {{3, 8}, {8, 3}, {13, 8}});
         line(p, {{8, 3}, {8, 14}});
       }},
      {"down",
       [](QPainterPath& p) {
         line(p, {{3, 8}, {8, 13}, {13, 8}});
         line(p, {{8, 2}, {8, 13}});
       }},
      {"home",
       [](QPainterPath& p) {
         polygon(p, {{1, 8}, {8, 2}, {15, 8}});
         p.addRect(3, 8, 10, 6);
       }},
      {"refresh",
       [](QPainterPath& p) {
         p.arcMoveTo(3, 3, 10, 10, 40);
         p.arcTo(3, 3, 10, 10, 40, 280);
         line(p, {{13, 2}, {12, 6}, {8, 5}});
       }},
      {"print",
       [](QPainterPath& p) {
         p.addRect(2, 6, 12, 6);
         p.addRect(4, 2, 8, 4);
         p.addRect(4, 10, 8, 5);
       }},
      {"cut",
       [](QPainterPath& p) {
         p.addEllipse(QPointF(4, 12), 2, 2);
         p.addEllipse(QPointF(12, 12), 2, 2);
         line(p, {{5, 10}, {11, 2}});
         line(p, {{11, 10}, {5, 2}});
       }},
      {"copy",
       [](QPainterPath& p) {
         p.addRect(2, 2, 8, 9);
         p.addRect(6, 5, 8, 9);
       }},
      {"paste",
       [](QPainterPath& p) {
         p.addRect(3, 3, 10, 12);
         p.addRect(6, 1, 4, 4);
         line(p, {{5, 8}, {11, 8}});
         line(p, {{5, 11}, {11, 11}});
       }},
      {"undo",
       [](QPainterPath& p) {
         line(p, {{6, 3}, {2, 6}, {6, 9}});
         p.moveTo(2, 6);
         p.cubicTo(12, 5, 14, 9, 12, 14);
       }},
      {"redo",
       [](QPainterPath& p) {
         line(p, {{10, 3}, {14, 6}, {10, 9}});
         p.moveTo(14, 6);
         p.cubicTo(4, 5, 2, 9, 4, 14);
       }},
      {"play",
       [](QPainterPath& p) {
         polygon(p, {{4, 2}, {14, 8}, {4, 14}});
       }},
      {"pause",
       [](QPainterPath& p) {
         p.addRect(4, 2, 3, 12);
         p.addRect(10, 2, 3, 12);
       }},
      {"stop", [](QPainterPath& p) { p.addRect(3, 3, 10, 10); }},
      {"mail",
       [](QPainterPath& p) {
         p.addRect(1, 3, 14, 10);
         line(p, {{1, 3}, {8, 9}, {15, 3}});
       }},
      {"lock",
       [](QPainterPath& p) {
         p.addRect(3, 7, 10, 8);
         p.moveTo(5, 7);
         p.cubicTo(5, 1, 11, 1, 11, 7);
       }},
      {"star", star},
      {"heart",
       [](QPainterPath& p) {
         p.moveTo(8, 14);
         p.cubicTo(-2, 7, 4, 0, 8, 5);
         p.cubicTo(12, 0, 18, 7, 8, 14);
       }},
      {"info",
       [](QPainterPath& p) {
         p.addEllipse(QPointF(8, 8), 7, 7);
         line(p, {{8, 7}, {8, 12}});
         line(p, {{8, 4}, {8, 5}});
       }},
      {"warning",
       [](QPainterPath& p) {
         polygon(p, {{8, 1}, {15, 14}, {1, 14}});
         line(p, {{8, 6}, {8, 10}});
         line(p, {{8, 12}, {8, 12.6}});
       }},
      {"user",
       [](QPainterPath& p) {
         p.addEllipse(QPointF(8, 5), 3.5, 3.5);
         p.moveTo(2, 15);
         p.cubicTo(2, 8, 14, 8, 14, 15);
         p.closeSubpath();
       }},
      {"camera",
       [](QPainterPath& p) {
         p.addRect(1, 4, 14, 10);
         p.addEllipse(QPointF(8, 9), 3.5, 3.5);
         line(p, {{5, 4}, {6, 2}, {10, 2}, {11, 4}});
       }},
      {"download",
       [](QPainterPath& p) {
         line(p, {{8, 1}, {8, 10}});
         line(p, {{4, 6}, {8, 10}, {12, 6}});
         line(p, {{2, 14}, {14, 14}});
       }},
      {"upload",
       [](QPainterPath& p) {
         line(p, {{8, 11}, {8, 2}});
         line(p, {{4, 6}, {8, 2}, {12, 6}});
         line(p, {{2, 14}, {14, 14}});
       }},
      {"terminal",
       [](QPainterPath& p) {
         p.addRect(1, 2, 14, 12);
         line(p, {{3, 5}, {6, 8}, {3, 11}});
         line(p, {{8, 11}, {12, 11}});
       }},
      {"calendar",
       [](QPainterPath& p) {
         p.addRect(2, 3, 12, 12);
         line(p, {{2, 6}, {14, 6}});
         line(p, {{5, 1}, {5, 4}});
         line(p, {{11, 1}, {11, 4}});
       }},
      {"clock",
       [](QPainterPath& p) {
         p.addEllipse(QPointF(8, 8), 7, 7);
         line(p, {{8, 3}, {8, 8}, {12, 9}});
       }},
      {"music",
       [](QPainterPath& p) {
         p.addEllipse(QPointF(4, 13), 2, 2);
         p.addEllipse(QPointF(12, 11), 2, 2);
         line(p, {{6, 13}, {6, 3}, {14, 1}, {14, 11}});
       }},
      {"image",
       [](QPainterPath& p) {
         p.addRect(1, 2, 14, 12);
         line(p, {{2, 13}, {6, 7}, {9, 11}, {11, 9}, {14, 13}});
         p.addEllipse(QPointF(11, 5), 1.3, 1.3);
       }},
      {"menu",
       [](QPainterPath& p) {
         line(p, {{2, 4}, {14, 4}});
         line(p, {{2, 8}, {14, 8}});
         line(p, {{2, 12}, {14, 12}});
       }},
      {"more",
       [](QPainterPath& p) {
         for (int y : {3, 8, 13}) p.addEllipse(QPointF(8, y), 1.2, 1.2);
       }},
      {"edit",
       [](QPainterPath& p) {
         polygon(p, {{2, 14}, {3, 10}, {11, 2}, {14, 5}, {6, 13}});
       }},
      {"link",
       [](QPainterPath& p) {
         p.addRoundedRect(1, 6, 8, 4, 2, 2);
         p.addRoundedRect(7, 6, 8, 4, 2, 2);
       }},
      {"grid",
       [](QPainterPath& p) {
         for (int x : {2, 9})
           for (int y : {2, 9}) p.addRect(x, y, 5, 5);
       }},
      {"list",
       [](QPainterPath& p) {
         for (int y : {3, 8, 13}) {
           p.addRect(1, y - 1, 2, 2);
           line(p, {{5, double(y)}, {15, double(y)}});
         }
       }},
      {"bell",
       [](QPainterPath& p) {
         p.moveTo(2, 12);
         p.cubicTo(5, 9, 3, 2, 8, 2);
         p.cubicTo(13, 2, 11, 9, 14, 12);
         p.closeSubpath();
         line(p, {{7, 14}, {9, 14}});
       }},
      {"volume",
       [](QPainterPath& p) {
         polygon(p, {{1, 6}, {4, 6}, {8, 2}, {8, 14}, {4, 10}, {1, 10}});
         p.arcMoveTo(8, 4, 6, 8, 60);
         p.arcTo(8, 4, 6, 8, 60, -120);
       }},
  };
  return table;
}

QString themes_folder;

}  // namespace

void use_icon_themes(const QString& folder) {
  themes_folder = folder;
}

QStringList icon_themes(bool held_out) {
  if (themes_folder.isEmpty()) return {};
  QStringList kept;
  for (const QString& name : QDir(themes_folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
    if (name.startsWith(QStringLiteral("eval-")) == held_out) kept.push_back(name);
  return kept;
}

QStringList themed_icon_names(const QString& theme) {
  static QHash<QString, QStringList> names;
  auto found = names.find(theme);
  if (found == names.end()) {
    QStringList files = QDir(themes_folder + '/' + theme).entryList({QStringLiteral("*.png")}, QDir::Files, QDir::Name);
    found = names.insert(theme, files.replaceInStrings(QStringLiteral(".png"), QString()));
  }
  return *found;
}

QIcon themed_icon(const QString& theme, const QString& name) {
  static QHash<QString, QPixmap> pictures;
  const QString path = themes_folder + '/' + theme + '/' + name + QStringLiteral(".png");
  if (!pictures.contains(path)) pictures.insert(path, QPixmap(path));
  return QIcon(pictures[path]);
}

const QStringList& icon_names() {
  static const QStringList names = [] {
    QStringList keys = drawings().keys();
    keys.sort();  // the hash has no order of its own
    return keys;
  }();
  return names;
}

void paint_icon(QPainter& painter, const QString& name, const QRectF& box, const QColor& color, double stroke,
                bool filled) {
  QPainterPath path;
  drawings()[name](path);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(box.topLeft());
  painter.scale(box.width() / 16, box.height() / 16);
  painter.setPen(QPen(color, stroke, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  if (filled) {
    QColor soft = color;
    soft.setAlpha(90);
    painter.setBrush(soft);
  }
  painter.drawPath(path);
  painter.restore();
}

QIcon make_icon(const QString& name, int size_px, const QColor& color, double stroke, bool filled) {
  QPixmap pixmap(size_px * 2, size_px * 2);
  pixmap.setDevicePixelRatio(2);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  paint_icon(painter, name, QRectF(0.5, 0.5, size_px - 1, size_px - 1), color, stroke, filled);
  painter.end();
  return QIcon(pixmap);
}

}  // namespace screens
