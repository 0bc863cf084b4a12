#include "app/window/screen_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "app/window/call_text.h"
#include "app/window/theme.h"
#include "app/window/view_accessibility.h"

namespace app {
namespace {

constexpr double kPanStep = 48;
constexpr double kMargin = 2, kRadius = 6;

int x_button(Qt::MouseButton button) {
  switch (button) {
    case Qt::MiddleButton:
      return 2;
    case Qt::RightButton:
      return 3;
    case Qt::BackButton:
      return 8;
    case Qt::ForwardButton:
      return 9;
    default:
      return 1;
  }
}

}  // namespace

ScreenView::ScreenView(QWidget* parent) : QWidget(parent) {
  install_view_accessibility();
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(tr("Screen"));
  breath_.setInterval(50);
  connect(&breath_, &QTimer::timeout, this, qOverload<>(&QWidget::update));
  clock_.start();
}

void ScreenView::show_picture(const ScreenImage& picture) {
  picture_ = picture;
  update();
}

void ScreenView::compare_with(const ScreenImage& before) {
  before_ = before;
  setCursor(is_comparing() ? Qt::SplitHCursor : Qt::ArrowCursor);
  update();
}

void ScreenView::set_mark(const std::optional<ActionMark>& mark, bool is_coming) {
  mark_ = mark;
  if (mark && is_coming) {
    clock_.restart();
    breath_.start();
  } else {
    breath_.stop();
  }
  update();
}

void ScreenView::set_changes(const QList<QRect>& areas_pt) {
  changes_pt_ = areas_pt;
  update();
}

void ScreenView::set_target(const QRect& box_pt, const QString& name) {
  target_pt_ = box_pt;
  target_name_ = name;
  update();
}

void ScreenView::set_boxes(const QList<BoxNote>& boxes) {
  boxes_ = boxes;
  update();
}

void ScreenView::set_heat(const QList<std::pair<QRectF, double>>& areas_pt) {
  heat_pt_ = areas_pt;
  update();
}

void ScreenView::set_placeholder(const QString& text) {
  placeholder_ = text;
  update();
}

void ScreenView::set_fit() {
  zoom_ = 0;
  pan_ = {};
  update();
  Q_EMIT zoom_changed();
}

void ScreenView::zoom_by(double factor) {
  if (picture_.image.isNull()) return;
  const double now = screen_rect().width() / picture_.image.width();
  zoom_ = std::clamp(now * factor, 0.1, 8.0);
  pan_ *= zoom_ / now;
  update();
  Q_EMIT zoom_changed();
}

void ScreenView::set_driven(bool is_driven) {
  is_driven_ = is_driven;
  if (is_driven) setFocus();
  update();
}

QSize ScreenView::room_px() const {
  return (QSizeF(width() - 2 * kMargin, height() - 2 * kMargin) * devicePixelRatioF()).toSize();
}

QRectF ScreenView::screen_rect() const {
  const QSizeF image = picture_.image.size();
  if (image.isEmpty()) return {};
  const double ratio = devicePixelRatioF();
  double fit = std::min((width() - 2 * kMargin) / image.width(), (height() - 2 * kMargin) / image.height());
  if (std::abs(fit * ratio - 1) < 0.01) fit = 1 / ratio;  // made for this place: each pixel as it is
  const QSizeF size = image * (zoom_ > 0 ? zoom_ : fit);
  const QPointF at = QPointF(width() - size.width(), height() - size.height()) / 2 + pan_;
  return {QPointF(std::round(at.x() * ratio), std::round(at.y() * ratio)) / ratio, size};
}

QPointF ScreenView::to_view(QPointF point_pt) const {
  const QRectF screen = screen_rect();
  const capture::Rect& area = picture_.map.area_pt();
  if (area.is_empty()) return screen.center();
  return {screen.x() + (point_pt.x() + 0.5 - area.x) / area.width * screen.width(),
          screen.y() + (point_pt.y() + 0.5 - area.y) / area.height * screen.height()};
}

std::optional<QPoint> ScreenView::to_desktop(QPointF view) const {
  const QRectF screen = screen_rect();
  const capture::Rect& area = picture_.map.area_pt();
  if (!screen.contains(view) || area.is_empty()) return std::nullopt;
  return QPoint(area.x + static_cast<int>((view.x() - screen.x()) / screen.width() * area.width),
                area.y + static_cast<int>((view.y() - screen.y()) / screen.height() * area.height));
}

void ScreenView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
  if (picture_.image.isNull()) {
    painter.setPen(theme().text_faint);
    painter.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, placeholder_);
    return;
  }
  const QRectF screen = screen_rect();
  painter.save();
  painter.setClipRect(screen.intersected(QRectF(rect())));
  painter.drawImage(screen, picture_.image);
  if (is_comparing()) paint_before(painter, screen);
  for (const auto& [area, weight] : heat_pt_) {
    const QRectF box(to_view(area.topLeft() - QPointF(0.5, 0.5)), to_view(area.bottomRight() - QPointF(0.5, 0.5)));
    painter.fillRect(box, QColor(255, 120, 30, static_cast<int>(150 * std::clamp(weight, 0.0, 1.0))));
  }
  paint_changes(painter);
  for (const BoxNote& box : boxes_) paint_box(painter, box.area_pt, shown(box.label), QColor("#0b7f86"));
  if (!target_pt_.isEmpty()) paint_box(painter, target_pt_, target_name_, QColor("#3f5be0"));
  if (mark_) {
    const double phase = breath_.isActive() ? std::fmod(clock_.elapsed() / 900.0, 1.0) : 0;
    paint_mark(
        painter, *mark_, screen, [this](QPointF point) { return to_view(point); }, phase);
  }
  painter.restore();
  QPainterPath corners, round;
  corners.addRect(screen.adjusted(-1, -1, 1, 1));
  round.addRoundedRect(screen, kRadius, kRadius);
  painter.fillPath(corners - round, theme().surface);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(is_driven_ ? theme().accent : theme().border, is_driven_ ? 2.5 : 1));
  painter.drawRoundedRect(screen.adjusted(-0.5, -0.5, 0.5, 0.5), kRadius, kRadius);
}

