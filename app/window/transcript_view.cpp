#include "app/window/transcript_view.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "app/window/call_text.h"
#include "app/window/session_model.h"
#include "app/window/view_accessibility.h"

namespace app {
namespace {

constexpr double kTopSpace = 8, kEndSpace = 14;
constexpr int kMostLayouts = 300;
constexpr QRgb kLookedAt = 0xfff08a24;

}  // namespace

TranscriptView::TranscriptView(SessionModel* model, QWidget* parent) : QAbstractScrollArea(parent), model_(model) {
  install_view_accessibility();
  setProperty("role", "bare");
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Transcript"));
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  verticalScrollBar()->setSingleStep(36);
  connect(model, &QAbstractItemModel::rowsInserted, this,
          [this](const QModelIndex&, int first, int last) { rows_inserted(first, last); });
  connect(model, &QAbstractItemModel::dataChanged, this,
          [this](const QModelIndex& first) { row_changed(first.row()); });
  connect(model, &SessionModel::picture_ready, this, [this] { viewport()->update(); });
  if (model->size() > 0) rows_inserted(0, model->size() - 1);
}

TranscriptView::~TranscriptView() = default;

const SessionItem& TranscriptView::item(int row) const {
  return row < model_->size() ? model_->item(row) : live_[static_cast<std::size_t>(row - model_->size())];
}

void TranscriptView::rows_inserted(int first, int last) {
  std::vector<Row> added;
  for (int row = first; row <= last; ++row) added.push_back({estimate(model_->item(row)), false, false});
  rows_.insert(rows_.begin() + first, added.begin(), added.end());
  for (int row = first; row < n_rows() + static_cast<int>(live_.size()); ++row) layouts_.remove(row);
  tops_.clear();
  update_scroll_range();
  if (follows_end_) scroll_to_end();
  viewport()->update();
  QAccessibleEvent event(this, QAccessible::ObjectReorder);
  QAccessible::updateAccessibility(&event);
}

void TranscriptView::row_changed(int row) {
  layouts_.remove(row);
  rows_[static_cast<std::size_t>(row)].is_measured = false;
  tops_.clear();
  viewport()->update();
}

void TranscriptView::set_live_text(const QString& thought, const QString& text) {
  const int n_before = static_cast<int>(live_.size());
  live_.clear();
  const auto add = [this](SessionItem::Kind kind, const QString& said) {
    if (said.trimmed().isEmpty()) return;
    SessionItem item;
    item.kind = kind;
    item.text = said.trimmed();
    live_.push_back(item);
  };
  add(SessionItem::Kind::Thought, thought);
  add(SessionItem::Kind::Text, text);
  const int n_kept = n_rows() - n_before;
  rows_.resize(static_cast<std::size_t>(n_kept));
  for (const SessionItem& item : live_)
    rows_.push_back({estimate(item), false, item.kind == SessionItem::Kind::Thought});
  for (int row = n_kept; row < n_kept + std::max(n_before, static_cast<int>(live_.size())); ++row) layouts_.remove(row);
  tops_.clear();
  update_scroll_range();
  if (follows_end_) scroll_to_end();
  viewport()->update();
}

void TranscriptView::set_heat(const QHash<int, double>& by_turn) {
  double most = 0;
  for (const double weight : by_turn) most = std::max(most, weight);
  heat_.clear();
  for (auto turn = by_turn.begin(); turn != by_turn.end(); ++turn) heat_[turn.key()] = turn.value() / most;
  viewport()->update();
}

double TranscriptView::heat_of(const SessionItem& item) const {
  return std::max(heat_.value(item.turn, 0), heat_.value(item.answer_turn, 0));
}

double TranscriptView::estimate(const SessionItem& item) const {
  const double width = std::max(120, viewport()->width() - 40);
  const double line = fontMetrics().height() * 1.13;
  const double n_lines = 1 + static_cast<double>(item.text.size()) * fontMetrics().averageCharWidth() / width;
  switch (item.kind) {
    case SessionItem::Kind::Thought:
      return line + 10;
    case SessionItem::Kind::Call:
      return item.picture != 0 ? 104 : 72;
    default:
      return n_lines * line + 24;
  }
}

const RowLayout& TranscriptView::layout(int row) {
  std::shared_ptr<RowLayout>& cached = layouts_[row];
  if (!cached) {
    Row& known = rows_[static_cast<std::size_t>(row)];
    RowLayout::Options options{static_cast<double>(viewport()->width()), known.is_open, sought_, {}};
    if (known.is_open && !item(row).output_path.isEmpty()) options.output = model_->output(item(row).output_path);
    cached = std::make_shared<RowLayout>(item(row), options);
    if (known.height != cached->height()) tops_.clear();
    known.height = cached->height();
    known.is_measured = true;
  }
  return *cached;
}

void TranscriptView::forget_layouts() {
  layouts_.clear();
  for (Row& row : rows_) row.is_measured = false;
  tops_.clear();
}

double TranscriptView::row_top(int row) const {
  if (tops_.empty()) {
    tops_.reserve(rows_.size() + 1);
    double top = kTopSpace;
    for (const Row& one : rows_) {
      tops_.push_back(top);
      top += one.height;
    }
    tops_.push_back(top);
  }
  return tops_[static_cast<std::size_t>(row)];
}

int TranscriptView::row_at_y(double y) const {
  if (rows_.empty()) return -1;
  row_top(0);
  const auto after = std::upper_bound(tops_.begin(), tops_.end() - 1, y);
  return std::max(0, static_cast<int>(after - tops_.begin()) - 1);
}

double TranscriptView::scroll_y() const {
  return verticalScrollBar()->value();
}

QRect TranscriptView::row_rect(int row) const {
  return QRectF(0, row_top(row) - scroll_y(), viewport()->width(), rows_[static_cast<std::size_t>(row)].height)
      .toRect();
}

bool TranscriptView::is_at_end() const {
  return verticalScrollBar()->value() >= verticalScrollBar()->maximum() - 8;
}

void TranscriptView::scroll_to_end() {
  verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

void TranscriptView::update_scroll_range() {
  const double end = row_top(n_rows()) + kEndSpace;
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(end) - viewport()->height()));
}

