#include "app/window/agent_bridge.h"

#include <QJsonDocument>

#include "agent/engine_model.h"
#include "agent/error.h"
#include "agent/recorder.h"
#include "agent/resumption.h"
#include "agent/rule_book.h"
#include "agent/screen_boxes.h"
#include "agent/session_journal.h"
#include "app/model_choice.h"
#include "app/window/model_page.h"
#include "app/window/patience.h"

namespace app {
namespace {

QJsonObject object_of(const nlohmann::json& json) {
  const std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
}

QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString without_boxes(const QString& text) {
  return text_of(agent::read_boxes(text.toStdString(), agent::Written::SoFar).text);
}

QList<OriginNote> notes_of(const std::vector<agent::Origin>& origins) {
  QList<OriginNote> notes;
  for (const agent::Origin& origin : origins) {
    notes.append({text_of(origin.quote), text_of(origin.source), origin.is_active});
  }
  return notes;
}

bool is_input(tools::Effect effect) {
  return effect == tools::Effect::InputPrivate || effect == tools::Effect::InputUser;
}

}  // namespace

// Keeps the record, and tells the window when there is more in it.
class AgentBridge::Journal final : public agent::Journal {
 public:
  Journal(AgentBridge& bridge, agent::Recorder& recorder, qint64 session) : bridge_(bridge), kept_(recorder, session) {}

  void message(const agent::Message& message) override {
    kept_.message(message);
    bridge_.turns_.add(std::holds_alternative<agent::ToolMessage>(message));
    const auto* user = std::get_if<agent::UserMessage>(&message);
    const auto* tool = std::get_if<agent::ToolMessage>(&message);
    const std::vector<agent::Picture>* pictures = user ? &user->pictures : tool ? &tool->pictures : nullptr;
    if (pictures != nullptr && !pictures->empty()) bridge_.newest_map_ = pictures->back()->screen_map;
    bridge_.note_recorded();
  }
  void usage(const agent::Usage& usage) override { kept_.usage(usage); }
  void plan(const agent::Plan& plan) override {
    kept_.plan(plan);
    bridge_.note_recorded();
  }
  void intent(const agent::Intent& intent) override {
    kept_.intent(intent);
    bridge_.note_recorded();
  }
  void outcome(const tools::ToolCall& call, const tools::ToolResult& result, double seconds) override {
    kept_.outcome(call, result, seconds);
    bridge_.note_recorded();
  }
  void finished(const agent::Outcome& outcome) override {
    kept_.finished(outcome);
    bridge_.note_recorded();
  }

 private:
  AgentBridge& bridge_;
  agent::SessionJournal kept_;
};

AgentBridge::AgentBridge(SessionRequest request, QObject* parent) : QObject(parent), request_(std::move(request)) {
  next_task_ = request_.task.toStdString();
}

AgentBridge::~AgentBridge() {
  close();
}

void AgentBridge::start() {
  thread_ = std::jthread([this](const std::stop_token& closing) { work(closing); });
}

template <typename Signal>
void AgentBridge::tell(Signal&& signal) {
  QMetaObject::invokeMethod(this, std::forward<Signal>(signal), Qt::QueuedConnection);
}

void AgentBridge::become(RunState state) {
  if (state != RunState::Asking) {
    open_approval_.reset();
    open_question_.reset();
  }
  if (state_ == state) return;
  state_ = state;
  Q_EMIT state_changed(state);
}

std::unique_ptr<agent::Model> AgentBridge::load_model(const std::stop_token& closing) {
  tell([this] {
    Q_EMIT progress(request_.server.empty() ? tr("Loading the model…") : tr("Asking the model's server…"));
  });
  agent::EngineModelOptions options;
  options.model_dir = request_.model_dir;
  options.watch.status = [this](const agent::ModelStatus& status) {
    tell([this, status] {
      last_status_ = status;
      Q_EMIT model_status(status);
      if (status.phase == agent::ModelStatus::Phase::Loading && status.total_bytes > 0) {
        Q_EMIT progress(loading_text(status));
      }
    });
  };
  options.watch.blocks = [this](const agent::BlockWeights& blocks) {
    tell([this, blocks, turn = turns_.n_turns()] { Q_EMIT model_looked(blocks, turn); });
  };
  auto model = request_.server.empty() ? agent::load_engine_model(options)
                                       : agent::open_remote_model(remote_options(request_.server, closing), closing);
  tell([this, name = text_of(model->info().name)] { Q_EMIT model_known(model_name_ = name); });
  if (!request_.has_size && model->info().screen_width_px > 0) {
    request_.workbench.width_px = model->info().screen_width_px;
    request_.workbench.height_px = model->info().screen_height_px;
  }
  return model;
}

void AgentBridge::work(const std::stop_token& closing) {
  be_patient();
  try {
    const std::unique_ptr<agent::Model> model = load_model(closing);
    tell([this] { Q_EMIT progress(tr("Opening the desktop…")); });
    agent::Workbench bench(request_.workbench);
    bench.enable_second_look(closer_picture(model->info()));
    bench.on_panic([this] {
      const std::lock_guard lock(mutex_);
      stop_.request_stop();
    });
    if (bench.has_desktop()) {
      const std::string display =
          bench.private_desktop() != nullptr ? bench.private_desktop()->display() : qgetenv("DISPLAY").toStdString();
      tell([this, display] { Q_EMIT display_ready(display_ = text_of(display)); });
    }
    const std::unique_ptr<agent::Recorder> recorder = agent::Recorder::open(request_.record);
    instructions_ = instructions_for(model->info());
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, closing, [this] { return next_task_.has_value(); })) {
      const std::string task = *std::exchange(next_task_, std::nullopt);
      stop_ = std::stop_source();
      lock.unlock();
      run_task(*model, bench, *recorder, task);
      lock.lock();
    }
  } catch (const std::exception& error) {
    tell([this, why = text_of(error.what())] { Q_EMIT failed(why); });
  }
  tell([this] {
    has_ended_ = true;
    become(RunState::Ended);
    Q_EMIT ended();
  });
}

