#include "app/window/home_page.h"

#include <QGridLayout>
#include <QVBoxLayout>

#include "app/window/machine_check.h"
#include "app/window/widgets.h"

namespace app {

HomePage::HomePage(QWidget* parent) : QWidget(parent) {
  auto* across = new QHBoxLayout(this);
  across->setContentsMargins(32, 24, 32, 24);
  auto* column = new QWidget(this);
  column->setMaximumWidth(740);
  auto* all = new QVBoxLayout(column);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(10);
  across->addStretch(1);
  across->addWidget(column, 8);
  across->addStretch(1);
  offer_ = make_offer(column);
  all->addWidget(offer_);
  welcome_ = make_welcome(column);
  all->addWidget(welcome_);
  all->addStretch(3);
  auto* greeting = make_label(tr("What should be done?"), "title", TextSize::Display, QFont::DemiBold);
  greeting->setAlignment(Qt::AlignHCenter);
  all->addWidget(greeting);
  auto* promise = make_label(
      tr("It works on a desktop of its own, shows you each step, and asks before anything that matters."), "dim");
  promise->setAlignment(Qt::AlignHCenter);
  promise->setWordWrap(true);
  all->addWidget(promise);
  all->addSpacing(14);
  composer_ = new Composer(Composer::Form::Full, column);
  all->addWidget(composer_);
  all->addSpacing(14);
  all->addWidget(make_label(tr("Try one of these"), "section", TextSize::Small));
  auto* cards = new QGridLayout;
  cards->setSpacing(10);
  const struct {
    const char* icon;
    QString title, task;
  } examples[] = {{"window", tr("Open the calculator and press 7"), "Open Calculator, then click 7"},
                  {"edit", tr("Write a line in the text editor"), "Open Text Editor, then type hello"},
                  {"terminal", tr("Count the lines of a file"), "How many lines has notes.txt?"},
                  {"folder", tr("Say how many files there are"), "How many files are here?"}};
  int n = 0;
  for (const auto& example : examples) {
    auto* card = make_button(example.title, "card", example.icon, IconColour::Accent);
    connect(card, &QPushButton::clicked, this, [this, task = example.task] {
      composer_->set_text(task);
      composer_->focus();
    });
    cards->addWidget(card, n / 2, n % 2);
    ++n;
  }
  all->addLayout(cards);
  all->addStretch(4);
}

QFrame* HomePage::make_offer(QWidget* parent) {
  auto* offer = new QFrame(parent);
  offer->setProperty("role", "notice");
  auto* row = new QHBoxLayout(offer);
  row->setContentsMargins(14, 10, 10, 10);
  offer_text_ = make_label("");
  offer_text_->setWordWrap(true);
  row->addWidget(offer_text_, 1);
  auto* dismiss = make_button(tr("Not now"), "quiet");
  auto* resume = make_button(tr("Go on with it"), "primary");
  row->addWidget(dismiss);
  row->addWidget(resume);
  connect(dismiss, &QPushButton::clicked, offer, &QWidget::hide);
  connect(resume, &QPushButton::clicked, this, [this] {
    offer_->hide();
    Q_EMIT resume_wanted(offered_);
  });
  offer->hide();
  return offer;
}

QFrame* HomePage::make_welcome(QWidget* parent) {
  auto* welcome = new QFrame(parent);
  welcome->setProperty("role", "panel");
  auto* all = new QVBoxLayout(welcome);
  all->setContentsMargins(20, 16, 16, 14);
  all->setSpacing(8);
  all->addWidget(make_label(tr("Welcome to Deskhand"), "title", TextSize::Title, QFont::DemiBold));
  const struct {
    const char* icon;
    QString text;
  } promises[] = {
      {"private", tr("It has a desktop of its own: your mouse and windows stay yours.")},
      {"shield", tr("It asks before it runs commands, uses the network or touches other files.")},
      {"film", tr("Every session is recorded here, and nowhere else. You can look back at each moment.")},
      {"chip", tr("The small model that comes along starts at once. A MiniMax-M3 folder is added in the settings.")}};
  for (const auto& promise : promises) {
    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    row->addWidget(new Mark(18, promise.icon, IconColour::Accent), 0, Qt::AlignTop);
    auto* text = make_label(promise.text);
    text->setWordWrap(true);
    row->addWidget(text, 1);
    all->addLayout(row);
  }
  check_ = new MachineCheck(welcome);
  all->addWidget(check_);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch();
  auto* dismiss = make_button(tr("Not now"), "quiet");
  auto* show = make_button(tr("Show me: 30 seconds"), "primary", "play", IconColour::OnAccent);
  buttons->addWidget(dismiss);
  buttons->addWidget(show);
  all->addLayout(buttons);
  connect(dismiss, &QPushButton::clicked, this, [this] {
    welcome_->hide();
    Q_EMIT welcome_seen();
  });
  connect(show, &QPushButton::clicked, this, [this] {
    welcome_->hide();
    Q_EMIT welcome_seen();
    Q_EMIT demonstration_wanted();
  });
  welcome->hide();
  return welcome;
}

void HomePage::show_welcome() {
  welcome_->show();
  check_->run();
}

void HomePage::offer_resume(const SessionEntry& session) {
  offered_ = session;
  offer_text_->setText(tr("“%1” was interrupted. Nothing of it is lost.").arg(session.task.simplified().left(80)));
  offer_->show();
}

}  // namespace app