void TranscriptView::measure_visible() {
  for (int pass = 0; pass < 3; ++pass) {
    const int first = row_at_y(scroll_y());
    if (first < 0) return;
    const double offset = scroll_y() - row_top(first);
    bool has_changed = false;
    for (int row = first; row < n_rows() && row_top(row) < scroll_y() + viewport()->height(); ++row) {
      if (rows_[static_cast<std::size_t>(row)].is_measured && layouts_.contains(row)) continue;
      const double before = rows_[static_cast<std::size_t>(row)].height;
      has_changed |= layout(row).height() != before;
    }
    if (!has_changed) return;
    const bool stays_at_end = follows_end_;
    const QSignalBlocker quiet(verticalScrollBar());
    update_scroll_range();
    verticalScrollBar()->setValue(stays_at_end ? verticalScrollBar()->maximum()
                                               : static_cast<int>(row_top(first) + offset));
  }
}

void TranscriptView::paintEvent(QPaintEvent*) {
  measure_visible();
  QPainter painter(viewport());
  if (rows_.empty()) return;
  for (int row = row_at_y(scroll_y()); row < n_rows() && row_top(row) < scroll_y() + viewport()->height(); ++row) {
    // The current row is seen from elsewhere too: it is the moment that the screen shows.
    const QColor frame = row != current_ ? QColor() : hasFocus() ? theme().accent : theme().text_faint;
    layout(row).paint(painter, QPointF(0, row_top(row) - scroll_y()), model_, frame);
    const double heat = heat_of(item(row));
    if (heat <= 0) continue;
    QColor warm(kLookedAt);
    warm.setAlphaF(static_cast<float>(0.15 + 0.85 * std::sqrt(heat)));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(warm);
    painter.drawRoundedRect(QRectF(3, row_top(row) - scroll_y() + 5, 4, layout(row).height() - 10), 2, 2);
  }
  if (layouts_.size() > kMostLayouts) layouts_.clear();
}