void ScreenView::paint_changes(QPainter& painter) const {
  for (const QRect& area : changes_pt_) {
    const QRectF box(to_view(QPointF(area.left() - 0.5, area.top() - 0.5)),
                     to_view(QPointF(area.right() + 0.5, area.bottom() + 0.5)));
    painter.setPen(QPen(QColor("#19a463"), 1.5, Qt::DashLine));
    painter.setBrush(QColor(25, 164, 99, 28));
    painter.drawRoundedRect(box.adjusted(-2, -2, 2, 2), 4, 4);
  }
}

// With its name on a tag beside it.
void ScreenView::paint_box(QPainter& painter, const QRect& box_pt, const QString& name, const QColor& colour) const {
  const QRectF box(to_view(QPointF(box_pt.left() - 0.5, box_pt.top() - 0.5)),
                   to_view(QPointF(box_pt.right() + 0.5, box_pt.bottom() + 0.5)));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(255, 255, 255, 200), 3.5));
  painter.drawRoundedRect(box, 3, 3);
  painter.setPen(QPen(colour, 1.6));
  painter.drawRoundedRect(box, 3, 3);
  if (name.isEmpty()) return;
  painter.setFont(text_font(TextSize::Small, QFont::DemiBold));
  const QString tag_text = painter.fontMetrics().elidedText(name, Qt::ElideRight, 260);
  const double height = painter.fontMetrics().height() + 4;
  const bool fits_above = box.top() - height - 2 > screen_rect().top();
  const QRectF tag(box.left(), fits_above ? box.top() - height - 3 : box.bottom() + 3,
                   painter.fontMetrics().horizontalAdvance(tag_text) + 12, height);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawRoundedRect(tag, 4, 4);
  painter.setPen(Qt::white);
  painter.drawText(tag, Qt::AlignCenter, tag_text);
}

