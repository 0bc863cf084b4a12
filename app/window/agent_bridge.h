#pragma once
// One session at work: the agent on a thread of its own, and the window that watches it, steers it and answers it. Only
// values cross: requests one way, queued signals the other.

#include <QObject>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "agent/agent.h"
#include "agent/model_watch.h"
#include "agent/workbench.h"
#include "app/window/pause_gate.h"
#include "app/window/session_item.h"
#include "tools/edit_choice.h"

namespace agent {
class Recorder;
}

namespace app {

struct SessionRequest {
  QString task;
  std::filesystem::path model_dir;
  std::string server = {};  // instead of it: "http://host:8000/v1#name"
  agent::WorkbenchOptions workbench;
  bool has_size = false;  // the private desktop's size was chosen; else the model's own is taken
  agent::Policy policy;
  agent::Limits limits;
  std::filesystem::path record;  // the database
  qint64 resume = 0;             // this session of the record goes on; 0: a new one
  qint64 branch_event = 0;       // not it, but a new one with its history until this event
  int show_ms = 350;             // so long an action on a desktop is shown before it happens
};

enum class RunState { Starting, Thinking, Acting, Asking, Paused, Idle, Ended };

// A call that is about to be carried out, with what is needed to draw it.
struct ComingCall {
  QString call_id, tool;
  QJsonObject arguments;  // points are pixels of a picture with this map
  capture::ScreenMap map;
};

struct ApprovalQuestion {
  QString tool;
  QJsonObject arguments;
  QString effect;            // name of the effect
  QString reason;            // why it is asked
  bool is_one_time = false;  // looks dangerous: no rule can answer it
  capture::ScreenMap map;
  QString target = {};   // what it would hit: a window by its title
  QString subject = {};  // what a lasting answer is for; empty: all of that effect
  QList<OriginNote> origins = {};
  std::vector<tools::FilePatch> hunks = {};  // of its edits, to choose from; empty: all or nothing
};

using ApprovalScope = agent::Approval::Memory;

class AgentBridge : public QObject {
  Q_OBJECT

 public:
  explicit AgentBridge(SessionRequest request, QObject* parent = nullptr);
  ~AgentBridge() override;  // stops, and waits until the agent has let go of everything

  // Ends the session without waiting for it: a model or a tool may take its time to stop. What it does is recorded to
  // the last; then ended() comes and the bridge goes by itself. For the program's end finish_all() waits for those that
  // are still at it.
  static void end(std::unique_ptr<AgentBridge> bridge);
  static void finish_all();

  void start();
  void say(const QString& task);  // the next task of the same session; only while Idle
  void stop();
  void pause();
  void resume();
  void allow(ApprovalScope scope);
  void allow_part(const tools::EditChoice& choice);  // of the hunks that were asked about, once
  void deny(const QString& reason);
  void answer(const std::optional<QString>& text);  // to a question; nothing: nobody is there
  void close();                                     // ends the session's desktop too; ended() follows

  RunState state() const { return state_; }
  bool is_paused() const { return is_paused_; }
  bool is_busy() const { return state_ != RunState::Idle && state_ != RunState::Ended; }
  qint64 session() const { return session_; }
  QString display() const { return display_; }
  bool is_started() const { return thread_.joinable(); }
  bool has_ended() const { return has_ended_; }  // nothing of it is left to wait for
  // What was signalled last, for views that come later.
  QString model_name() const { return model_name_; }
  const std::optional<agent::ModelStatus>& last_status() const { return last_status_; }
  const std::optional<ApprovalQuestion>& open_approval() const { return open_approval_; }
  const std::optional<QString>& open_question() const { return open_question_; }
  const SessionRequest& request() const { return request_; }

 Q_SIGNALS:
  void state_changed(app::RunState state);
  void progress(const QString& what);  // while it starts
  void model_known(const QString& name);
  void model_status(const agent::ModelStatus& status);
  void model_looked(const agent::BlockWeights& blocks, int turn);  // while it wrote this turn, see TurnCounter
  void session_began(qint64 session);
  void display_ready(const QString& display);
  void recorded();                                              // there is more in the record
  void live_text(const QString& thought, const QString& text);  // of the reply that is being written, so far
  void call_coming(const app::ComingCall& call);
  void call_over();
  void approval_wanted(const app::ApprovalQuestion& question);
  void question_asked(const QString& question);
  void finished(const QString& status, const QString& text);
  void failed(const QString& why);  // it could not start or go on
  void ended();                     // the thread has nothing left

 private:
  class Journal;
  // On the agent thread.
  void work(const std::stop_token& closing);
  std::unique_ptr<agent::Model> load_model(const std::stop_token& closing);
  void run_task(agent::Model& model, agent::Workbench& bench, agent::Recorder& recorder, const std::string& task);
  struct Beginning;
  Beginning begin(const agent::ModelInfo& model, agent::Workbench& bench, agent::Recorder& recorder,
                  const std::string& task);
  void on_event(const agent::AgentEvent& event);
  agent::Approval approve(const agent::ApprovalRequest& request, const std::stop_token& stop);
  std::optional<std::string> ask(const std::string& question, const std::stop_token& stop);
  void add_piece(const agent::ReplyPiece& piece);
  void note_recorded();
  template <typename Signal>
  void tell(Signal&& signal);  // runs it on the UI thread
  void become(RunState state);

  SessionRequest request_;
  RunState state_ = RunState::Starting;  // these: the UI thread's view
  bool has_ended_ = false;
  qint64 session_ = 0;
  QString display_, model_name_;
  std::optional<agent::ModelStatus> last_status_;
  std::optional<ApprovalQuestion> open_approval_;
  std::optional<QString> open_question_;

  PauseGate gate_;
  std::atomic<bool> is_paused_{false};
  capture::ScreenMap newest_map_;  // of the agent thread
  std::string instructions_;
  qint64 agent_session_ = 0;
  TurnCounter turns_;  // of the agent thread, in the record so far

  std::mutex mutex_;  // of what follows
  std::condition_variable_any changed_;
  std::stop_source stop_;  // of the task that runs
  std::optional<std::string> next_task_;
  std::optional<agent::Approval> approval_;
  std::optional<std::optional<std::string>> said_;
  QString thought_, text_;  // of the reply that is being written
  bool is_text_told_ = true, is_record_told_ = true;

  std::jthread thread_;  // last: it uses all of it
};

}  // namespace app

Q_DECLARE_METATYPE(agent::ModelStatus)
Q_DECLARE_METATYPE(agent::BlockWeights)
Q_DECLARE_METATYPE(app::RunState)
Q_DECLARE_METATYPE(app::ComingCall)
Q_DECLARE_METATYPE(app::ApprovalQuestion)
