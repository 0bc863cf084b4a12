#include "app/window/session_page.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/window/approval_panel.h"
#include "app/window/branch_panel.h"
#include "app/window/call_text.h"
#include "app/window/composer.h"
#include "app/window/edit_review.h"
#include "app/window/model_page.h"
#include "app/window/plan_view.h"
#include "app/window/screen_pane.h"
#include "app/window/screen_view.h"
#include "app/window/session_export.h"
#include "app/window/session_reader.h"
#include "app/window/timeline_view.h"
#include "app/window/widgets.h"

namespace app {

SessionPage::SessionPage(std::unique_ptr<AgentBridge> bridge, QWidget* parent)
    : QWidget(parent), bridge_(std::move(bridge)), task_(bridge_->request().task) {
  build();
  connect_bridge();
  on_state(bridge_->state());
  bridge_->is_started() ? catch_up() : bridge_->start();
}

std::unique_ptr<AgentBridge> SessionPage::take_bridge() {
  if (bridge_) bridge_->disconnect();
  return std::move(bridge_);
}

// With a session that another page has shown so far.
void SessionPage::catch_up() {
  if (bridge_->session() != 0) open_record(bridge_->request().record, bridge_->session());
  if (!bridge_->display().isEmpty()) screen_->set_display(bridge_->display());
  if (!bridge_->model_name().isEmpty()) mind_->show_name(bridge_->model_name());
  if (bridge_->last_status()) mind_->show_status(*bridge_->last_status());
  if (bridge_->state() != RunState::Asking) return;
  if (const auto& approval = bridge_->open_approval()) ask_for_consent(*approval);
  if (const auto& question = bridge_->open_question()) ask_user(*question);
}

SessionPage::SessionPage(std::filesystem::path record, qint64 session, const QString& task, QWidget* parent)
    : QWidget(parent), task_(task) {
  build();
  open_record(std::move(record), session);
  for (QWidget* control : std::initializer_list<QWidget*>{stop_, pause_, wheel_, follow_up_}) control->hide();
  tabs_->removeTab(tabs_->indexOf(mind_));
}

void SessionPage::take_focus() {
  transcript_->setFocus();
}

SessionPage::~SessionPage() {
  if (bridge_) AgentBridge::end(take_bridge());
}

// A part is given its parent when it is made, and filled then: a style sheet goes over all that is in a widget each
// time when the widget comes into another one.
void SessionPage::build() {
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addWidget(make_header());
  auto* body = new QSplitter(Qt::Horizontal, this);
  body->setChildrenCollapsible(false);
  body->setHandleWidth(8);
  body->addWidget(make_left(body));
  body->addWidget(make_side(body));
  body->setStretchFactor(0, 3);
  body->setStretchFactor(1, 2);
  body->setSizes({600, 430});
  body->setContentsMargins(14, 14, 14, 14);
  all->addWidget(body, 1);
  connect(&model_, &SessionModel::changed, this, &SessionPage::show_plan);
  title_->set_text(task_);
}

QWidget* SessionPage::make_left(QWidget* parent) {
  left_ = new QStackedWidget(parent);
  screen_ = new ScreenPane(&model_, left_);
  review_ = new EditReview(left_);
  left_->addWidget(screen_);
  left_->addWidget(review_);
  connect(screen_, &ScreenPane::moment_changed, this, [this](int row) {
    if (row >= 0) transcript_->show_row(row);
    show_plan();
  });
  connect(screen_, &ScreenPane::hand_failed, this, &SessionPage::show_notice);
  connect(screen_, &ScreenPane::export_wanted, this, &SessionPage::export_cut);
  connect(screen_, &ScreenPane::branch_wanted, this, &SessionPage::ask_to_branch);
  connect(review_, &EditReview::closed, this, [this] { left_->setCurrentWidget(screen_); });
  return left_;
}

QWidget* SessionPage::make_header() {
  auto* header = new QFrame(this);
  header->setProperty("role", "header");
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(20, 12, 16, 12);
  row->setSpacing(8);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  title_ = new ElidedLabel;
  title_->setFont(text_font(TextSize::Title, QFont::DemiBold));
  texts->addWidget(title_);
  auto* state_row = new QHBoxLayout;
  state_row->setSpacing(6);
  state_icon_ = new Mark(14);
  state_label_ = make_label("", "dim");
  state_label_->setAccessibleDescription(tr("State of the session"));
  state_row->addWidget(state_icon_);
  state_row->addWidget(state_label_, 1);
  texts->addLayout(state_row);
  row->addLayout(texts, 1);
  wheel_ = make_button(tr("Take the wheel"), "", "wheel");
  wheel_->setToolTip(tr("Pauses it, and lets you work on its desktop yourself"));
  wheel_->setEnabled(false);
  pause_ = make_button(tr("Pause"), "", "pause");
  stop_ = make_button(tr("Stop"), "danger", "stop", IconColour::Bad);
  stop_->setToolTip(tr("Stops at once and lets go of mouse and keys (Ctrl+.)"));
  resume_ = make_button(tr("Go on with it"), "primary", "play", IconColour::OnAccent);
  resume_->hide();
  connect(resume_, &QPushButton::clicked, this, &SessionPage::resume_wanted);
  row->addWidget(resume_);
  row->addWidget(wheel_);
  row->addWidget(pause_);
  row->addWidget(stop_);
  add_export(row);
  add_close(row);
  return header;
}

QWidget* SessionPage::make_side(QWidget* parent) {
  auto* side = new QWidget(parent);
  side->setMinimumWidth(400);
  auto* all = new QVBoxLayout(side);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(10);
  auto* panel = new QFrame(side);
  panel->setProperty("role", "panel");
  auto* inside = new QVBoxLayout(panel);
  inside->setContentsMargins(1, 4, 1, 1);
  tabs_ = new QTabWidget(panel);
  tabs_->setDocumentMode(true);
  tabs_->tabBar()->setDrawBase(false);
  auto* activity = new QWidget;
  tabs_->addTab(activity, tr("Activity"));
  fill_activity(activity);
  plan_ = new PlanView(activity->parentWidget());
  tabs_->addTab(plan_, tr("Plan"));
  mind_ = new ModelPage(activity->parentWidget());
  tabs_->addTab(mind_, tr("Model"));
  inside->addWidget(tabs_);
  all->addWidget(panel, 1);
  notice_ = make_label("", "dim");
  notice_->setWordWrap(true);
  all->addWidget(notice_);
  approval_ = new ApprovalPanel(side);
  all->addWidget(approval_);
  question_ = new QuestionPanel(side);
  all->addWidget(question_);
  branch_ = new BranchPanel(side);
  all->addWidget(branch_);
  follow_up_ = new Composer(Composer::Form::FollowUp, side);
  all->addWidget(follow_up_);
  for (QWidget* hidden : std::initializer_list<QWidget*>{notice_, approval_, question_, branch_, follow_up_})
    hidden->hide();
  connect(plan_, &PlanView::step_clicked, this, &SessionPage::go_to_step);
  connect(review_, &EditReview::choice_changed, approval_, &ApprovalPanel::set_choice);
  connect(branch_, &BranchPanel::confirmed, this,
          [this](const QString& task) { Q_EMIT branch_wanted(branch_event_, task); });
  return side;
}

void SessionPage::fill_activity(QWidget* activity) {
  auto* all = new QVBoxLayout(activity);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Search in this session"));
  search_->setAccessibleName(tr("Search in this session"));
  search_->setClearButtonEnabled(true);
  search_->addAction(icon("search", IconColour::Dim), QLineEdit::LeadingPosition);
  search_->hide();
  auto* search_row = new QHBoxLayout;
  search_row->setContentsMargins(12, 6, 12, 0);
  search_row->addWidget(search_);
  all->addLayout(search_row);
  transcript_ = new TranscriptView(&model_);
  all->addWidget(transcript_, 1);
  connect(transcript_, &TranscriptView::row_activated, this, &SessionPage::open_row);
  connect(transcript_, &TranscriptView::picture_clicked, this, [this](int row) {
    screen_->look_at(row);
    left_->setCurrentWidget(screen_);
  });
  connect(search_, &QLineEdit::textChanged, this, [this] { find(TranscriptView::Seek::Typed); });
  connect(search_, &QLineEdit::returnPressed, this, [this] {
    const bool is_back = QApplication::keyboardModifiers().testFlag(Qt::ShiftModifier);
    find(is_back ? TranscriptView::Seek::Previous : TranscriptView::Seek::Next);
  });
  auto* find_key = new QShortcut(QKeySequence::Find, this);
  connect(find_key, &QShortcut::activated, this, [this] {
    tabs_->setCurrentIndex(0);
    search_->show();
    search_->setFocus();
    search_->selectAll();
  });
  auto* leave = new QShortcut(Qt::Key_Escape, search_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(leave, &QShortcut::activated, this, [this] {
    search_->clear();
    search_->hide();
    transcript_->setFocus();
  });
}

void SessionPage::find(TranscriptView::Seek seek) {
  const bool found = transcript_->find(search_->text(), seek);
  search_->setStyleSheet(found ? "" : QString("color: %1;").arg(theme().bad.name()));
}

void SessionPage::connect_bridge() {
  AgentBridge* bridge = bridge_.get();
  connect(bridge, &AgentBridge::state_changed, this, &SessionPage::on_state);
  connect(bridge, &AgentBridge::progress, this, [this](const QString& what) {
    state_label_->setText(what);
    screen_->set_placeholder(what);
  });
  connect(bridge, &AgentBridge::session_began, this, [this](qint64 session) {
    if (session_ == 0) open_record(bridge_->request().record, session);
    Q_EMIT state_changed();
  });
  connect(bridge, &AgentBridge::recorded, this, [this] {
    if (reader_) reader_->refresh();
  });
  connect(bridge, &AgentBridge::display_ready, screen_, &ScreenPane::set_display);
  connect(bridge, &AgentBridge::live_text, transcript_, &TranscriptView::set_live_text);
  connect(bridge, &AgentBridge::call_coming, this,
          [this](const ComingCall& call) { screen_->show_coming(mark_of(call.tool, call.arguments, call.map)); });
  connect(bridge, &AgentBridge::call_over, this, [this] { screen_->show_coming(std::nullopt); });
  connect(bridge, &AgentBridge::failed, this, &SessionPage::show_notice);
  connect(bridge, &AgentBridge::approval_wanted, this, &SessionPage::ask_for_consent);
  connect(bridge, &AgentBridge::question_asked, this, &SessionPage::ask_user);
  connect(bridge, &AgentBridge::model_known, mind_, &ModelPage::show_name);
  connect(bridge, &AgentBridge::model_status, mind_, &ModelPage::show_status);
  connect(bridge, &AgentBridge::model_looked, mind_, &ModelPage::show_blocks);
  connect(mind_, &ModelPage::heat_changed, &screen_->screen(), &ScreenView::set_heat);
  connect(mind_, &ModelPage::turn_heat_changed, transcript_, &TranscriptView::set_heat);
  connect(approval_, &ApprovalPanel::allowed, bridge, &AgentBridge::allow);
  connect(approval_, &ApprovalPanel::denied, bridge, &AgentBridge::deny);
  connect(approval_, &ApprovalPanel::part_allowed, this,
          [this] { bridge_->allow_part(tools::choose_hunks(review_->files(), review_->taken())); });
  connect(question_, &QuestionPanel::answered, bridge, &AgentBridge::answer);
  connect(wheel_, &QPushButton::clicked, this, [this] { take_wheel(!screen_->is_driven()); });
  connect(stop_, &QPushButton::clicked, bridge, &AgentBridge::stop);
  connect(pause_, &QPushButton::clicked, this, [this] {
    if (screen_->is_driven()) return take_wheel(false);
    bridge_->is_paused() ? bridge_->resume() : bridge_->pause();
  });
  auto* stop_key = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Period), this);
  connect(stop_key, &QShortcut::activated, bridge, &AgentBridge::stop);
  connect(follow_up_, &Composer::submitted, this, [this](const TaskChoice& choice) { bridge_->say(choice.task); });
}

