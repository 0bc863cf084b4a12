#include "app/window/timeline_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "app/window/call_text.h"
#include "app/window/session_model.h"
#include "app/window/theme.h"
#include "app/window/view_accessibility.h"

namespace app {
namespace {

constexpr double kSide = 10, kStripHeight = 56, kMarksHeight = 18;
constexpr int kTick_ms = 40;
constexpr qint64 kLongestWait_ms = 1500;  // while playing: nobody wants to watch a model think

QColor colour_of_call(const SessionItem& item) {
  using State = SessionItem::CallState;
  if (item.call_state == State::Denied || item.call_state == State::Failed) return theme().bad;
  if (item.verdict.isEmpty() || item.verdict == "confirmed") return theme().good;
  return item.verdict == "refused" ? theme().bad : theme().warn;
}

}  // namespace

TimelineView::TimelineView(SessionModel* model, QWidget* parent) : QWidget(parent), model_(model) {
  install_view_accessibility();
  setAccessibleName(tr("Timeline"));
  setAccessibleDescription(
      tr("Arrow keys step from action to action, Space plays, End goes to the present; "
         "I and O cut out a part, Escape forgets it"));
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setMouseTracking(true);
  player_.setInterval(kTick_ms);
  connect(&player_, &QTimer::timeout, this, &TimelineView::advance);
  connect(model, &SessionModel::changed, this, qOverload<>(&QWidget::update));
  connect(model, &SessionModel::picture_ready, this, qOverload<>(&QWidget::update));
}

qint64 TimelineView::length_ms() const {
  return std::max<qint64>(1000, model_->elapsed_ms());
}

double TimelineView::x_of(qint64 at_ms) const {
  return kSide + (width() - 2 * kSide) * static_cast<double>(at_ms) / static_cast<double>(length_ms());
}

qint64 TimelineView::time_at(double x) const {
  const double part = std::clamp((x - kSide) / std::max(1.0, width() - 2 * kSide), 0.0, 1.0);
  return static_cast<qint64>(part * static_cast<double>(length_ms()));
}

void TimelineView::set_row(int row) {
  row_ = row;
  if (row >= 0) moment_ms_ = model_->item(row).at_ms;
  update();
}

void TimelineView::choose(qint64 at_ms) {
  if (model_->size() == 0) return;
  const int before = row_;
  moment_ms_ = std::clamp<qint64>(at_ms, 0, length_ms());
  row_ = std::max(0, model_->row_at(moment_ms_));
  update();
  if (row_ != before) Q_EMIT moment_chosen(row_);
}

qint64 TimelineView::now_ms() const {
  return row_ >= 0 ? moment_ms_ : length_ms();
}

void TimelineView::set_range(const std::optional<Range>& range) {
  range_ = range;
  update();
  Q_EMIT range_changed();
}

void TimelineView::cut_from_here() {
  const qint64 now = now_ms();
  set_range(Range{now, range_ && range_->to_ms > now ? range_->to_ms : length_ms()});
}

void TimelineView::cut_until_here() {
  const qint64 now = now_ms();
  set_range(Range{range_ && range_->from_ms < now ? range_->from_ms : 0, now});
}

void TimelineView::forget_cut() {
  if (range_) set_range(std::nullopt);
}

void TimelineView::step(int by) {
  int at = row_ >= 0 ? row_ : model_->size();
  do {
    at += by;
  } while (at >= 0 && at < model_->size() && model_->item(at).kind != SessionItem::Kind::Call);
  if (at < 0 || at >= model_->size()) return;
  set_row(at);
  Q_EMIT moment_chosen(at);
}

void TimelineView::play(double speed) {
  speed_ = speed;
  if (row_ < 0 || row_ >= model_->size() - 1) choose(0);
  player_.start();
  Q_EMIT playing_changed(true);
}

void TimelineView::stop_playing() {
  if (!is_playing()) return;
  player_.stop();
  Q_EMIT playing_changed(false);
}

void TimelineView::advance() {
  const qint64 now = moment_ms_;
  const int next = model_->row_at(now) + 1;
  if (next >= model_->size()) return stop_playing();
  // Long waits are shortened: the next item comes at most so far ahead.
  const qint64 due = model_->item(next).at_ms;
  const qint64 skipped = std::max<qint64>(0, due - now - kLongestWait_ms);
  choose(now + skipped + static_cast<qint64>(kTick_ms * speed_));
}

qint64 TimelineView::picture_at(qint64 at_ms) const {
  for (int row = model_->row_at(at_ms); row >= 0; --row) {
    if (model_->item(row).picture != 0) return model_->item(row).picture;
  }
  return 0;
}

void TimelineView::paint_strip(QPainter& painter, const QRectF& strip) {
  QPainterPath corners;
  corners.addRoundedRect(strip, 6, 6);
  painter.fillPath(corners, theme().sunken);
  if (model_->size() == 0) return;
  painter.save();
  painter.setClipPath(corners);
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  const double cell = strip.height() * 16 / 9;
  for (double x = strip.left(); x < strip.right(); x += cell) {
    const qint64 picture = picture_at(time_at(x + cell / 2));
    const QImage small = picture != 0 ? model_->thumbnail(picture) : QImage();
    const QRectF box(x, strip.top(), cell - 1, strip.height());
    if (small.isNull()) continue;
    const QSizeF size = QSizeF(small.size()).scaled(box.size(), Qt::KeepAspectRatioByExpanding);
    painter.save();
    painter.setClipRect(box, Qt::IntersectClip);
    painter.drawImage(QRectF(box.center() - QPointF(size.width() / 2, size.height() / 2), size), small);
    painter.restore();
  }
  painter.restore();
}

void TimelineView::paint_marks(QPainter& painter, const QRectF& marks) {
  painter.setPen(QPen(theme().border, 1));
  painter.drawLine(QPointF(marks.left(), marks.center().y()), QPointF(marks.right(), marks.center().y()));
  painter.setPen(Qt::NoPen);
  for (int row = 0; row < model_->size(); ++row) {
    const SessionItem& item = model_->item(row);
    const QPointF at(x_of(item.at_ms), marks.center().y());
    if (item.kind == SessionItem::Kind::Call) {
      painter.setBrush(colour_of_call(item));
      painter.drawEllipse(at, 4, 4);
    } else if (item.kind == SessionItem::Kind::Instruction || item.kind == SessionItem::Kind::Ending) {
      painter.setBrush(theme().accent);
      painter.drawRoundedRect(QRectF(at.x() - 1.5, at.y() - 6, 3, 12), 1.5, 1.5);
    }
  }
}

// What was left out is dimmed; the part itself has a frame with two grips.
void TimelineView::paint_range(QPainter& painter, const QRectF& strip) {
  const QRectF part(QPointF(x_of(range_->from_ms), strip.top()), QPointF(x_of(range_->to_ms), strip.bottom()));
  QColor veil = theme().window;
  veil.setAlpha(170);
  painter.fillRect(QRectF(strip.topLeft(), part.bottomLeft()), veil);
  painter.fillRect(QRectF(part.topRight(), strip.bottomRight()), veil);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme().accent, 2));
  painter.drawRoundedRect(part, 4, 4);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().accent);
  for (const double x : {part.left(), part.right()}) {
    painter.drawRoundedRect(QRectF(x - 3, part.center().y() - 12, 6, 24), 3, 3);
  }
}

