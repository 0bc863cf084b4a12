#include "inference/training/screens/desktop.h"

#include <QApplication>
#include <QLineEdit>
#include <QLinearGradient>
#include <QPainter>
#include <QPainterPath>
#include <QPlainTextEdit>
#include <QStyleFactory>
#include <algorithm>

#include "inference/training/screens/harvest.h"
#include "inference/training/screens/icons.h"

namespace screens {
namespace {

Item painted_item(const QString& kind, const QString& text, const QRectF& box, int layer) {
  Item item;
  item.kind = kind;
  item.text = text;
  item.box = box;
  item.layer = layer;
  return item;
}

// What of the widget its frame shows: a layout may insist on more room than there is.
QRect inside(const Layer& layer) {
  const int edge = layer.decorated ? 1 : 0;
  return QRect(QPoint(0, 0), QPoint(layer.frame.right() - edge, layer.frame.bottom() - edge) - layer.content);
}

// Takes away what later layers cover or the picture doesn't show, and characters with it.
void hide_covered(Screen& screen, const std::vector<Layer>& layers, const QRectF& shown) {
  auto covered = [&](const QPointF& point, int layer) {
    if (!shown.isNull() && !shown.contains(point)) return true;
    for (std::size_t above = static_cast<std::size_t>(layer) + 1; above < layers.size(); ++above)
      if (QRectF(layers[above].frame).contains(point)) return true;
    return false;
  };
  std::vector<TextRun> runs;
  for (TextRun& run : screen.runs) {
    TextRun kept = run;
    kept.text.clear();
    kept.centers.clear();
    for (qsizetype i = 0; i < run.text.size(); ++i) {
      const float x = run.centers[static_cast<std::size_t>(i)];
      if (covered(QPointF(x, run.box.center().y()), run.layer)) {
        kept.whole = false;
        continue;
      }
      kept.text += run.text[i];
      kept.centers.push_back(x);
    }
    if (covered(run.box.topLeft(), run.layer) || covered(run.box.bottomRight(), run.layer)) kept.whole = false;
    if (!kept.text.trimmed().isEmpty()) runs.push_back(std::move(kept));
  }
  screen.runs = std::move(runs);
  std::erase_if(screen.items, [&](const Item& item) {
    const QRectF inner =
        item.box.adjusted(item.box.width() / 6, item.box.height() / 6, -item.box.width() / 6, -item.box.height() / 6);
    return covered(item.box.center(), item.layer) || covered(inner.topLeft(), item.layer) ||
           covered(inner.bottomRight(), item.layer) || covered(inner.topRight(), item.layer) ||
           covered(inner.bottomLeft(), item.layer);
  });
}

// A text is a label only where all of it can be read.
void check_readable(Screen& screen) {
  for (Item& item : screen.items) {
    if (item.text.isEmpty()) continue;
    QString seen;
    for (const TextRun& run : screen.runs)
      if (run.layer == item.layer && item.box.adjusted(-2, -2, 2, 2).contains(run.box.center()) && run.whole)
        seen += run.text;
    if (!seen.remove(' ').contains(QString(item.text).remove(' '))) item.text.clear();
  }
  std::erase_if(screen.items, [](const Item& item) {
    return item.text.isEmpty() && item.icon.isEmpty() && item.kind != "text field" && item.kind != "text area" &&
           item.kind != "combo box" && item.kind != "spin box" && item.kind != "slider" && item.kind != "scroll bar" &&
           item.kind != "progress bar";
  });
}

}  // namespace

Desktop::Desktop(Random& random, Split split, View view)
    : random_(random), text_(random, split), theme_(make_theme(random, split)), context_{random_, text_, theme_} {
  QApplication::setStyle(QStyleFactory::create(theme_.style));
  QApplication::setPalette(theme_.palette);
  QApplication::setFont(theme_.font);
  if (!theme_.sheet.isEmpty()) qApp->setStyleSheet(theme_.sheet);
  choose_size(split, view);
  wallpaper_kind_ = random_.between(0, 3);
  for (QColor& color : wallpaper_)
    color = QColor::fromHsv(random_.between(0, 359), random_.between(0, 200), random_.between(20, 250));
  layers_.emplace_back();  // the desktop itself
  layers_[0].frame = QRect(QPoint(0, 0), size_);
  if (random_.chance(0.6)) place_panel();
  if (random_.chance(0.4)) place_icons();
  const int n_windows = random_.weighted({2, 55, 25, 12, 6});
  for (int i = 0; i < n_windows; ++i) {
    const bool large = n_windows == 1 && random_.chance(0.6);
    const QSize room =
        large ? size_
              : QSize(size_.width() * random_.between(50, 85) / 100, size_.height() * random_.between(50, 90) / 100);
    open_window(make_window(context_, room), false);
  }
  if (random_.chance(0.12)) open_window(make_message_box(context_), true);
  if (view == View::Crop) choose_crop();
  pointer_ = QPoint(random_.between(0, size_.width()), random_.between(0, size_.height()));
}

Desktop::~Desktop() {
  layers_.clear();
  if (!theme_.sheet.isEmpty()) qApp->setStyleSheet(QString());
}

void Desktop::choose_size(Split split, View view) {
  if (view == View::Whole) {
    const int of_scales = split == Split::Train ? random_.weighted({64, 18, 8, 6, 4})  // small things are harder
                                                : random_.weighted({70, 10, 8, 7, 5});
    scale_ = std::vector<double>{1, 2.0 / 3, 1.25, 1.5, 2}[static_cast<std::size_t>(of_scales)];
    size_ = QSize(qRound(kWidth / scale_), qRound(kHeight / scale_));
    return;
  }
  const double px_per_pt =
      std::vector<double>{1, 1.25, 1.5, 2}[static_cast<std::size_t>(random_.weighted({7, 1, 1, 1}))];
  if (view == View::Large) {
    picture_px_ = QSize(kWidth * 3 / 2, kHeight * 3 / 2);
    scale_ = px_per_pt * 2 / 3;
    size_ = QSize(qRound(kWidth / scale_), qRound(kHeight / scale_));
    return;
  }
  scale_ = px_per_pt;
  size_ = (QSizeF(kWidth, kHeight) / scale_ * (1.2 + random_.unit())).toSize();
}

// Around a point of one of the windows.
void Desktop::choose_crop() {
  const QRect& window = random_.pick(layers_).frame;
  const QSizeF room(kWidth / scale_, kHeight / scale_);
  auto start = [](double middle, double length, double whole) {
    return std::clamp(middle - length / 2, 0.0, whole - length);
  };
  shown_ = QRectF(QPointF(start(random_.between(window.left(), window.right()), room.width(), size_.width()),
                          start(random_.between(window.top(), window.bottom()), room.height(), size_.height())),
                  room);
}

void Desktop::place_panel() {
  const int height = std::max(random_.between(24, 40), theme_.font.pixelSize() + 8);
  panel_ = random_.chance(0.75) ? QRect(0, size_.height() - height, size_.width(), height)
                                : QRect(0, 0, size_.width(), height);
  clock_ = QString::asprintf("%02d:%02d", random_.between(0, 23), random_.between(0, 59));
}

void Desktop::place_icons() {
  const int cell = random_.between(76, 96), n = random_.between(2, 10);
  for (int i = 0; i < n; ++i) {
    Icon icon;
    icon.text = random_.chance(0.4) ? text_.application() : random_.chance(0.5) ? text_.file_name() : text_.label();
    icon.name = random_.pick(icon_names());
    const int per_column = std::max(1, (size_.height() - 60) / cell);
    icon.box = QRect(6 + (i / per_column) * cell, 30 + (i % per_column) * cell, cell - 8, cell - 8);
    icons_.push_back(icon);
  }
}

void Desktop::open_window(Window window, bool centred) {
  Layer layer;
  const QRect area = panel_.isNull()     ? QRect(QPoint(0, 0), size_)
                     : panel_.top() == 0 ? QRect(0, panel_.height(), size_.width(), size_.height() - panel_.height())
                                         : QRect(0, 0, size_.width(), panel_.top());
  layer.decorated = centred || random_.chance(0.93);
  const int title = layer.decorated ? theme_.title_height : 0, edge = layer.decorated ? 1 : 0;
  const QSize inner = window.widget->size()
                          .expandedTo(window.widget->minimumSizeHint())
                          .boundedTo(QSize(area.width() - 2 * edge, area.height() - title - edge));
  window.widget->resize(inner);
  const QSize outer(inner.width() + 2 * edge, inner.height() + title + edge);
  const QPoint at = centred ? area.center() - QPoint(outer.width() / 2, outer.height() / 2)
                            : area.topLeft() + QPoint(random_.between(0, area.width() - outer.width()),
                                                      random_.between(0, area.height() - outer.height()));
  layer.frame = QRect(at, outer);
  layer.content = at + QPoint(edge, title);
  layer.title = window.title;
  layer.widget = std::move(window.widget);
  layers_.push_back(std::move(layer));
}

void Desktop::open_popup(std::unique_ptr<QWidget> popup, QPoint at_pt) {
  Layer layer;
  const QSize size = popup->size();
  at_pt.setX(std::max(0, std::min(at_pt.x(), size_.width() - size.width())));
  at_pt.setY(std::max(0, std::min(at_pt.y(), size_.height() - size.height())));
  layer.frame = QRect(at_pt, size);
  layer.content = at_pt;
  layer.is_popup = true;
  layer.widget = std::move(popup);
  layers_.push_back(std::move(layer));
}

void Desktop::close_layer(int layer) {
  if (focused_ && layers_[static_cast<std::size_t>(layer)].widget &&
      layers_[static_cast<std::size_t>(layer)].widget->isAncestorOf(focused_))
    focused_ = nullptr;
  layers_.erase(layers_.begin() + layer);
}

void Desktop::raise_layer(int layer) {
  std::rotate(layers_.begin() + layer, layers_.begin() + layer + 1, layers_.end());
}

void Desktop::focus(QWidget* field) {
  if (focused_) focused_->setProperty("focused", false);
  focused_ = field;
  if (field) field->setProperty("focused", true);
}

Screen Desktop::render() {
  Screen screen;
  const double px_per_pt = scale_ * picture_px_.width() / kWidth;
  const bool shrink = px_per_pt < 1;
  QImage image(shrink ? size_ : picture_px_, QImage::Format_RGB32);
  if (!shrink) image.setDevicePixelRatio(px_per_pt);
  {
    QPainter painter(&image);
    painter.translate(-shown_.topLeft());
    paint(painter, nullptr, &screen.items);
    paint_pointer(painter);
  }
  TextRecorder recorder(size_);
  {
    QPainter painter(&recorder);
    paint(painter, &recorder, nullptr);
  }
  screen.runs = std::move(recorder.runs());
  for (std::size_t i = 1; i < layers_.size(); ++i)
    harvest_items(layers_[i].widget.get(), inside(layers_[i]), layers_[i].content, static_cast<int>(i),
                  layers_[i].title, screen.items);
  hide_covered(screen, layers_, shown_);
  check_readable(screen);
  const QTransform to_px =
      QTransform::fromTranslate(-shown_.left(), -shown_.top()) * QTransform::fromScale(scale_, scale_);
  for (Item& item : screen.items) item.box = to_px.mapRect(item.box) & QRectF(0, 0, kWidth, kHeight);
  for (TextRun& run : screen.runs) {
    run.box = to_px.mapRect(run.box);
    for (float& x : run.centers) x = static_cast<float>((x - shown_.left()) * scale_);
  }
  for (std::size_t i = layers_.size(); i-- > 1;) {
    const bool is_seen = shown_.isNull() || std::ranges::any_of(screen.items, [&](const Item& item) {
                           return item.kind == "title bar" && item.layer == static_cast<int>(i);
                         });
    if (layers_[i].decorated && is_seen) screen.titles.push_back(layers_[i].title);
  }
  image.setDevicePixelRatio(1);
  screen.native = image.convertToFormat(QImage::Format_RGB888);
  screen.picture = shrink ? image.scaled(picture_px_, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                                .convertToFormat(QImage::Format_RGB888)
                          : screen.native;
  return screen;
}

void Desktop::paint(QPainter& painter, TextRecorder* recorder, std::vector<Item>* items) {
  if (recorder) recorder->set_layer(0);
  painter.setFont(theme_.font);
  if (!recorder) paint_wallpaper(painter);
  paint_icons(painter, items);
  paint_panel(painter, items);
  for (std::size_t i = 1; i < layers_.size(); ++i) {
    if (recorder) recorder->set_layer(static_cast<int>(i));
    if (layers_[i].decorated) paint_frame(painter, static_cast<int>(i), items);
    layers_[i].widget->render(&painter, layers_[i].content, QRegion(inside(layers_[i])),
                              QWidget::DrawWindowBackground | QWidget::DrawChildren);
  }
  if (!recorder) paint_focus(painter);
}

void Desktop::paint_wallpaper(QPainter& painter) {
  const QRect all(QPoint(0, 0), size_);
  if (wallpaper_kind_ == 0) return painter.fillRect(all, wallpaper_[0]);
  QLinearGradient gradient(all.topLeft(), wallpaper_kind_ == 1 ? all.bottomLeft() : all.bottomRight());
  gradient.setColorAt(0, wallpaper_[0]);
  gradient.setColorAt(1, wallpaper_[1]);
  painter.fillRect(all, gradient);
  if (wallpaper_kind_ < 3) return;
  painter.setPen(Qt::NoPen);
  for (int i = 0; i < 6; ++i) {
    QColor soft = wallpaper_[i % 3];
    soft.setAlpha(120);
    painter.setBrush(soft);
    painter.drawEllipse(QPoint(size_.width() * (i * 37 % 100) / 100, size_.height() * (i * 61 % 100) / 100),
                        90 + i * 25, 60 + i * 20);
  }
}

void Desktop::paint_icons(QPainter& painter, std::vector<Item>* items) {
  for (const Icon& icon : icons_) {
    const QColor color = wallpaper_[0].lightness() > 140 ? QColor(20, 20, 20) : QColor(245, 245, 245);
    const QRect picture(icon.box.center().x() - 18, icon.box.top(), 36, 36);
    paint_icon(painter, icon.name, picture, color, theme_.icon_stroke, true);
    painter.setPen(color);
    const QString text = painter.fontMetrics().elidedText(icon.text, Qt::ElideRight, icon.box.width());
    painter.drawText(QRect(icon.box.left(), icon.box.top() + 38, icon.box.width(), 20), Qt::AlignHCenter | Qt::AlignTop,
                     text);
    if (items) {
      items->push_back(painted_item(QStringLiteral("desktop icon"), text,
                                    QRectF(icon.box.left(), icon.box.top(), icon.box.width(), 58), 0));
      items->back().icon = icon.name;
    }
  }
}

void Desktop::paint_panel(QPainter& painter, std::vector<Item>* items) {
  if (panel_.isNull()) return;
  const QColor back = theme_.dark ? QColor(25, 25, 28) : theme_.palette.window().color().darker(108);
  const QColor front = back.lightness() > 128 ? Qt::black : Qt::white;
  painter.fillRect(panel_, back);
  const int h = panel_.height();
  int x = 4;
  paint_icon(painter, QStringLiteral("menu"), QRectF(x + 4, panel_.top() + (h - 16) / 2.0, 16, 16), front, 1.6, false);
  if (items) {
    items->push_back(painted_item(QStringLiteral("button"), {}, QRectF(x, panel_.top(), 26, h), 0));
    items->back().icon = QStringLiteral("menu");
  }
  x += 34;
  for (const Layer& layer : layers_) {
    if (!layer.decorated || x > panel_.width() - 220) continue;
    const QRect box(x, panel_.top() + 2, 140, h - 4);
    QColor fill = front;
    fill.setAlpha(30);
    painter.fillRect(box, fill);
    painter.setPen(front);
    const QString text = painter.fontMetrics().elidedText(layer.title, Qt::ElideRight, box.width() - 12);
    painter.drawText(box.adjusted(6, 0, -6, 0), Qt::AlignVCenter | Qt::AlignLeft, text);
    if (items) items->push_back(painted_item(QStringLiteral("task button"), text, box, 0));
    x += 146;
  }
  painter.setPen(front);
  const QRect clock(panel_.width() - 60, panel_.top(), 54, h);
  painter.drawText(clock, Qt::AlignCenter, clock_);
  if (items) items->push_back(painted_item(QStringLiteral("clock"), clock_, clock, 0));
}

void Desktop::paint_frame(QPainter& painter, int index, std::vector<Item>* items) {
  const Layer& layer = layers_[static_cast<std::size_t>(index)];
  const bool active = index + 1 == static_cast<int>(layers_.size()) ||
                      (layers_.back().is_popup && index + 2 == static_cast<int>(layers_.size()));
  const QColor fill = active ? theme_.title_color : (theme_.dark ? QColor(60, 60, 60) : QColor(205, 205, 205));
  painter.fillRect(layer.frame, theme_.dark ? QColor(90, 90, 90) : QColor(150, 150, 150));
  const QRect bar(layer.frame.left() + 1, layer.frame.top() + 1, layer.frame.width() - 2, theme_.title_height - 1);
  painter.fillRect(bar, fill);
  const QColor front = fill.lightness() > 135 ? QColor(20, 20, 20) : QColor(240, 240, 240);
  static const char* kNames[] = {"close", "maximize", "minimize"};
  const int size = theme_.title_height - 4;
  for (int i = 0; i < 3; ++i) {
    const QRectF box(theme_.buttons_left ? bar.left() + 4 + i * size : bar.right() - 3 - (i + 1) * size, bar.top() + 1,
                     size, size);
    const QRectF glyph(box.center().x() - size * 0.24, box.center().y() - size * 0.24, size * 0.48, size * 0.48);
    painter.setRenderHint(QPainter::Antialiasing);
    if (theme_.button_look == 1) {
      static const QColor kDiscs[] = {QColor(237, 106, 94), QColor(98, 197, 84), QColor(245, 191, 79)};
      painter.setPen(Qt::NoPen);
      painter.setBrush(kDiscs[i]);
      painter.drawEllipse(box.center(), size * 0.27, size * 0.27);
    } else {
      painter.setPen(QPen(front, 1.3));
      painter.setBrush(Qt::NoBrush);
      if (theme_.button_look == 2) painter.drawRect(box.adjusted(2, 2, -2, -2));
      if (i == 0)
        painter.drawLine(glyph.topLeft(), glyph.bottomRight()), painter.drawLine(glyph.topRight(), glyph.bottomLeft());
      else if (i == 1)
        painter.drawRect(glyph);
      else
        painter.drawLine(glyph.bottomLeft(), glyph.bottomRight());
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (!items) continue;
    items->push_back(painted_item(QStringLiteral("window button"), {}, box, index));
    items->back().icon = QString::fromLatin1(kNames[i]);
    items->back().title = layer.title;
  }
  painter.setPen(front);
  QRect room = theme_.buttons_left ? bar.adjusted(3 * size + 10, 0, -4, 0) : bar.adjusted(8, 0, -3 * size - 8, 0);
  QFont bold = theme_.font;
  bold.setBold(true);
  painter.setFont(bold);
  const QString text = painter.fontMetrics().elidedText(layer.title, Qt::ElideRight, room.width());
  painter.drawText(room, Qt::AlignVCenter | (theme_.title_centred ? Qt::AlignHCenter : Qt::AlignLeft), text);
  painter.setFont(theme_.font);
  if (items) items->push_back(painted_item(QStringLiteral("title bar"), text, room, index));
}

void Desktop::paint_focus(QPainter& painter) {
  if (!focused_) return;
  for (std::size_t i = 1; i < layers_.size(); ++i) {
    if (!layers_[i].widget->isAncestorOf(focused_)) continue;
    const QRect box(layers_[i].content + focused_->mapTo(layers_[i].widget.get(), QPoint(0, 0)), focused_->size());
    painter.setPen(QPen(theme_.palette.highlight().color(), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(1, 1, -1, -1));
    auto* field = qobject_cast<QLineEdit*>(focused_);
    const int x =
        field ? std::min(box.left() + 6 + field->fontMetrics().horizontalAdvance(field->text()), box.right() - 4)
              : box.left() + 6;
    painter.fillRect(QRect(x, box.top() + 4, 1, std::min(box.height() - 8, 16)), theme_.palette.text().color());
  }
}

void Desktop::paint_pointer(QPainter& painter) {
  QPainterPath arrow;
  arrow.addPolygon(QPolygonF({{0, 0}, {0, 16}, {4, 12}, {7, 18}, {9, 17}, {6, 11}, {11, 11}}));
  arrow.closeSubpath();
  painter.translate(pointer_);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(Qt::white, 1));
  painter.setBrush(Qt::black);
  painter.drawPath(arrow);
}

}  // namespace screens
