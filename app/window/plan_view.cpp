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

}  // namespace

// A step with its state and its evidence, as high as its text needs.
class StepButton final : public QPushButton {
 public:
  StepButton() {
    setToolTip(PlanView::tr("Show when this was worked on"));
    setCursor(Qt::PointingHandCursor);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAttribute(Qt::WA_Hover);
  }
  const PlanLine& line() const { return line_; }
  void set_line(const PlanLine& line) {
    if (line_ == line) return;
    line_ = line;
    setText(line_.text);
    setAccessibleName(line_.text);
    setAccessibleDescription(line_.evidence);
    updateGeometry();
    update();
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
  none_ = new QLabel(tr("No plan yet. A task of several steps gets one."));
  none_->setWordWrap(true);
  none_->setProperty("role", "faint");
  none_->setContentsMargins(10, 6, 10, 6);
  rows_->addWidget(none_);
  rows_->addStretch();
  scroll->setWidget(content);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(scroll);
}

// Rows stay what they are as far as they can, and the focus with its step: in its place where the step is gone.
void PlanView::show_plan(const QList<PlanLine>& plan) {
  const auto has_focus = [](const StepButton* row) { return row->hasFocus(); };
  const auto focused = std::find_if(steps_.begin(), steps_.end(), has_focus) - steps_.begin();
  const QString focused_text = focused < steps_.size() ? steps_[focused]->line().text : QString();
  while (steps_.size() < plan.size()) {
    const auto step = static_cast<int>(steps_.size());
    steps_.append(new StepButton);
    connect(steps_.last(), &QPushButton::clicked, this, [this, step] { Q_EMIT step_clicked(step); });
    rows_->insertWidget(step, steps_.last());
    steps_.last()->show();  // at once: what isn't shown takes no focus
  }
  for (qsizetype step = 0; step < plan.size(); ++step) steps_[step]->set_line(plan[step]);
  if (focused < steps_.size() && !plan.isEmpty()) {
    const auto is_it = [&](const PlanLine& line) { return line.text == focused_text; };
    const auto found = std::find_if(plan.begin(), plan.end(), is_it) - plan.begin();
    steps_[std::min(found < plan.size() ? found : focused, plan.size() - 1)]->setFocus();
  }
  while (steps_.size() > plan.size()) delete steps_.takeLast();
  none_->setVisible(plan.isEmpty());
}

}  // namespace app