// How a task begins: in a new session, one that goes on, or in the same after another.
struct AgentBridge::Beginning {
  agent::Transcript transcript;
  std::string words;
  std::optional<agent::Plan> plan = {};  // of a session that goes on
};

AgentBridge::Beginning AgentBridge::begin(const agent::ModelInfo& model, agent::Workbench& bench,
                                          agent::Recorder& recorder, const std::string& task) {
  if (agent_session_ != 0) return {recorder.resume_session(agent_session_).transcript, task};
  if (request_.resume == 0) {
    agent_session_ = recorder.begin_session({.task = task,
                                             .model = model.name,
                                             .desktop = bench.private_desktop() != nullptr ? "private"
                                                        : bench.has_desktop()              ? "mine"
                                                                                           : "none",
                                             .workspace = bench.workspace().string(),
                                             .instructions = instructions_});
    return {agent::Transcript(instructions_), task};
  }
  const bool is_branch = request_.branch_event != 0;
  const std::string old_task = recorder.session(request_.resume).info.task;
  agent_session_ = is_branch ? recorder.branch_session(request_.resume, request_.branch_event, task) : request_.resume;
  agent::LoadedTranscript loaded = recorder.resume_session(agent_session_);
  const std::string words =
      agent::words_to_go_on(model, {.old_task = old_task,
                                    .new_words = is_branch ? task : "",
                                    .what_happened = is_branch ? "The conversation is taken up again at this point."
                                                               : "The session was interrupted and goes on now.",
                                    .has_new_desktop = bench.private_desktop() != nullptr});
  // Other words are another task: the old one's plan is history then.
  if (is_branch && task != old_task) return {std::move(loaded.transcript), words};
  return {std::move(loaded.transcript), words, agent::newest_plan(recorder, agent_session_)};
}

void AgentBridge::run_task(agent::Model& model, agent::Workbench& bench, agent::Recorder& recorder,
                           const std::string& task) {
  Beginning beginning = begin(model.info(), bench, recorder, task);
  turns_ = {};
  for (const agent::Message& message : beginning.transcript.messages()) {
    turns_.add(std::holds_alternative<agent::ToolMessage>(message));
  }
  bench.begin_session(agent_session_);
  tell([this, id = agent_session_] {
    session_ = id;
    Q_EMIT session_began(id);
    become(is_paused_ ? RunState::Paused : RunState::Thinking);
  });
  Journal journal(*this, recorder, agent_session_);
  agent::RuleBook rules(agent::RuleBook::default_path());
  agent::Policy policy = request_.policy;
  policy.remembered.insert(policy.remembered.end(), rules.rules().begin(), rules.rules().end());
  agent::Agent worker(
      {model, bench.tools(), journal, policy,
       [this](const agent::ApprovalRequest& request, const std::stop_token& stop) { return approve(request, stop); },
       [this](const std::string& question, const std::stop_token& stop) { return ask(question, stop); },
       [this](const agent::AgentEvent& event) { on_event(event); }, request_.limits, bench.has_desktop(),
       [&bench](const tools::ToolCall& call, const capture::Frame& shown, const std::stop_token& stop) {
         return bench.second_look(call, shown, stop);
       },
       [&rules](const agent::Rule& rule) { rules.remember(rule); }},
      std::move(beginning.transcript));
  const agent::Outcome outcome = beginning.plan
                                     ? worker.resume(beginning.words, std::move(*beginning.plan), stop_.get_token())
                                     : worker.run(beginning.words, stop_.get_token());
  tell([this, status = text_of(name_of(outcome.ending)), text = text_of(outcome.text)] {
    if (state_ != RunState::Ended) become(RunState::Idle);
    Q_EMIT finished(status, text);
  });
}