void TranscriptView::resizeEvent(QResizeEvent*) {
  forget_layouts();
  update_scroll_range();
  if (follows_end_) scroll_to_end();
}

void TranscriptView::scrollContentsBy(int, int) {
  follows_end_ = is_at_end();
  viewport()->update();
}

void TranscriptView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::StyleChange || event->type() == QEvent::FontChange) {
    forget_layouts();
    viewport()->update();
  }
  QAbstractScrollArea::changeEvent(event);
}

void TranscriptView::activate(int row) {
  if (row < 0 || row >= n_rows()) return;
  Row& known = rows_[static_cast<std::size_t>(row)];
  current_ = row;
  const SessionItem::Kind kind = item(row).kind;
  if (kind == SessionItem::Kind::Call || kind == SessionItem::Kind::Thought) {
    known.is_open = !known.is_open;
    layouts_.remove(row);
    layout(row);
    follows_end_ = false;
    update_scroll_range();
  }
  viewport()->update();
  Q_EMIT row_activated(row);
}

void TranscriptView::show_row(int row) {
  if (row < 0 || row >= n_rows()) return;
  current_ = row;
  const double top = row_top(row), bottom = top + rows_[static_cast<std::size_t>(row)].height;
  if (top < scroll_y() || bottom > scroll_y() + viewport()->height()) {
    verticalScrollBar()->setValue(static_cast<int>(top - viewport()->height() / 3.0));
  }
  follows_end_ = is_at_end();
  viewport()->update();
}

bool TranscriptView::find(const QString& text, Seek seek) {
  if (sought_.isEmpty()) sought_from_ = current_ >= 0 ? current_ : std::max(0, first_visible_row());
  if (sought_ != text) {
    sought_ = text;
    forget_layouts();
    viewport()->update();
  }
  if (text.isEmpty()) return true;
  const int n = n_rows(), way = seek == Seek::Previous ? -1 : 1;
  const int first = seek == Seek::Typed ? sought_from_ : std::max(current_, way > 0 ? -1 : 0) + way;
  for (int step = 0; step < n; ++step) {
    const int row = ((first + way * step) % n + n) % n;
    if (!whole_text(item(row)).contains(text, Qt::CaseInsensitive)) continue;
    if (seek != Seek::Typed) sought_from_ = row;
    show_row(row);
    return true;
  }
  return false;
}

void TranscriptView::copy_current() const {
  if (current_ >= 0 && current_ < n_rows()) QApplication::clipboard()->setText(whole_text(item(current_)));
}

void TranscriptView::mousePressEvent(QMouseEvent* event) {
  const double y = event->position().y() + scroll_y();
  const int row = row_at_y(y);
  if (row < 0 || y >= row_top(row) + rows_[static_cast<std::size_t>(row)].height) return;
  const RowLayout::Zone zone = layout(row).zone_at({event->position().x(), y - row_top(row)});
  current_ = row;
  viewport()->update();
  if (zone == RowLayout::Zone::Picture) return void(Q_EMIT picture_clicked(row));
  if (zone == RowLayout::Zone::Fold) return activate(row);
  Q_EMIT row_activated(row);
}

void TranscriptView::mouseMoveEvent(QMouseEvent* event) {
  const double y = event->position().y() + scroll_y();
  const int row = row_at_y(y);
  const bool is_zone =
      row >= 0 && layout(row).zone_at({event->position().x(), y - row_top(row)}) != RowLayout::Zone::None;
  viewport()->setCursor(is_zone ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void TranscriptView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return copy_current();
  switch (event->key()) {
    case Qt::Key_Down:
      return show_row(std::min(current_ + 1, n_rows() - 1));
    case Qt::Key_Up:
      return show_row(std::max(current_ - 1, 0));
    case Qt::Key_Home:
      return show_row(0);
    case Qt::Key_End:
      show_row(n_rows() - 1);
      return scroll_to_end();
    case Qt::Key_Return:
    case Qt::Key_Space:
      return activate(current_);
    default:
      QAbstractScrollArea::keyPressEvent(event);
  }
}

}  // namespace app
