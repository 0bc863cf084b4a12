#pragma once
// What works on this machine, as `deskhand doctor` finds it: run beside the window, shown as a list.

#include <QByteArray>
#include <QList>
#include <QProcess>
#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace app {

class MachineCheck : public QWidget {
  Q_OBJECT

 public:
  explicit MachineCheck(QWidget* parent = nullptr);
  ~MachineCheck() override;  // a check that runs is ended
  void run();
  // What the doctor writes with --json.
  void show_report(const QByteArray& report);

 Q_SIGNALS:
  void finished(bool is_usable);

 private:
  void clear();
  void align_names();
  void add_finding(const QString& name, const QString& state, const QString& what, const QString& remedy);

  QProcess doctor_;
  QLabel* summary_;
  QPushButton* details_;
  QWidget* list_;
  QVBoxLayout* rows_;
  QList<QLabel*> names_;  // of the findings
};

}  // namespace app