void ScreenView::paint_before(QPainter& painter, const QRectF& screen) const {
  const double x = screen.x() + divider_ * screen.width();
  painter.save();
  painter.setClipRect(QRectF(screen.topLeft(), QPointF(x, screen.bottom())), Qt::IntersectClip);
  painter.drawImage(screen, before_.image);
  painter.restore();
  painter.setPen(QPen(QColor(255, 255, 255, 230), 3));
  painter.drawLine(QPointF(x, screen.top()), QPointF(x, screen.bottom()));
  painter.setPen(QPen(QColor("#3f5be0"), 1.4));
  painter.drawLine(QPointF(x, screen.top()), QPointF(x, screen.bottom()));
  painter.setFont(text_font(TextSize::Small, QFont::DemiBold));
  const auto tag = [&](const QString& text, bool is_left) {
    const double width = painter.fontMetrics().horizontalAdvance(text) + 16;
    const QRectF box(is_left ? x - width - 8 : x + 8, screen.top() + 10, width, painter.fontMetrics().height() + 6);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(20, 24, 34, 210));
    painter.drawRoundedRect(box, 6, 6);
    painter.setPen(Qt::white);
    painter.drawText(box, Qt::AlignCenter, text);
  };
  tag(tr("Before"), true);
  tag(tr("After"), false);
}

void ScreenView::drive(const QMouseEvent& event, bool is_down) {
  if (const auto at = to_desktop(event.position())) Q_EMIT pointer_moved(*at);
  Q_EMIT button_changed(x_button(event.button()), is_down);
}

void ScreenView::mousePressEvent(QMouseEvent* event) {
  if (is_driven_) return to_desktop(event->position()) ? drive(*event, true) : void();
  dragged_from_ = event->position();
}

void ScreenView::mouseMoveEvent(QMouseEvent* event) {
  if (is_driven_) {
    if (const auto at = to_desktop(event->position())) Q_EMIT pointer_moved(*at);
    return;
  }
  const QRectF screen = screen_rect();
  if (!dragged_from_ || screen.isEmpty()) return;
  if (is_comparing()) return move_divider((event->position().x() - screen.x()) / screen.width());
  if (zoom_ > 0) move_picture(event->position() - *dragged_from_);
  dragged_from_ = event->position();
}

void ScreenView::move_divider(double part) {
  divider_ = std::clamp(part, 0.0, 1.0);
  update();
}

void ScreenView::move_picture(QPointF way) {
  pan_ += way;
  update();
}

void ScreenView::mouseReleaseEvent(QMouseEvent* event) {
  if (is_driven_) return drive(*event, false);
  dragged_from_.reset();
}

void ScreenView::wheelEvent(QWheelEvent* event) {
  const QPoint turn = event->angleDelta();
  if (!is_driven_) {
    if (event->modifiers().testFlag(Qt::ControlModifier)) return zoom_by(turn.y() > 0 ? 1.15 : 1 / 1.15);
    return event->ignore();
  }
  const int button = turn.y() > 0 ? 4 : turn.y() < 0 ? 5 : turn.x() > 0 ? 6 : 7;
  Q_EMIT button_changed(button, true);
  Q_EMIT button_changed(button, false);
}

// While it is driven, Ctrl+W closes something on the desktop, not the session.
bool ScreenView::event(QEvent* event) {
  if (is_driven_ && event->type() == QEvent::ShortcutOverride &&
      static_cast<QKeyEvent*>(event)->matches(QKeySequence::Close)) {
    event->accept();
    return true;
  }
  return QWidget::event(event);
}

void ScreenView::keyPressEvent(QKeyEvent* event) {
  if (is_driven_) {
    if (event->nativeVirtualKey() != 0) Q_EMIT key_changed(event->nativeVirtualKey(), true);
    return;
  }
  const int right = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const int down = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
  if (is_comparing() && right != 0) return move_divider(divider_ + 0.05 * right);
  if (zoom_ > 0 && (right != 0 || down != 0)) return move_picture(QPointF(right, down) * -kPanStep);
  if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal) return zoom_by(1.25);
  if (event->key() == Qt::Key_Minus) return zoom_by(0.8);
  if (event->key() == Qt::Key_0) return set_fit();
  QWidget::keyPressEvent(event);
}

void ScreenView::keyReleaseEvent(QKeyEvent* event) {
  if (!is_driven_) return QWidget::keyReleaseEvent(event);
  if (!event->isAutoRepeat() && event->nativeVirtualKey() != 0) Q_EMIT key_changed(event->nativeVirtualKey(), false);
}

// Tab belongs to the desktop while it is driven.
bool ScreenView::focusNextPrevChild(bool next) {
  return is_driven_ ? false : QWidget::focusNextPrevChild(next);
}

}  // namespace app
