#include "app/window/plan_view.h"

#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/theme.h"

namespace app {
namespace {

struct Look {
  const char* icon;
  IconColour colour;
};

Look look_of(PlanLine::State state) {
  switch (state) {
    case PlanLine::State::Active:
      return {"dot", IconColour::Accent};
    case PlanLine::State::Done:
      return {"check", IconColour::Good};
    case PlanLine::State::Failed:
      return {"cross", IconColour::Bad};
    case PlanLine::State::Dropped:
      return {"cross", IconColour::Dim};
    case PlanLine::State::Pending:
      break;
  }
  return {"circle", IconColour::Dim};
}

// A step with its state and its evidence, as high as its text needs.
class StepButton final : public QPushButton {
 public:
  explicit StepButton(PlanLine line) : line_(std::move(line)) {
    setText(line_.text);
    setAccessibleName(line_.text);
    setAccessibleDescription(line_.evidence);
    setToolTip(PlanView::tr("Show when this was worked on"));
    setCursor(Qt::PointingHandCursor);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAttribute(Qt::WA_Hover);
  }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override {
    const int inner = width - text_left() - kSide;
    const int text = bounds(text_font(TextSize::Body, weight()), line_.text, inner);
    const int evidence = line_.evidence.isEmpty() ? 0 : bounds(text_font(TextSize::Small), line_.evidence, inner) + 1;
    return text + evidence + 2 * kAbove;
  }
  QSize sizeHint() const override { return {260, heightForWidth(260)}; }
  QSize minimumSizeHint() const override { return {120, heightForWidth(std::max(120, width()))}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse() || hasFocus()) {
      painter.setPen(hasFocus() ? QPen(theme().accent) : QPen(Qt::NoPen));
      painter.setBrush(theme().hover);
      painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
    }
    const Look look = look_of(line_.state);
    app::icon(look.icon, look.colour).paint(&painter, QRect(text_left() - 26, kAbove + 1, 16, 16));
    const bool is_over = line_.state == PlanLine::State::Dropped;
    QRect area(text_left(), kAbove, width() - text_left() - kSide, height() - kAbove);
    painter.setFont(text_font(TextSize::Body, weight()));
    painter.setPen(is_over ? theme().text_faint : theme().text);
    QRect used;
    painter.drawText(area, kFlags, line_.text, &used);
    painter.setFont(text_font(TextSize::Small));
    painter.setPen(theme().text_dim);
    area.setTop(used.bottom() + 2);
    painter.drawText(area, kFlags, line_.evidence);
  }

 private:
  static constexpr int kAbove = 6, kSide = 10, kIndent = 20, kFlags = Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop;
  int text_left() const { return 36 + kIndent * line_.depth; }
  QFont::Weight weight() const { return line_.state == PlanLine::State::Active ? QFont::DemiBold : QFont::Normal; }
  static int bounds(const QFont& font, const QString& text, int width) {
    return QFontMetrics(font).boundingRect(QRect(0, 0, std::max(40, width), 10000), kFlags, text).height();
  }

  PlanLine line_;
};

}  // namespace

PlanView::PlanView(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Plan"));
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* content = new QWidget;
  rows_ = new QVBoxLayout(content);
  rows_->setContentsMargins(8, 10, 8, 10);
  rows_->setSpacing(2);
  scroll->setWidget(content);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(scroll);
  fill();
}

void PlanView::show_plan(const QList<PlanLine>& plan) {
  if (plan_ == plan) return;
  plan_ = plan;
  fill();
}

void PlanView::fill() {
  while (QLayoutItem* row = rows_->takeAt(0)) {
    delete row->widget();
    delete row;
  }
  for (int step = 0; step < plan_.size(); ++step) {
    auto* row = new StepButton(plan_[step]);
    connect(row, &QPushButton::clicked, this, [this, step] { Q_EMIT step_clicked(step); });
    rows_->addWidget(row);
  }
  if (plan_.isEmpty()) {
    auto* none = new QLabel(tr("No plan yet. A task of several steps gets one."));
    none->setWordWrap(true);
    none->setProperty("role", "faint");
    none->setContentsMargins(10, 6, 10, 6);
    rows_->addWidget(none);
  }
  rows_->addStretch();
}

}  // namespace app
