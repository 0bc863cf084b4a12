#pragma once
// Before a new session goes on from a moment of an old one: with which words, and what will be different.

#include <QFrame>

class QLabel;
class QLineEdit;

namespace app {

class BranchPanel : public QFrame {
  Q_OBJECT

 public:
  explicit BranchPanel(QWidget* parent = nullptr);
  void ask(const QString& task, qint64 at_ms);  // shows itself

 Q_SIGNALS:
  void confirmed(const QString& task);

 private:
  void confirm();

  QLabel* title_;
  QLineEdit* task_;
};

}  // namespace app
