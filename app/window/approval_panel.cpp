#include "app/window/approval_panel.h"

#include <QHBoxLayout>
#include <QJsonDocument>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QTextEdit>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/call_text.h"
#include "app/window/widgets.h"

namespace app {
namespace {

constexpr int kMostTextLines = 9;

QHBoxLayout* heading(QLabel* title, const char* icon_name, IconColour colour) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(new Mark(18, icon_name, colour), 0, Qt::AlignTop);
  title->setWordWrap(true);
  row->addWidget(title, 1);
  return row;
}

QString signed_lines(QString text, const QString& sign) {
  if (text.endsWith('\n')) text.chop(1);
  return sign + shown(text).replace('\n', "\n" + sign);
}

// Lines that go and lines that come have their colour.
void colour_changes(QPlainTextEdit& text) {
  QList<QTextEdit::ExtraSelection> selections;
  for (QTextBlock line = text.document()->begin(); line.isValid(); line = line.next()) {
    const bool comes = line.text().startsWith('+'), goes = line.text().startsWith('-');
    if (!comes && !goes) continue;
    QTextEdit::ExtraSelection selection;
    selection.cursor = QTextCursor(line);
    selection.format.setBackground(comes ? theme().good_soft : theme().bad_soft);
    selection.format.setProperty(QTextFormat::FullWidthSelection, true);
    selections.append(selection);
  }
  text.setExtraSelections(selections);
}

bool changes_a_file(const QString& tool) {
  return tool == "edit_file" || tool == "write_file" || tool == "apply_patch";
}

// Which parts were read where; those that a shell or the network would act on stand out.
QString origins_text(const QList<OriginNote>& origins) {
  QStringList lines;
  for (const OriginNote& origin : origins) {
    QString quote = shown(origin.quote.simplified());
    if (quote.size() > 160) quote = quote.left(159) + QChar(0x2026);
    const QString colour = (origin.is_active ? theme().bad : theme().text_dim).name();
    lines.append(
        ApprovalPanel::tr("%1 was read by %2")
            .arg(QString("<span style=\"color: %1; font-weight: 600;\">“%2”</span>").arg(colour, quote.toHtmlEscaped()),
                 shown(origin.source).toHtmlEscaped()));
  }
  return lines.join("<br>");
}

// The reasons are those of agent/permission.cpp and agent/consent.cpp; any other is the effect's own rule.
QString why_asked(const ApprovalQuestion& question) {
  const std::pair<const char*, QString> dangers[] = {
      {"it looks like it destroys", ApprovalPanel::tr("You are asked, because it looks as if it destroyed something.")},
      {"it looks like it touches credentials",
       ApprovalPanel::tr("You are asked, because it looks as if it touched passwords or keys.")},
      {"it looks like it spends money", ApprovalPanel::tr("You are asked, because it looks as if it spent money.")},
      {"it looks like it gains rights",
       ApprovalPanel::tr("You are asked, because it looks as if it took an administrator's rights.")},
      {"it types a secret", ApprovalPanel::tr("You are asked, because it types a secret.")}};
  for (const auto& [reason, words] : dangers) {
    if (question.reason == reason) return words;
  }
  for (const OriginNote& origin : question.origins) {
    if (!origin.is_active) continue;
    return ApprovalPanel::tr("You are asked each time, because a part of it was read by %1.").arg(shown(origin.source));
  }
  return ApprovalPanel::tr("You are asked, because it %1.").arg(effect_text(question.effect));
}

}  // namespace

QString exact_text(const ApprovalQuestion& question) {
  const QJsonObject& a = question.arguments;
  if (question.tool == "edit_file") {
    return shown(a["path"].toString()) + "\n" + signed_lines(a["old_text"].toString(), "- ") + "\n" +
           signed_lines(a["new_text"].toString(), "+ ");
  }
  if (question.tool == "write_file") {
    return shown(a["path"].toString()) + "\n" + signed_lines(a["content"].toString(), "+ ");
  }
  if (question.tool == "apply_patch") return shown(a["patch"].toString());
  if (question.tool == "shell") return shown(question.arguments["command"].toString());
  const QByteArray written = QJsonDocument(question.arguments).toJson(QJsonDocument::Indented).trimmed();
  return question.tool + " " + shown(QString::fromUtf8(written));
}

