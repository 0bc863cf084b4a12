#pragma once
// One session on the screen: its desktop, what it thinks and does, its plan, and the controls. The same page shows a
// session that runs and one of the record.

#include <QWidget>
#include <memory>

#include "agent/session_part.h"
#include "app/window/agent_bridge.h"
#include "app/window/session_model.h"
#include "app/window/transcript_view.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTabWidget;

namespace app {

class ApprovalPanel;
class BranchPanel;
class Composer;
class EditReview;
class ElidedLabel;
class Mark;
class ModelPage;
class PlanView;
class QuestionPanel;
class ScreenPane;
class SessionReader;

class SessionPage : public QWidget {
  Q_OBJECT

 public:
  // Of a session that this program runs; the page owns it, and ends it when it goes, without waiting for that.
  explicit SessionPage(std::unique_ptr<AgentBridge> bridge, QWidget* parent = nullptr);
  // Of the record.
  SessionPage(std::filesystem::path record, qint64 session, const QString& task, QWidget* parent = nullptr);
  ~SessionPage() override;

  // Of a page that goes, while its session goes on in another one.
  std::unique_ptr<AgentBridge> take_bridge();
  AgentBridge* bridge() const { return bridge_.get(); }
  qint64 session() const { return session_; }
  QString task() const { return task_; }
  SessionModel& model() { return model_; }
  ScreenPane& screen() { return *screen_; }
  void set_resumable(bool is_resumable);
  void take_focus();  // not as a focus proxy: Tab would go from it straight to the transcript, over all before it
  void ask_for_consent(const ApprovalQuestion& question);
  void ask_to_close();  // of a session at work

 Q_SIGNALS:
  void close_wanted();
  void state_changed();
  void resume_wanted();
  void branch_wanted(qint64 last_event, const QString& task);  // in a new session, with the history until then

 private:
  void build();
  QWidget* make_header();
  QWidget* make_left(QWidget* parent);
  QWidget* make_side(QWidget* parent);
  void fill_activity(QWidget* activity);
  void connect_bridge();
  void catch_up();
  void open_record(std::filesystem::path record, qint64 session);
  void on_state(RunState state);
  void ask_user(const QString& question);
  void take_wheel(bool is_taken);
  void show_notice(const QString& text);
  void show_plan();
  void show_ending();
  void add_export(QHBoxLayout* row);
  void add_close(QHBoxLayout* row);
  void export_to(const QString& form, const agent::SessionPart& part);
  void export_cut(const QString& form);
  void ask_to_branch(int row);
  void open_row(int row);
  void go_to_step(int step);
  void show_moment(int row);
  void find(TranscriptView::Seek seek);

  std::unique_ptr<AgentBridge> bridge_;
  std::filesystem::path record_;
  qint64 session_ = 0;
  QString task_;
  SessionModel model_;
  std::unique_ptr<SessionReader> reader_;

  ElidedLabel* title_ = nullptr;
  QLabel* state_label_ = nullptr;
  Mark* state_icon_ = nullptr;
  QPushButton* stop_ = nullptr;
  QPushButton* pause_ = nullptr;
  QPushButton* wheel_ = nullptr;
  QPushButton* resume_ = nullptr;
  QStackedWidget* left_ = nullptr;  // the screen, or changes of files
  ScreenPane* screen_ = nullptr;
  EditReview* review_ = nullptr;
  ApprovalPanel* approval_ = nullptr;
  QuestionPanel* question_ = nullptr;
  BranchPanel* branch_ = nullptr;
  qint64 branch_event_ = 0;
  QLabel* notice_ = nullptr;
  TranscriptView* transcript_ = nullptr;
  PlanView* plan_ = nullptr;
  ModelPage* mind_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QLineEdit* search_ = nullptr;
  Composer* follow_up_ = nullptr;
};

}  // namespace app
