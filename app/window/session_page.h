#pragma once
// One session on the screen: its desktop, what it thinks and does, its plan, and the controls. The same page shows a
// session that runs and one of the record.

#include <QWidget>
#include <memory>

#include "app/window/agent_bridge.h"
#include "app/window/session_model.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QTabWidget;

namespace app {

class ApprovalPanel;
class Composer;
class ElidedLabel;
class ModelPage;
class PlanView;
class QuestionPanel;
class ScreenPane;
class SessionReader;
class TranscriptView;

class SessionPage : public QWidget {
  Q_OBJECT

 public:
  // Of a session that this program runs; the page owns it.
  explicit SessionPage(std::unique_ptr<AgentBridge> bridge, QWidget* parent = nullptr);
  // Of the record.
  SessionPage(std::filesystem::path record, qint64 session, const QString& task, QWidget* parent = nullptr);
  ~SessionPage() override;

  AgentBridge* bridge() const { return bridge_.get(); }
  qint64 session() const { return session_; }
  QString task() const { return task_; }
  SessionModel& model() { return model_; }
  ScreenPane& screen() { return *screen_; }
  void set_resumable(bool is_resumable);

 Q_SIGNALS:
  void state_changed();
  void resume_wanted();

 private:
  void build();
  QWidget* make_header();
  QWidget* make_side();
  QWidget* make_activity();
  void connect_bridge();
  void open_record(std::filesystem::path record, qint64 session);
  void on_state(RunState state);
  void ask_for_consent(const ApprovalQuestion& question);
  void ask_user(const QString& question);
  void take_wheel(bool is_taken);
  void show_notice(const QString& text);
  void show_plan();
  void show_ending();
  void add_export(QHBoxLayout* row);
  void export_to(const QString& form);
  void go_to_step(int step);
  void find(bool backwards);

  std::unique_ptr<AgentBridge> bridge_;
  std::filesystem::path record_;
  qint64 session_ = 0;
  QString task_;
  SessionModel model_;
  std::unique_ptr<SessionReader> reader_;

  ElidedLabel* title_ = nullptr;
  QLabel* state_label_ = nullptr;
  QLabel* state_icon_ = nullptr;
  QPushButton* stop_ = nullptr;
  QPushButton* pause_ = nullptr;
  QPushButton* wheel_ = nullptr;
  QPushButton* resume_ = nullptr;
  ScreenPane* screen_ = nullptr;
  ApprovalPanel* approval_ = nullptr;
  QuestionPanel* question_ = nullptr;
  QLabel* notice_ = nullptr;
  TranscriptView* transcript_ = nullptr;
  PlanView* plan_ = nullptr;
  ModelPage* mind_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QLineEdit* search_ = nullptr;
  Composer* follow_up_ = nullptr;
};

}  // namespace app
