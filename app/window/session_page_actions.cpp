// What can be done with a session that is looked at: go to a moment, export it, let another go on from there, close it.

#include <QFileDialog>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QRegularExpression>
#include <QShortcut>
#include <QStackedWidget>

#include "app/window/branch_panel.h"
#include "app/window/edit_review.h"
#include "app/window/screen_pane.h"
#include "app/window/session_export.h"
#include "app/window/session_page.h"
#include "app/window/timeline_view.h"
#include "app/window/transcript_view.h"
#include "app/window/widgets.h"

namespace app {

// An edit shows its changes, everything else the screen at that moment. Changes that are asked about stay.
void SessionPage::open_row(int row) {
  if (row < 0 || row >= model_.size()) return;
  screen_->look_at(row);
  if (left_->currentWidget() == review_ && review_->use() == EditReview::Use::Choose) return;
  const SessionItem& item = model_.item(row);
  const std::vector<tools::FilePatch> files = written_hunks(item.tool, item.arguments);
  if (!files.empty()) review_->show_edits(files, EditReview::Use::Look);
  left_->setCurrentWidget(files.empty() ? static_cast<QWidget*>(screen_) : review_);
}

// To the result that its evidence cites; else to where the step was closed, else to where it was begun.
void SessionPage::go_to_step(int step) {
  static const QRegularExpression citation(R"(\[(\d+)\])");
  const int row_now = screen_->looked_at();
  const QList<PlanLine>& plan = model_.plan_at(row_now < 0 ? model_.elapsed_ms() : model_.item(row_now).at_ms);
  const QRegularExpressionMatch cited = citation.match(step < plan.size() ? plan[step].evidence : QString());
  for (int row = 0; cited.hasMatch() && row < model_.size(); ++row) {
    if (model_.item(row).number == cited.captured(1).toInt()) return show_moment(row);
  }
  for (const PlanVersion& version : model_.plans()) {
    if (step >= version.lines.size() || version.lines[step].state == PlanLine::State::Pending) continue;
    show_moment(model_.row_at(version.at_ms));
    if (version.lines[step].state != PlanLine::State::Active) break;
  }
}

void SessionPage::show_moment(int row) {
  transcript_->show_row(row);
  screen_->look_at(row);
}

void SessionPage::export_to(const QString& form, const agent::SessionPart& part) {
  if (session_ == 0) return;
  const SessionExport wish = {record_, session_, form, part};
  const QString target = QFileDialog::getSaveFileName(this, tr("Export the session"), export_name(wish));
  if (target.isEmpty()) return;
  show_notice(tr("Exporting…"));
  start_export(wish, target, this, [this](const QString& said) { show_notice(said); });
}

void SessionPage::export_cut(const QString& form) {
  const std::optional<TimelineView::Range> range = screen_->timeline().range();
  if (!range) return;
  const auto at = [](qint64 ms) { return std::chrono::microseconds(std::chrono::milliseconds(ms)); };
  export_to(form, {at(range->from_ms), at(range->to_ms)});
}

void SessionPage::ask_to_branch(int row) {
  branch_event_ = model_.item(row).last_event;
  branch_->ask(task_, model_.item(row).at_ms);
}

void SessionPage::add_close(QHBoxLayout* row) {
  auto* button = make_icon_button("cross", tr("Close session"));
  button->setToolTip(tr("Closes this session; it stays in the list (Ctrl+W)"));
  row->addWidget(button);
  const auto close = [this] { bridge_ && bridge_->is_busy() ? ask_to_close() : Q_EMIT close_wanted(); };
  connect(button, &QToolButton::clicked, this, close);
  auto* key = new QShortcut(QKeySequence::Close, this);
  connect(key, &QShortcut::activated, this, close);
}

void SessionPage::ask_to_close() {
  auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Close this session?"),
                              tr("This session is running. Closing stops it; what it has done stays in the list."),
                              QMessageBox::NoButton, this);
  box->setIconPixmap(icon("help", IconColour::Accent).pixmap(QSize(32, 32), devicePixelRatioF()));
  box->setAttribute(Qt::WA_DeleteOnClose);
  auto* keep = box->addButton(tr("Keep working"), QMessageBox::RejectRole);
  auto* close = box->addButton(tr("Close"), QMessageBox::AcceptRole);
  box->setDefaultButton(keep);
  box->setEscapeButton(keep);
  connect(close, &QPushButton::clicked, this, &SessionPage::close_wanted);
  box->open();
}

}  // namespace app
