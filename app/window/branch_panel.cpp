#include "app/window/branch_panel.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QShortcut>
#include <QVBoxLayout>

#include "app/window/call_text.h"
#include "app/window/widgets.h"

namespace app {

BranchPanel::BranchPanel(QWidget* parent) : QFrame(parent) {
  setProperty("role", "question");
  setAccessibleName(tr("Run from here"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(14, 12, 14, 12);
  all->setSpacing(8);
  title_ = make_label("", "title", TextSize::Body, QFont::DemiBold);
  title_->setWordWrap(true);
  all->addWidget(title_);
  auto* note = make_label(tr("It remembers all until there. Its desktop is a new one, and files are as they are now."),
                          "dim", TextSize::Small);
  note->setWordWrap(true);
  all->addWidget(note);
  task_ = new QLineEdit;
  task_->setPlaceholderText(tr("What should be done from here?"));
  task_->setAccessibleName(tr("What should be done from here?"));
  all->addWidget(task_);
  auto* buttons = new QHBoxLayout;
  auto* cancel = make_button(tr("Cancel"), "quiet");
  auto* run = make_button(tr("Run"), "primary", "play", IconColour::OnAccent);
  buttons->addStretch();
  buttons->addWidget(cancel);
  buttons->addWidget(run);
  all->addLayout(buttons);
  connect(cancel, &QPushButton::clicked, this, &QWidget::hide);
  connect(run, &QPushButton::clicked, this, &BranchPanel::confirm);
  connect(task_, &QLineEdit::returnPressed, this, &BranchPanel::confirm);
  auto* leave = new QShortcut(Qt::Key_Escape, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
  connect(leave, &QShortcut::activated, this, &QWidget::hide);
}

void BranchPanel::ask(const QString& task, qint64 at_ms) {
  title_->setText(tr("A new session goes on from %1").arg(duration_text(static_cast<double>(at_ms) / 1000)));
  task_->setText(task.simplified());
  show();
  task_->setFocus();
  task_->setCursorPosition(0);  // its beginning says most
}

void BranchPanel::confirm() {
  if (task_->text().trimmed().isEmpty()) return;
  hide();
  Q_EMIT confirmed(task_->text().trimmed());
}

}  // namespace app