// The agent waits here while it is paused: between pieces of a reply, before a call, after one.
void AgentBridge::on_event(const agent::AgentEvent& event) {
  const std::stop_token stop = stop_.get_token();
  gate_.pass(stop);
  if (const auto* piece = std::get_if<agent::ReplyPiece>(&event)) return add_piece(*piece);
  if (const auto* started = std::get_if<agent::CallStarted>(&event)) {
    const ComingCall call = {text_of(started->call.id), text_of(started->call.name), object_of(started->call.arguments),
                             newest_map_};
    tell([this, call] {
      if (!is_paused_) become(RunState::Acting);
      Q_EMIT call_coming(call);
    });
    if (is_input(started->effect)) gate_.linger(std::chrono::milliseconds(request_.show_ms), stop);
  } else if (std::holds_alternative<agent::CallFinished>(event)) {
    tell([this] {
      if (!is_paused_) become(RunState::Thinking);
      Q_EMIT call_over();
    });
  } else if (std::holds_alternative<agent::ReplyEvent>(event)) {
    {
      const std::lock_guard lock(mutex_);
      thought_.clear();
      text_.clear();
    }
    tell([this] { Q_EMIT live_text({}, {}); });
  }
}

void AgentBridge::add_piece(const agent::ReplyPiece& piece) {
  {
    const std::lock_guard lock(mutex_);
    (piece.kind == agent::ReplyPiece::Kind::Thought ? thought_ : text_) += text_of(piece.text);
    if (!std::exchange(is_text_told_, false)) return;
  }
  tell([this] {
    std::unique_lock lock(mutex_);
    is_text_told_ = true;
    const QString thought = thought_, text = text_;
    lock.unlock();
    Q_EMIT live_text(without_boxes(thought), without_boxes(text));
  });
}

void AgentBridge::note_recorded() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_record_told_, false)) return;
  }
  tell([this] {
    {
      const std::lock_guard lock(mutex_);
      is_record_told_ = true;
    }
    Q_EMIT recorded();
  });
}

agent::Approval AgentBridge::approve(const agent::ApprovalRequest& request, const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    approval_.reset();
  }
  const ApprovalQuestion question = {
      text_of(request.call.name),    object_of(request.call.arguments), text_of(agent::name_of(request.effect)),
      text_of(request.reason),       request.rule.name.empty(),         newest_map_,
      text_of(request.target),       text_of(request.rule.subject),     notes_of(request.origins),
      tools::hunks_of(request.edits)};
  tell([this, question] {
    open_approval_ = question;
    become(RunState::Asking);
    Q_EMIT approval_wanted(question);
  });
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [this] { return approval_.has_value(); })) return {false, "the user stopped it"};
  agent::Approval answer = *std::exchange(approval_, std::nullopt);
  lock.unlock();
  if (answer.instead) answer.instead->id = request.call.id;
  tell([this] { become(is_paused_ ? RunState::Paused : RunState::Thinking); });
  return answer;
}

std::optional<std::string> AgentBridge::ask(const std::string& question, const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    said_.reset();
  }
  tell([this, text = text_of(question)] {
    open_question_ = text;
    become(RunState::Asking);
    Q_EMIT question_asked(text);
  });
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [this] { return said_.has_value(); })) return std::nullopt;
  std::optional<std::string> said = *std::exchange(said_, std::nullopt);
  lock.unlock();
  tell([this] { become(is_paused_ ? RunState::Paused : RunState::Thinking); });
  return said;
}

}  // namespace app