void SessionPage::set_resumable(bool is_resumable) {
  resume_->setVisible(is_resumable);
}

void SessionPage::add_export(QHBoxLayout* row) {
  auto* button = make_icon_button("export", tr("Export"));
  button->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(button);
  fill_export_menu(menu, [this](const QString& form) { export_to(form, {}); });
  button->setMenu(menu);
  row->addWidget(button);
}

void SessionPage::open_record(std::filesystem::path record, qint64 session) {
  session_ = session;
  record_ = record;
  reader_ = std::make_unique<SessionReader>(std::move(record), session);
  model_.follow(reader_.get());
  connect(reader_.get(), &SessionReader::failed, this, [this](const QString& why) { show_notice(why); });
  reader_->refresh();
}

void SessionPage::on_state(RunState state) {
  struct Look {
    QString text;
    const char* icon;
    IconColour colour;
  };
  const auto look = [&]() -> Look {
    switch (state) {
      case RunState::Starting:
        return {tr("Starting…"), "dot", IconColour::Dim};
      case RunState::Thinking:
        return {tr("Thinking"), "thought", IconColour::Accent};
      case RunState::Acting:
        return {tr("Acting"), "pointer", IconColour::Accent};
      case RunState::Asking:
        return {tr("Waits for your answer"), "help", IconColour::Warn};
      case RunState::Paused:
        return {tr("Paused"), "pause", IconColour::Warn};
      case RunState::Idle:
        return {tr("Finished"), "check", IconColour::Dim};
      case RunState::Ended:
        return {tr("Ended"), "stop", IconColour::Dim};
    }
    return {};
  }();
  state_label_->setText(look.text);
  state_label_->setAccessibleName(look.text);
  state_icon_->set(look.icon, look.colour);
  const bool is_busy = bridge_->is_busy();
  stop_->setEnabled(is_busy);
  pause_->setEnabled(is_busy && state != RunState::Starting);
  const bool is_paused = bridge_->is_paused();
  pause_->setText(is_paused ? tr("Go on") : tr("Pause"));
  pause_->setAccessibleName(pause_->text());
  pause_->setIcon(icon(is_paused ? "play" : "pause"));
  wheel_->setVisible(bridge_->request().workbench.desktop == agent::WorkbenchOptions::DesktopKind::Private);
  wheel_->setEnabled(state != RunState::Starting && state != RunState::Ended);
  follow_up_->setVisible(state == RunState::Idle);
  if (state != RunState::Asking) {
    approval_->hide();
    question_->hide();
    if (review_->use() == EditReview::Use::Choose) {
      review_->show_edits({}, EditReview::Use::Look);
      left_->setCurrentWidget(screen_);
    }
  }
  if (!is_busy) {
    screen_->show_coming(std::nullopt);
    transcript_->set_live_text({}, {});
  }
  Q_EMIT state_changed();
}

