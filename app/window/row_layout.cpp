#include "app/window/row_layout.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "app/window/call_text.h"
#include "app/window/hunk_view.h"
#include "app/window/session_model.h"

namespace app {
namespace {

constexpr double kMargin = 14, kGap = 5, kPadding = 11;

struct Tr {
  Q_DECLARE_TR_FUNCTIONS(Transcript)
};

// Models write **bold** and `code`: the marks become formats.
QString without_marks(const QString& written, QList<QTextLayout::FormatRange>& formats) {
  static const QRegularExpression marked(R"(\*\*([^*\n]+)\*\*|`([^`\n]+)`)");
  QString text;
  qsizetype from = 0;
  for (auto found = marked.globalMatch(written); found.hasNext();) {
    const QRegularExpressionMatch match = found.next();
    text += written.mid(from, match.capturedStart() - from);
    from = match.capturedEnd();
    const bool is_bold = match.hasCaptured(1);
    const QString words = match.captured(is_bold ? 1 : 2);
    QTextLayout::FormatRange range{static_cast<int>(text.size()), static_cast<int>(words.size()), {}};
    is_bold ? range.format.setFontWeight(QFont::DemiBold) : range.format.setFontFamilies(code_font().families());
    if (!is_bold) range.format.setBackground(theme().sunken);
    formats.append(range);
    text += words;
  }
  return text + written.mid(from);
}

QString first_line(const QString& text) {
  return text.section('\n', 0, 0).trimmed();
}

}  // namespace

RowLayout::RowLayout(const SessionItem& item, const Options& options)
    : width_(options.width), sought_(options.sought), output_(options.output) {
  lay_out(item, options.is_open);
}

RowLayout::~RowLayout() = default;

void RowLayout::lay_out(const SessionItem& item, bool is_open) {
  using Kind = SessionItem::Kind;
  switch (item.kind) {
    case Kind::Instruction:
      return instruction(item);
    case Kind::Hint:
      return hint(item);
    case Kind::Thought:
      return thought(item, is_open);
    case Kind::Text:
      return text(item);
    case Kind::Call:
      return call(item, is_open);
    case Kind::Ending:
      return ending(item);
  }
}

double RowLayout::add_text(const QString& text, const TextStyle& style, double x, double y, double width) {
  auto layout = std::make_unique<QTextLayout>(text, style.font);
  QTextOption option;
  option.setWrapMode(style.breaks_anywhere ? QTextOption::WrapAnywhere : QTextOption::WrapAtWordBoundaryOrAnywhere);
  layout->setTextOption(option);
  layout->setCacheEnabled(true);
  QList<QTextLayout::FormatRange> ranges = style.formats;
  if (!sought_.isEmpty()) {
    for (qsizetype at = text.indexOf(sought_, 0, Qt::CaseInsensitive); at >= 0;
         at = text.indexOf(sought_, at + sought_.size(), Qt::CaseInsensitive)) {
      QTextLayout::FormatRange range{static_cast<int>(at), static_cast<int>(sought_.size()), {}};
      range.format.setBackground(theme().warn_soft);
      range.format.setForeground(theme().warn);
      ranges.append(range);
    }
  }
  layout->setFormats(ranges);
  const double leading = style.font == code_font() ? 1.25 : 1.32;
  const double line_height = std::ceil(QFontMetricsF(style.font).height() * leading / 1.17);
  layout->beginLayout();
  double height = 0;
  for (int n = 0; style.most_lines == 0 || n < style.most_lines; ++n) {
    QTextLine line = layout->createLine();
    if (!line.isValid()) break;
    line.setLineWidth(width);
    line.setPosition({0, height});
    height += line_height;
  }
  layout->endLayout();
  texts_.push_back({std::move(layout), {x, y}, style.colour});
  return height;
}

void RowLayout::add_icon(const QString& name, IconColour colour, double x, double y, double size) {
  icons_.push_back({QRectF(x, y, size, size), name, colour});
}

void RowLayout::instruction(const SessionItem& item) {
  const QFont font = text_font(TextSize::Body);
  const double most = std::min(width_ * 0.86, width_ - 2 * kMargin) - 2 * kPadding;
  double natural = 0;
  for (const QString& line : item.text.split('\n')) {
    natural = std::max(natural, QFontMetricsF(font).horizontalAdvance(line) + 2);
  }
  const double width = std::min(most, std::ceil(natural));
  const double x = width_ - kMargin - width - 2 * kPadding;
  const double height = add_text(QString(item.text).replace('\n', QChar::LineSeparator), {font, theme().text},
                                 x + kPadding, kGap + 8, width);
  frame_ = QRectF(x, kGap, width + 2 * kPadding, height + 16);
  boxes_.insert(boxes_.begin(), {frame_, theme().accent_soft, Qt::transparent, 12});
  height_ = frame_.bottom() + kGap;
}

void RowLayout::hint(const SessionItem& item) {
  add_icon("info", IconColour::Dim, kMargin + 2, kGap + 2, 14);
  const double height =
      add_text(QString(item.text).replace('\n', QChar::LineSeparator),
               {text_font(TextSize::Small), theme().text_dim, 6}, kMargin + 24, kGap, width_ - 2 * kMargin - 24);
  height_ = height + 2 * kGap;
  frame_ = QRectF(kMargin, 2, width_ - 2 * kMargin, height_ - 4);
}

void RowLayout::thought(const SessionItem& item, bool is_open) {
  add_icon("thought", IconColour::Dim, kMargin + 2, kGap + 1, 15);
  const QFont small = text_font(TextSize::Small);
  const QString head = is_open ? Tr::tr("Thought") : Tr::tr("Thought: %1").arg(first_line(item.text));
  double y = kGap;
  const double x = kMargin + 24, width = width_ - 2 * kMargin - 24 - 22;
  y +=
      add_text(QFontMetricsF(small).elidedText(head, Qt::ElideRight, width), {small, theme().text_dim, 1}, x, y, width);
  add_icon(is_open ? "down" : "right", IconColour::Dim, width_ - kMargin - 18, kGap + 1, 14);
  fold_ = QRectF(kMargin, 0, width_ - 2 * kMargin, y + kGap);
  if (is_open) {
    y += 4;
    const double height = add_text(QString(item.text).replace('\n', QChar::LineSeparator),
                                   {text_font(TextSize::Body), theme().text_dim}, x, y, width);
    boxes_.push_back({QRectF(kMargin + 8, y, 2, height), theme().border, Qt::transparent, 1});
    y += height;
  }
  height_ = y + kGap;
  frame_ = QRectF(kMargin, 2, width_ - 2 * kMargin, height_ - 4);
}

void RowLayout::text(const SessionItem& item) {
  QList<QTextLayout::FormatRange> formats;
  const QString text = without_marks(item.text, formats).replace('\n', QChar::LineSeparator);
  const double height = add_text(text, {text_font(TextSize::Body), theme().text, 0, false, formats}, kMargin + 2,
                                 kGap + 2, width_ - 2 * kMargin - 4);
  height_ = height + 2 * kGap + 4;
  frame_ = QRectF(kMargin - 6, 2, width_ - 2 * kMargin + 12, height_ - 4);
}

double RowLayout::pill(const QString& text, const QColor& ink, const QColor& ground, double right, double y) {
  const QFont font = text_font(TextSize::Small, QFont::DemiBold);
  const double width = std::ceil(QFontMetricsF(font).horizontalAdvance(text)) + 1;
  const double height = QFontMetricsF(font).height();
  boxes_.push_back({QRectF(right - width - 14, y, width + 14, height + 4), ground, Qt::transparent, (height + 4) / 2});
  add_text(text, {font, ink, 1}, right - width - 7, y + 2, width + 4);
  return width + 14 + 8;
}

double RowLayout::pills(const SessionItem& item, double right, double y) {
  using State = SessionItem::CallState;
  const double start = right;
  const Theme& t = theme();
  if (item.call_state == State::Denied) {
    right -= pill(Tr::tr("denied"), t.bad, t.bad_soft, right, y);
  } else if (item.call_state == State::Running) {
    right -= pill(Tr::tr("running"), t.accent, t.accent_soft, right, y);
  } else if (!item.verdict.isEmpty()) {
    const bool is_good = item.verdict == "confirmed";
    const bool is_bad = item.verdict == "refused";
    right -= pill(verdict_text(item.verdict),
                  is_good  ? t.good
                  : is_bad ? t.bad
                           : t.warn,
                  is_good  ? t.good_soft
                  : is_bad ? t.bad_soft
                           : t.warn_soft,
                  right, y);
  } else if (item.call_state == State::Failed) {
    right -= pill(Tr::tr("failed"), t.bad, t.bad_soft, right, y);
  }
  const QString number = item.number > 0 ? QString("[%1]").arg(item.number) : QString();  // as it is cited
  for (const QString& text : {item.seconds >= 0.05 ? duration_text(item.seconds) : QString(), number}) {
    if (text.isEmpty()) continue;
    const QFont font = text_font(TextSize::Small);
    const double width = std::ceil(QFontMetricsF(font).horizontalAdvance(text)) + 1;
    add_text(text, {font, t.text_faint, 1}, right - width, y + 2, width + 4);
    right -= width + 8;
  }
  return start - right;
}

void RowLayout::call(const SessionItem& item, bool is_open) {
  const double x = kMargin, inner = x + kPadding + 34, right = width_ - kMargin - kPadding;
  double y = kGap + 9;
  boxes_.push_back({});  // the card, when its height is known
  boxes_.push_back({QRectF(x + kPadding, y, 24, 24), theme().sunken, Qt::transparent, 7});
  add_icon(call_icon(item.tool, item.arguments), IconColour::Dim, x + kPadding + 4, y + 4, 16);
  const double taken = pills(item, right - 20, y + 2);
  add_icon(is_open ? "down" : "right", IconColour::Dim, right - 14, y + 5, 14);
  const QFont title_font = text_font(TextSize::Body, QFont::DemiBold);
  const double title_width = right - 20 - taken - inner - 4;
  const QString title =
      QFontMetricsF(title_font).elidedText(call_title(item.tool, item.arguments), Qt::ElideRight, title_width);
  add_text(title, {title_font, theme().text, 1}, inner, y + 3, title_width + 4);
  y += 26;
  // The changes of an edit need the width, and say more than the screen beside them.
  if (item.picture != 0 && item.tool != "plan" && written_hunks(item.tool, item.arguments).empty()) {
    constexpr double kThumbHeight = 52, kThumbWidth = 92;
    picture_ = QRectF(right - kThumbWidth, y + 4, kThumbWidth, kThumbHeight);
    picture_id_ = item.picture;
  }
  const double details_width = (picture_id_ != 0 ? picture_.left() - 10 : right) - inner;
  fold_ = QRectF(x, kGap, width_ - 2 * kMargin, 36);
  call_details(item, is_open, inner, details_width, y);
  if (picture_id_ != 0) y = std::max(y, picture_.bottom());
  frame_ = QRectF(x, kGap, width_ - 2 * kMargin, y + 9 - kGap);
  boxes_.front() = {frame_, theme().raised, theme().border, 10};
  height_ = frame_.bottom() + kGap;
}

void RowLayout::call_details(const SessionItem& item, bool is_open, double x, double width, double& y) {
  const TextStyle small = {text_font(TextSize::Small), theme().text_dim, 2};
  if (item.tool == "shell") {
    y += 2;
    y += code_box("$ " + item.arguments["command"].toString(), x, y, width, is_open ? 40 : 3) + 4;
  }
  if (item.tool == "plan") {
    for (const PlanLine& line : item.plan) {
      y += add_text(line.text, small, x + 14 * line.depth, y, width - 14 * line.depth) + 1;
    }
    return;
  }
  y += origins(item, x, y, width);
  const std::vector<tools::FilePatch> files = written_hunks(item.tool, item.arguments);
  if (!files.empty()) y += 2 + diff_box(files, x, y + 2, width, is_open ? kMostCodeLines : 12);
  const QString said = first_line(item.text);
  if (!is_open) {
    if (!said.isEmpty()) y += add_text(shown(said), small, x, y, width);
    return;
  }
  if (!item.effect.isEmpty()) y += add_text(effect_text(item.effect), small, x, y, width) + 3;
  if (item.tool != "shell" && files.empty() && !item.arguments.isEmpty()) {
    const QString arguments =
        QString::fromUtf8(QJsonDocument(item.arguments).toJson(QJsonDocument::Indented)).trimmed();
    y += code_box(arguments, x, y, width, 40) + 5;
  }
  if (!output_.isEmpty()) {
    y += terminal_box(x, y, width) + 2;
    return;
  }
  if (!item.text.isEmpty()) y += code_box(item.text.trimmed(), x, y, width, kMostCodeLines) + 2;
}

void RowLayout::ending(const SessionItem& item) {
  const bool is_good = item.status == "done", is_bad = item.status == "failed" || item.status == "refused";
  const QColor ground = is_good ? theme().good_soft : is_bad ? theme().bad_soft : theme().warn_soft;
  const QColor ink = is_good ? theme().good : is_bad ? theme().bad : theme().warn;
  const double x = kMargin + kPadding + 28, width = width_ - kMargin - kPadding - x;
  double y = kGap + 10;
  boxes_.push_back({});
  add_icon(ending_icon(item.status),
           is_good  ? IconColour::Good
           : is_bad ? IconColour::Bad
                    : IconColour::Warn,
           kMargin + kPadding, y + 1, 18);
  y += add_text(ending_text(item.status), {text_font(TextSize::Body, QFont::DemiBold), ink, 1}, x, y, width);
  if (!item.text.isEmpty()) {
    y += add_text(shown(item.text).replace('\n', QChar::LineSeparator), {text_font(TextSize::Body), theme().text}, x,
                  y + 1, width) +
         1;
  }
  y += claims(item, x, y, width);
  if (item.n_actions > 0) {
    QString count = Tr::tr("%n actions", nullptr, item.n_actions);
    if (item.n_unverified > 0) count += " · " + Tr::tr("%n without a clear effect", nullptr, item.n_unverified);
    y += add_text(count, {text_font(TextSize::Small), theme().text_dim}, x, y + 2, width) + 2;
  }
  frame_ = QRectF(kMargin, kGap, width_ - 2 * kMargin, y + 10 - kGap);
  boxes_.front() = {frame_, ground, Qt::transparent, 10};
  height_ = frame_.bottom() + kGap;
}

void RowLayout::paint(QPainter& painter, QPointF origin, SessionModel* model, const QColor& frame) const {
  painter.save();
  painter.translate(origin);
  painter.setRenderHint(QPainter::Antialiasing);
  for (const Box& box : boxes_) {
    painter.setBrush(box.fill);
    painter.setPen(box.border.alpha() == 0 ? QPen(Qt::NoPen) : QPen(box.border, 1));
    const double inset = box.border.alpha() == 0 ? 0 : 0.5;
    painter.drawRoundedRect(box.rect.adjusted(inset, inset, -inset, -inset), box.radius, box.radius);
  }
  for (const Text& text : texts_) {
    painter.setPen(text.colour);
    text.layout->draw(&painter, text.at);
  }
  for (const Icon& one : icons_) icon(one.name, one.colour).paint(&painter, one.rect.toRect());
  if (picture_id_ != 0 && model != nullptr) {
    QPainterPath corners;
    corners.addRoundedRect(picture_, 5, 5);
    const QImage small = model->thumbnail(picture_id_);
    painter.fillPath(corners, theme().sunken);
    if (!small.isNull()) {
      const QSizeF size = QSizeF(small.size()).scaled(picture_.size(), Qt::KeepAspectRatioByExpanding);
      painter.save();
      painter.setClipPath(corners);
      painter.setRenderHint(QPainter::SmoothPixmapTransform);
      painter.drawImage(QRectF(picture_.center() - QPointF(size.width() / 2, size.height() / 2), size), small);
      painter.restore();
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().border, 1));
    painter.drawPath(corners);
  }
  if (frame.isValid()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(frame, 1.5));
    painter.drawRoundedRect(frame_.adjusted(0.5, 0.5, -0.5, -0.5), 10, 10);
  }
  painter.restore();
}

RowLayout::Zone RowLayout::zone_at(QPointF at) const {
  if (picture_id_ != 0 && picture_.contains(at)) return Zone::Picture;
  return fold_.contains(at) ? Zone::Fold : Zone::None;
}

}  // namespace app