ApprovalPanel::ApprovalPanel(QWidget* parent) : QFrame(parent) {
  setProperty("role", "approval");
  setAccessibleName(tr("Question of consent"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(14, 12, 14, 12);
  all->setSpacing(8);
  title_ = make_label("", "title", TextSize::Body, QFont::DemiBold);
  all->addLayout(heading(title_, "shield", IconColour::Warn));
  why_ = make_label("", "dim", TextSize::Small);
  why_->setWordWrap(true);
  all->addWidget(why_);
  exactly_ = new QPlainTextEdit;
  exactly_->setReadOnly(true);
  exactly_->setFont(code_font());
  exactly_->setAccessibleName(tr("What exactly would be done"));
  exactly_->setTabChangesFocus(true);
  exactly_->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  all->addWidget(exactly_);
  hunks_ = make_label("", "", TextSize::Small);
  hunks_->setWordWrap(true);
  all->addWidget(hunks_);
  origins_ = make_label("", "", TextSize::Small);
  origins_->setWordWrap(true);
  origins_->setTextFormat(Qt::RichText);
  origins_->setAccessibleDescription(tr("Where parts of the command come from"));
  all->addWidget(origins_);
  reason_ = new QLineEdit;
  reason_->setPlaceholderText(tr("If not: why, or what instead? The model reads it."));
  reason_->setAccessibleName(tr("Reason for the model"));
  auto* refusal = new QHBoxLayout;
  refusal->setSpacing(6);
  refusal->addWidget(reason_, 1);
  auto* deny = make_button(tr("Deny"), "danger");
  refusal->addWidget(deny);
  all->addLayout(refusal);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(6);
  session_ = make_button(tr("For this session"));
  always_ = make_button(tr("Always"));
  once_ = make_button(tr("Allow once"), "primary");
  buttons->addStretch();
  for (QPushButton* button : {always_, session_, once_}) buttons->addWidget(button);
  all->addLayout(buttons);
  connect(deny, &QPushButton::clicked, this, [this] { Q_EMIT denied(reason_->text()); });
  connect(reason_, &QLineEdit::returnPressed, this, [this] { Q_EMIT denied(reason_->text()); });
  connect(once_, &QPushButton::clicked, this,
          [this] { is_part_ ? Q_EMIT part_allowed() : Q_EMIT allowed(ApprovalScope::Once); });
  connect(session_, &QPushButton::clicked, this, [this] { Q_EMIT allowed(ApprovalScope::Session); });
  connect(always_, &QPushButton::clicked, this, [this] { Q_EMIT allowed(ApprovalScope::Always); });
}

void ApprovalPanel::ask(const ApprovalQuestion& question) {
  title_->setText(tr("Allow this? %1").arg(call_title(question.tool, question.arguments)));
  title_->setAccessibleName(title_->text());
  const QString why = why_asked(question);
  why_->setText(question.target.isEmpty() ? why : why + "\n" + tr("It would hit: %1").arg(shown(question.target)));
  exactly_->setPlainText(exact_text(question));
  exactly_->setExtraSelections({});
  exactly_->setVisible(question.hunks.empty());
  hunks_->setVisible(!question.hunks.empty());
  origins_->setText(origins_text(question.origins));
  origins_->setVisible(!question.origins.isEmpty());
  if (changes_a_file(question.tool)) colour_changes(*exactly_);
  const int n_lines =
      std::clamp(static_cast<int>(exactly_->toPlainText().size()) / 44 + exactly_->blockCount(), 1, kMostTextLines);
  exactly_->setFixedHeight(n_lines * exactly_->fontMetrics().lineSpacing() + 26);
  session_->setVisible(!question.is_one_time);
  always_->setVisible(!question.is_one_time);
  const QString what = question.subject.isEmpty() ? effect_text(question.effect) : shown(question.subject);
  for (QPushButton* lasting : {session_, always_}) lasting->setToolTip(tr("Allows from now on: %1").arg(what));
  reason_->clear();
  int n_hunks = 0;
  for (const tools::FilePatch& file : question.hunks) n_hunks += static_cast<int>(file.hunks.size());
  set_choice(n_hunks, n_hunks);
}

void ApprovalPanel::set_choice(int n_taken, int n_hunks) {
  is_part_ = n_taken < n_hunks;
  once_->setText(is_part_ ? tr("Allow %1 of %2").arg(n_taken).arg(n_hunks) : tr("Allow once"));
  once_->setAccessibleName(once_->text());
  once_->setEnabled(n_taken > 0 || n_hunks == 0);
  session_->setEnabled(!is_part_);
  always_->setEnabled(!is_part_);
  hunks_->setText(tr("%n changes, shown at the left. Those that you untick are left out, and the model is told.",
                     nullptr, n_hunks));
}

QuestionPanel::QuestionPanel(QWidget* parent) : QFrame(parent) {
  setProperty("role", "question");
  setAccessibleName(tr("Question of the model"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(14, 12, 14, 12);
  all->setSpacing(8);
  question_ = make_label("", "title", TextSize::Body, QFont::DemiBold);
  all->addLayout(heading(question_, "help", IconColour::Accent));
  answer_ = new QLineEdit;
  answer_->setPlaceholderText(tr("Your answer"));
  answer_->setAccessibleName(tr("Your answer"));
  all->addWidget(answer_);
  auto* buttons = new QHBoxLayout;
  auto* skip = make_button(tr("No answer"), "quiet");
  auto* send = make_button(tr("Answer"), "primary");
  buttons->addStretch();
  buttons->addWidget(skip);
  buttons->addWidget(send);
  all->addLayout(buttons);
  connect(skip, &QPushButton::clicked, this, [this] { Q_EMIT answered(std::nullopt); });
  connect(send, &QPushButton::clicked, this, [this] { Q_EMIT answered(answer_->text()); });
  connect(answer_, &QLineEdit::returnPressed, this, [this] { Q_EMIT answered(answer_->text()); });
}

void QuestionPanel::ask(const QString& question) {
  question_->setText(shown(question));
  answer_->clear();
}

}  // namespace app
