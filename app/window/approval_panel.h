#pragma once
// Asks for consent beside the work, never in its way: what exactly would be done, why it is asked, and the answers.

#include <QFrame>

#include "app/window/agent_bridge.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace app {

class ApprovalPanel : public QFrame {
  Q_OBJECT

 public:
  explicit ApprovalPanel(QWidget* parent = nullptr);
  void ask(const ApprovalQuestion& question);
  // Of an edit that is chosen from hunk by hunk.
  void set_choice(int n_taken, int n_hunks);

 Q_SIGNALS:
  void allowed(app::ApprovalScope scope);
  void part_allowed();  // the hunks that are taken, once
  void denied(const QString& reason);

 private:
  QLabel* title_;
  QLabel* why_;
  QPlainTextEdit* exactly_;
  QLabel* origins_;
  QLabel* hunks_;
  bool is_part_ = false;
  QLineEdit* reason_;
  QPushButton* once_;
  QPushButton* session_;
  QPushButton* always_;
};

// A question of the model to the user.
class QuestionPanel : public QFrame {
  Q_OBJECT

 public:
  explicit QuestionPanel(QWidget* parent = nullptr);
  void ask(const QString& question);

 Q_SIGNALS:
  void answered(const std::optional<QString>& text);

 private:
  QLabel* question_;
  QLineEdit* answer_;
};

// What would be done, to the letter: invisible characters are shown as \u{…}.
QString exact_text(const ApprovalQuestion& question);

}  // namespace app
