#pragma once
// The task as a tree of steps, with what shows that each is done.

#include <QWidget>

#include "app/window/session_item.h"

class QVBoxLayout;

namespace app {

class PlanView : public QWidget {
  Q_OBJECT

 public:
  explicit PlanView(QWidget* parent = nullptr);
  void show_plan(const QList<PlanLine>& plan);

 Q_SIGNALS:
  void step_clicked(int step);

 private:
  void fill();

  QList<PlanLine> plan_;
  QVBoxLayout* rows_;
};

}  // namespace app