void TimelineView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF strip(kSide, 4, width() - 2 * kSide, kStripHeight);
  const QRectF marks(kSide, strip.bottom() + 6, strip.width(), kMarksHeight);
  paint_strip(painter, strip);
  paint_marks(painter, marks);
  if (range_) paint_range(painter, strip);
  const double x = row_ >= 0 ? x_of(moment_ms_) : width() - kSide;
  painter.setPen(QPen(theme().accent, 2));
  painter.drawLine(QPointF(x, strip.top() - 2), QPointF(x, marks.bottom()));
  painter.setBrush(theme().accent);
  painter.setPen(QPen(theme().surface, 1.5));
  painter.drawEllipse(QPointF(x, marks.center().y()), 6, 6);
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().accent, 1));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
  }
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
  stop_playing();
  if (event->modifiers().testFlag(Qt::ShiftModifier)) {
    range_from_ms_ = time_at(event->position().x());
    return;
  }
  choose(time_at(event->position().x()));
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
  const qint64 at_ms = time_at(event->position().x());
  const int row = model_->row_at(at_ms);
  if (row >= 0) setToolTip(plain_line(model_->item(row)));
  if (range_from_ms_) {
    set_range(Range{std::min(*range_from_ms_, at_ms), std::max(*range_from_ms_, at_ms)});
  } else if (event->buttons().testFlag(Qt::LeftButton)) {
    choose(at_ms);
  }
}

void TimelineView::mouseReleaseEvent(QMouseEvent*) {
  range_from_ms_.reset();
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent*) {
  is_playing() ? stop_playing() : play(speed_);
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Right:
      return step(1);
    case Qt::Key_Left:
      return step(-1);
    case Qt::Key_Home:
      return choose(0);
    case Qt::Key_Space:
      return is_playing() ? stop_playing() : play(speed_);
    case Qt::Key_End:
      return choose(length_ms());
    case Qt::Key_I:
      return cut_from_here();
    case Qt::Key_O:
      return cut_until_here();
    case Qt::Key_Escape:
      return range_ ? forget_cut() : QWidget::keyPressEvent(event);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace app
