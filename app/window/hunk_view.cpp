#include "app/window/hunk_view.h"

#include <QEvent>
#include <QJsonObject>
#include <QPainter>
#include <QResizeEvent>
#include <algorithm>
#include <cmath>

#include "app/window/call_text.h"
#include "app/window/theme.h"
#include "tools/edit_choice.h"

namespace app {
namespace {

constexpr int kMostRows = 2000;  // of one hunk; nobody reads more at once
constexpr double kSignWidth = 16, kNumberGap = 8, kHalfGap = 10, kEdge = 4;

QString shown_text(const tools::PatchLine& line) {
  QString text = shown(QString::fromStdString(line.text));
  return text.endsWith("\\u{d}") ? text.chopped(5) : text.isNull() ? QString("") : text;
}

// How much of two lines is the same at their ends; none of it when they have little in common.
void compare(DiffRow& row) {
  const QString &a = row.old_text, &b = row.new_text;
  const auto most = static_cast<int>(std::min(a.size(), b.size()));
  int start = 0, end = 0;
  while (start < most && a[start] == b[start]) ++start;
  while (end < most - start && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  if (3 * (start + end) < std::max(a.size(), b.size())) return;
  row.same_start = start;
  row.same_end = end;
}

}  // namespace

std::vector<tools::FilePatch> written_hunks(const QString& tool, const QJsonObject& arguments) {
  const auto text = [&](const char* key) { return arguments[QLatin1String(key)].toString().toStdString(); };
  std::vector<tools::FilePatch> files;
  if (tool == "apply_patch") {
    auto parsed = tools::parse_patch(text("patch"));
    if (auto* read = std::get_if<std::vector<tools::FilePatch>>(&parsed)) files = std::move(*read);
  } else if (tool == "edit_file") {
    files = tools::hunks_of({{text("path"), text("old_text"), text("new_text")}});
    for (tools::FilePatch& file : files) {
      for (tools::Hunk& hunk : file.hunks) hunk.old_line.reset();  // where it stands in the file isn't said
    }
  } else if (tool == "write_file") {
    files = tools::hunks_of({{text("path"), std::nullopt, text("content")}});
  }
  return files;
}

std::vector<DiffRow> rows_of(const tools::Hunk& hunk, int first_new) {
  using Kind = tools::LineKind;
  std::vector<DiffRow> rows;
  int old_line = static_cast<int>(hunk.old_line.value_or(0)), new_line = first_new;
  const auto next = [](int& line) { return line > 0 ? line++ : 0; };
  for (std::size_t at = 0; at < hunk.lines.size() && rows.size() < kMostRows;) {
    if (hunk.lines[at].kind == Kind::Context) {
      const QString text = shown_text(hunk.lines[at++]);
      rows.push_back({next(old_line), next(new_line), text, text});
      continue;
    }
    const std::size_t first = rows.size();
    for (; at < hunk.lines.size() && hunk.lines[at].kind == Kind::Removed; ++at) {
      rows.push_back({next(old_line), 0, shown_text(hunk.lines[at]), {}, true});
    }
    for (std::size_t row = first; at < hunk.lines.size() && hunk.lines[at].kind == Kind::Added; ++at, ++row) {
      if (row == rows.size()) rows.push_back({0, 0, {}, {}, true});
      rows[row].new_line = next(new_line);
      rows[row].new_text = shown_text(hunk.lines[at]);
      if (!rows[row].old_text.isNull()) compare(rows[row]);
    }
  }
  return rows;
}

HunkView::HunkView(const tools::Hunk& hunk, int first_new, QWidget* parent)
    : QWidget(parent), rows_(rows_of(hunk, first_new)) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setSizePolicy(policy);
  QString words;
  for (const DiffRow& row : rows_) {
    if (row.is_change && !row.old_text.isNull()) words += "− " + row.old_text + "\n";
    if (row.is_change && !row.new_text.isNull()) words += "+ " + row.new_text + "\n";
  }
  setAccessibleName(words.left(2000).trimmed());
}

void HunkView::set_form(DiffForm form) {
  form_ = form;
  lay_out();
}

void HunkView::set_taken(bool is_taken) {
  is_taken_ = is_taken;
  update();
}

double HunkView::gutter_width() const {
  int most = 0;
  for (const DiffRow& row : rows_) most = std::max({most, row.old_line, row.new_line});
  if (most == 0) return 0;
  return std::ceil(QFontMetricsF(code_font()).horizontalAdvance(QString::number(most))) + kNumberGap;
}

double HunkView::add_line(const DiffRow& row, Side side, double x, double y, double width) {
  const bool is_half = form_ == DiffForm::SideBySide;
  const QString& words = side == Side::New ? row.new_text : row.old_text;
  Line line;
  line.x = x;
  line.y = y;
  line.width = width;
  line.side = row.is_change ? side : Side::Both;
  const bool shows_old = side != Side::New, shows_new = is_half ? side == Side::New : side != Side::Old;
  if (shows_old && row.old_line > 0) line.old_number = QString::number(row.old_line);
  if (shows_new && row.new_line > 0) line.new_number = QString::number(row.new_line);
  const double before = kEdge + gutter_width() * (is_half ? 1 : 2) + kSignWidth;
  line.text = std::make_unique<QTextLayout>(words, code_font());
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  line.text->setTextOption(option);
  if (row.is_change && row.same_start >= 0) {
    const auto changed = static_cast<int>(words.size()) - row.same_start - row.same_end;
    QTextLayout::FormatRange range{row.same_start, changed, {}};
    QColor mark = side == Side::New ? theme().good : theme().bad;
    mark.setAlpha(70);
    range.format.setBackground(mark);
    if (changed > 0) line.text->setFormats({range});
  }
  const double step = std::ceil(QFontMetricsF(code_font()).height() * 1.08);
  line.text->beginLayout();
  for (QTextLine one = line.text->createLine(); one.isValid(); one = line.text->createLine()) {
    one.setLineWidth(std::max(40.0, width - before - kEdge));
    one.setPosition({x + before, line.height});
    line.height += step;
  }
  line.text->endLayout();
  line.height = std::max(line.height, step);
  lines_.push_back(std::move(line));
  return lines_.back().height;
}

void HunkView::lay_out() {
  lines_.clear();
  double y = 0;
  const double whole = width(), half = (whole - kHalfGap) / 2;
  if (form_ == DiffForm::SideBySide) {
    for (const DiffRow& row : rows_) {
      double height = 0;
      const std::size_t first = lines_.size();
      if (!row.old_text.isNull()) height = add_line(row, Side::Old, 0, y, half);
      if (!row.new_text.isNull()) height = std::max(height, add_line(row, Side::New, half + kHalfGap, y, half));
      for (std::size_t line = first; line < lines_.size(); ++line) lines_[line].height = height;
      y += height;
    }
  } else {
    for (std::size_t from = 0; from < rows_.size();) {  // of a change: first all that goes, then all that comes
      std::size_t end = from + 1;
      while (rows_[from].is_change && end < rows_.size() && rows_[end].is_change) ++end;
      for (std::size_t row = from; row < end; ++row) {
        if (!rows_[row].is_change) y += add_line(rows_[row], Side::Both, 0, y, whole);
        if (rows_[row].is_change && !rows_[row].old_text.isNull()) y += add_line(rows_[row], Side::Old, 0, y, whole);
      }
      for (std::size_t row = from; row < end; ++row) {
        if (rows_[row].is_change && !rows_[row].new_text.isNull()) y += add_line(rows_[row], Side::New, 0, y, whole);
      }
      from = end;
    }
  }
  setFixedHeight(std::max(1, static_cast<int>(std::ceil(y))));
  updateGeometry();
  update();
}

void HunkView::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.setFont(code_font());
  if (!is_taken_) painter.setOpacity(0.4);
  const double gutter = gutter_width();
  for (const Line& line : lines_) {
    const QRectF box(line.x, line.y, line.width, line.height);
    if (!box.intersects(event->rect())) continue;
    if (line.side != Side::Both) painter.fillRect(box, line.side == Side::New ? theme().good_soft : theme().bad_soft);
    painter.setPen(theme().text_faint);
    double x = line.x + kEdge;
    const auto number = [&](const QString& text) {
      painter.drawText(QRectF(x, line.y, gutter - kNumberGap, line.height), Qt::AlignRight | Qt::AlignTop, text);
      x += gutter;
    };
    if (form_ == DiffForm::SideBySide) {
      number(line.old_number.isEmpty() ? line.new_number : line.old_number);
    } else {
      number(line.old_number);
      number(line.new_number);
    }
    if (line.side != Side::Both) {
      painter.setPen(line.side == Side::New ? theme().good : theme().bad);
      painter.drawText(QRectF(x, line.y, kSignWidth, line.height), Qt::AlignLeft | Qt::AlignTop,
                       line.side == Side::New ? QStringLiteral("+") : QStringLiteral("−"));
    }
    painter.setPen(theme().text);
    line.text->draw(&painter, {0, line.y});
  }
  if (form_ != DiffForm::SideBySide) return;
  painter.setOpacity(1);
  painter.setPen(QPen(theme().border, 1));
  painter.drawLine(QPointF(width() / 2.0, 0), QPointF(width() / 2.0, height()));
}

void HunkView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) lay_out();
}

void HunkView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::StyleChange || event->type() == QEvent::FontChange) lay_out();
  QWidget::changeEvent(event);
}

}  // namespace app
