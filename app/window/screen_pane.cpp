#include "app/window/screen_pane.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QVBoxLayout>

#include "app/window/call_text.h"
#include "app/window/desktop_hand.h"
#include "app/window/screen_feed.h"
#include "app/window/screen_view.h"
#include "app/window/session_export.h"
#include "app/window/session_model.h"
#include "app/window/timeline_view.h"
#include "app/window/widgets.h"

namespace app {
namespace {

QString clock_time(qint64 ms) {
  return QString("%1:%2").arg(ms / 60000).arg(ms / 1000 % 60, 2, 10, QChar('0'));
}

}  // namespace

ScreenPane::ScreenPane(SessionModel* model, QWidget* parent) : QFrame(parent), model_(model) {
  setProperty("role", "panel");
  screen_ = new ScreenView;
  timeline_ = new TimelineView(model);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(12, 8, 12, 8);
  all->setSpacing(6);
  all->addLayout(make_bar());
  all->addWidget(screen_, 1);
  all->addLayout(make_player());
  all->addWidget(timeline_);
  connect(model, &SessionModel::changed, this, &ScreenPane::on_change);
  connect(model, &SessionModel::picture_ready, this, [this] {
    if (!feed_ || looked_at_ >= 0) show_recorded();
  });
  connect(timeline_, &TimelineView::moment_chosen, this, [this](int row) {
    look_at(row);
    Q_EMIT moment_changed(row);
  });
  update_label();
}

ScreenPane::~ScreenPane() = default;

QLayout* ScreenPane::make_bar() {
  auto* bar = new QHBoxLayout;
  bar->setSpacing(2);
  label_ = new ElidedLabel;
  label_->setProperty("role", "dim");
  label_->setFont(text_font(TextSize::Small));
  bar->addWidget(label_, 1);
  live_ = make_icon_button("eye", tr("Back to live"));
  live_->setText(tr("Back to live"));
  live_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  connect(live_, &QToolButton::clicked, this, &ScreenPane::look_live);
  bar->addWidget(live_);
  branch_ = make_icon_button("branch", tr("Run from here"));
  branch_->setText(tr("Run from here"));
  branch_->setToolTip(tr("A new session goes on from this moment"));
  branch_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  connect(branch_, &QToolButton::clicked, this, [this] { Q_EMIT branch_wanted(looked_at_); });
  bar->addWidget(branch_);
  compare_ = make_icon_button("compare", tr("Compare before and after"));
  compare_->setCheckable(true);
  connect(compare_, &QToolButton::toggled, this, [this](bool is_on) {
    is_comparing_ = is_on;
    show_recorded();
  });
  bar->addWidget(compare_);
  const auto add_zoom = [&](const char* icon_name, const QString& name, double factor) {
    auto* button = make_icon_button(icon_name, name);
    connect(button, &QToolButton::clicked, this,
            [this, factor] { factor > 0 ? screen_->zoom_by(factor) : screen_->set_fit(); });
    bar->addWidget(button);
  };
  add_zoom("zoom_out", tr("Zoom out"), 0.8);
  add_zoom("zoom_in", tr("Zoom in"), 1.25);
  add_zoom("fit", tr("Fit"), 0);
  live_->hide();
  branch_->hide();
  return bar;
}

QLayout* ScreenPane::make_player() {
  auto* row = new QHBoxLayout;
  row->setSpacing(2);
  const auto add = [&](const char* icon_name, const QString& name) {
    auto* button = make_icon_button(icon_name, name);
    row->addWidget(button);
    return button;
  };
  auto* back = add("step_back", tr("Previous action"));
  play_ = add("play", tr("Play"));
  auto* forward = add("step_forward", tr("Next action"));
  connect(back, &QToolButton::clicked, this, [this] { timeline_->step(-1); });
  connect(forward, &QToolButton::clicked, this, [this] { timeline_->step(1); });
  connect(play_, &QToolButton::clicked, this, [this] {
    timeline_->is_playing() ? timeline_->stop_playing() : timeline_->play(speed_->currentData().toDouble());
  });
  connect(timeline_, &TimelineView::playing_changed, this, [this](bool is_playing) {
    play_->setIcon(icon(is_playing ? "pause" : "play", IconColour::Dim));
    play_->setAccessibleName(is_playing ? tr("Hold") : tr("Play"));
    play_->setToolTip(play_->accessibleName());
  });
  speed_ = new QComboBox;
  speed_->setAccessibleName(tr("Speed"));
  for (const double speed : {1.0, 2.0, 4.0, 8.0}) speed_->addItem(QString("%1×").arg(speed), speed);
  speed_->setCurrentIndex(1);
  connect(speed_, &QComboBox::currentIndexChanged, this, [this] {
    if (timeline_->is_playing()) timeline_->play(speed_->currentData().toDouble());
  });
  row->addSpacing(4);
  row->addWidget(speed_);
  row->addSpacing(8);
  add_cut(row);
  row->addStretch();
  time_ = make_label("", "faint", TextSize::Small);
  row->addWidget(time_);
  return row;
}

// Two marks cut a part out of the session; it can be exported by itself.
void ScreenPane::add_cut(QHBoxLayout* row) {
  auto* from = make_icon_button("cut_from", tr("Cut from here (I)"));
  auto* until = make_icon_button("cut_until", tr("Cut until here (O)"));
  connect(from, &QToolButton::clicked, timeline_, &TimelineView::cut_from_here);
  connect(until, &QToolButton::clicked, timeline_, &TimelineView::cut_until_here);
  cut_ = make_icon_button("export", tr("Export the part"));
  cut_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  cut_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(cut_);
  fill_export_menu(menu, [this](const QString& form) { Q_EMIT export_wanted(form); });
  menu->addSeparator();
  menu->addAction(icon("cross", IconColour::Dim), tr("Forget the cut"), timeline_, &TimelineView::forget_cut);
  cut_->setMenu(menu);
  cut_->hide();
  for (QWidget* button : {from, until, cut_}) row->addWidget(button);
  connect(timeline_, &TimelineView::range_changed, this, &ScreenPane::show_cut);
}

void ScreenPane::show_cut() {
  const std::optional<TimelineView::Range> range = timeline_->range();
  cut_->setVisible(range.has_value());
  if (range) cut_->setText(QStringLiteral("%1–%2").arg(clock_time(range->from_ms), clock_time(range->to_ms)));
}

void ScreenPane::set_display(const QString& display) {
  feed_ = std::make_unique<ScreenFeed>(display);
  connect(feed_.get(), &ScreenFeed::arrived, this, &ScreenPane::on_frame);
  feed_->set_size(screen_->room_px());
  feed_->set_watched(isVisible());
  connect(screen_, &ScreenView::pointer_moved, this, [this](QPoint at_pt) {
    if (hand_) hand_->move_to(at_pt);
  });
  connect(screen_, &ScreenView::button_changed, this, [this](int button, bool is_down) {
    if (hand_) hand_->change_button(button, is_down);
  });
  connect(screen_, &ScreenView::key_changed, this, [this](quint32 keysym, bool is_down) {
    if (hand_) hand_->change_key(keysym, is_down);
  });
  update_label();
}

void ScreenPane::set_placeholder(const QString& text) {
  screen_->set_placeholder(text);
}

void ScreenPane::set_driven(bool is_driven) {
  if (is_driven == this->is_driven() || !feed_) return;
  if (is_driven) {
    look_live();
    hand_ = std::make_unique<DesktopHand>(feed_->display());
    connect(hand_.get(), &DesktopHand::failed, this, &ScreenPane::hand_failed);
  } else {
    hand_.reset();
  }
  screen_->set_driven(is_driven);
  update_label();
}

bool ScreenPane::is_driven() const {
  return hand_ != nullptr;
}

void ScreenPane::on_frame() {
  const ScreenImage picture = feed_->take();
  feed_->set_size(screen_->zoom() > 0 ? QSize() : screen_->room_px());
  if (looked_at_ < 0) screen_->show_picture(picture);
}

void ScreenPane::show_coming(const std::optional<ActionMark>& mark) {
  if (looked_at_ >= 0) return;
  if (mark) screen_->set_changes({});
  screen_->set_mark(mark, mark.has_value());
}

void ScreenPane::on_change() {
  update_label();
  if (looked_at_ >= 0) return;
  if (!feed_) return show_recorded();
  QList<BoxNote> boxes;  // of what it said since the last action
  for (int row = model_->size() - 1; row >= std::max(0, model_->size() - 4); --row) {
    const SessionItem& item = model_->item(row);
    if (item.kind == SessionItem::Kind::Call && item.seconds >= 0) {
      screen_->set_changes(item.changed_pt);
      break;
    }
    boxes.append(item.boxes);
  }
  screen_->set_boxes(boxes);
}

void ScreenPane::look_at(int row) {
  if (row < 0 || row >= model_->size() || is_driven()) return;
  looked_at_ = row;
  live_->setVisible(feed_ != nullptr);
  branch_->show();
  if (timeline_->row() != row) timeline_->set_row(row);
  show_recorded();
}

void ScreenPane::look_live() {
  timeline_->stop_playing();
  timeline_->set_row(-1);
  looked_at_ = -1;
  live_->hide();
  branch_->hide();
  screen_->compare_with({});
  screen_->set_mark(std::nullopt, false);
  screen_->set_changes({});
  screen_->set_target({}, {});
  if (feed_) screen_->show_picture(feed_->take());
  on_change();
  Q_EMIT moment_changed(-1);
}

// The picture on which the item was decided, with its action on it; else the newest one until then.
qint64 ScreenPane::picture_before(int row) const {
  const SessionItem& item = model_->item(row);
  if (item.screen != 0) return item.screen;
  if (item.picture != 0) return item.picture;
  for (int before = row - 1; before >= 0; --before) {
    if (model_->item(before).picture != 0) return model_->item(before).picture;
  }
  return 0;
}

void ScreenPane::show_recorded() {
  const int row = looked_at_ >= 0 ? looked_at_ : model_->size() - 1;
  if (row < 0) return;
  update_label();
  const SessionItem& item = model_->item(row);
  const qint64 wanted = picture_before(row);
  if (wanted == 0) {
    screen_->show_picture({});
    return screen_->set_placeholder(tr("No picture of a screen was recorded until here."));
  }
  const ScreenImage* picture = model_->picture(wanted);
  if (picture == nullptr) return;
  screen_->show_picture(*picture);
  screen_->set_mark(mark_of(item.tool, item.arguments, picture->map), false);
  screen_->set_changes(item.changed_pt);
  screen_->set_target(item.target_pt, item.target_name);
  screen_->set_boxes(item.boxes);
  show_comparison();
}

// Before and after: of an action, its own two pictures.
void ScreenPane::show_comparison() {
  const int row = looked_at_ >= 0 ? looked_at_ : model_->size() - 1;
  const SessionItem& item = model_->item(row);
  const qint64 before = picture_before(row);
  if (!is_comparing_ || item.picture == 0 || item.picture == before) return screen_->compare_with({});
  const ScreenImage* first = model_->picture(before);
  const ScreenImage* second = model_->picture(item.picture);
  if (first == nullptr || second == nullptr) return;
  const ScreenImage first_kept = *first;
  screen_->show_picture(*second);
  screen_->compare_with(first_kept);
}

void ScreenPane::update_label() {
  auto* label = static_cast<ElidedLabel*>(label_);
  const qint64 now_ms = looked_at_ >= 0 ? model_->item(looked_at_).at_ms : model_->elapsed_ms();
  time_->setText(clock_time(now_ms) + " / " + clock_time(model_->elapsed_ms()));
  if (is_driven()) return label->set_text(tr("You have the wheel: click and type on the picture"));
  if (looked_at_ < 0) return label->set_text(feed_ ? tr("Live") : tr("Last picture"));
  label->set_text(clock_time(now_ms) + " · " + plain_line(model_->item(looked_at_)));
}

void ScreenPane::showEvent(QShowEvent* event) {
  if (feed_) feed_->set_watched(true);
  QFrame::showEvent(event);
}

void ScreenPane::hideEvent(QHideEvent* event) {
  if (feed_) feed_->set_watched(false);
  QFrame::hideEvent(event);
}

}  // namespace app