void SessionPage::ask_for_consent(const ApprovalQuestion& question) {
  approval_->ask(question);
  approval_->show();
  if (!question.hunks.empty()) {
    review_->show_edits(question.hunks, EditReview::Use::Choose);
    left_->setCurrentWidget(review_);
  }
  screen_->show_coming(mark_of(question.tool, question.arguments, question.map));
}

void SessionPage::ask_user(const QString& question) {
  question_->ask(question);
  question_->show();
}

// While the user drives, the agent waits; given back, it goes on and sees what has changed by looking.
void SessionPage::take_wheel(bool is_taken) {
  if (is_taken) bridge_->pause();
  screen_->set_driven(is_taken);
  if (!is_taken) bridge_->resume();
  wheel_->setText(is_taken ? tr("Give it back") : tr("Take the wheel"));
  wheel_->setAccessibleName(wheel_->text());
  wheel_->setIcon(icon(is_taken ? "give_back" : "wheel"));
}

void SessionPage::show_notice(const QString& text) {
  notice_->setText(text);
  notice_->setVisible(!text.isEmpty());
}

// Of a session of the record: how it ended.
void SessionPage::show_ending() {
  for (int row = model_.size() - 1; row >= 0; --row) {
    if (model_.item(row).kind != SessionItem::Kind::Ending) continue;
    const QString& status = model_.item(row).status;
    state_label_->setText(ending_text(status));
    state_label_->setAccessibleName(state_label_->text());
    state_icon_->set(ending_icon(status), status == "done" ? IconColour::Good : IconColour::Warn);
    return;
  }
}

void SessionPage::show_plan() {
  if (!bridge_) show_ending();
  const int row = screen_->looked_at();
  plan_->show_plan(model_.plan_at(row < 0 ? model_.elapsed_ms() : model_.item(row).at_ms));
  const auto n_steps = model_.plans().isEmpty() ? 0 : model_.plans().last().lines.size();
  tabs_->setTabText(1, n_steps > 0 ? tr("Plan (%1)").arg(n_steps) : tr("Plan"));
}

}  // namespace app
