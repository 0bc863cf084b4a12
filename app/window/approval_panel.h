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

 Q_SIGNALS:
  void allowed(app::ApprovalScope scope);
  void denied(const QString& reason);

 private:
  QLabel* title_;
  QLabel* why_;
  QPlainTextEdit* exactly_;
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
