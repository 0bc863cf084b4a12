#pragma once
// The task as a tree of steps, with what shows that each is done.

#include <QWidget>

#include "app/window/session_item.h"

class QLabel;
class QVBoxLayout;

namespace app {

class StepButton;

class PlanView : public QWidget {
  Q_OBJECT

 public:
  explicit PlanView(QWidget* parent = nullptr);
  void show_plan(const QList<PlanLine>& plan);

 Q_SIGNALS:
  void step_clicked(int step);

 private:
  QVBoxLayout* rows_;
  QList<StepButton*> steps_;
  QLabel* none_;
};

}  // namespace app
