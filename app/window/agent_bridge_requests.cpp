// What the window asks of a session: on the UI thread, with answers by signals.

#include <QCoreApplication>

#include "app/window/agent_bridge.h"
#include "tools/output_excerpt.h"

namespace app {

void AgentBridge::say(const QString& task) {
  {
    const std::lock_guard lock(mutex_);
    next_task_ = task.toStdString();
  }
  become(RunState::Starting);
  changed_.notify_all();
}

void AgentBridge::stop() {
  {
    const std::lock_guard lock(mutex_);
    next_task_.reset();
    stop_.request_stop();
  }
  is_paused_ = false;
  gate_.open();
  if (state_ == RunState::Starting) {  // nothing has begun: what is being loaded ends by itself
    if (session_ == 0 && thread_.joinable()) thread_.request_stop();
    become(session_ == 0 ? RunState::Ended : RunState::Idle);
  }
}

void AgentBridge::pause() {
  is_paused_ = true;
  gate_.close();
  if (is_busy() && state_ != RunState::Asking) state_ = RunState::Paused;
  Q_EMIT state_changed(state_);
}

void AgentBridge::resume() {
  is_paused_ = false;
  gate_.open();
  if (state_ == RunState::Paused) state_ = RunState::Thinking;
  Q_EMIT state_changed(state_);
}

void AgentBridge::allow(ApprovalScope scope) {
  {
    const std::lock_guard lock(mutex_);
    approval_ = agent::Approval{true, "", scope};
  }
  changed_.notify_all();
}

void AgentBridge::allow_part(const tools::EditChoice& choice) {
  constexpr std::size_t kMostNote_bytes = 6000;
  {
    const std::lock_guard lock(mutex_);
    approval_ = agent::Approval{true, ""};
    approval_->instead = tools::ToolCall{"", "apply_patch", {{"patch", choice.taken}}};
    approval_->note = "\nThe user took " + std::to_string(choice.n_taken) + " changes of this edit and left out " +
                      std::to_string(choice.n_left_out) + ". Not made:\n" +
                      std::string(tools::utf8_prefix(choice.left_out, kMostNote_bytes));
  }
  changed_.notify_all();
}

void AgentBridge::deny(const QString& reason) {
  {
    const std::lock_guard lock(mutex_);
    approval_ = agent::Approval{false, reason.trimmed().toStdString()};
  }
  changed_.notify_all();
}

void AgentBridge::answer(const std::optional<QString>& text) {
  {
    const std::lock_guard lock(mutex_);
    said_.emplace(text ? std::optional(text->toStdString()) : std::nullopt);
  }
  changed_.notify_all();
}

void AgentBridge::close() {
  stop();
  if (thread_.joinable()) thread_.request_stop();
}

void AgentBridge::end(std::unique_ptr<AgentBridge> bridge) {
  bridge->close();
  if (!bridge->is_started() || bridge->has_ended()) return;
  AgentBridge* ending = bridge.release();
  ending->setParent(qApp);
  connect(ending, &AgentBridge::ended, ending, &QObject::deleteLater);
}

void AgentBridge::finish_all() {
  qDeleteAll(qApp->findChildren<AgentBridge*>(Qt::FindDirectChildrenOnly));
}

}  // namespace app
