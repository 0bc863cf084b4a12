#include "app/window/desktop_hand.h"

#include "tools/x11_input.h"

namespace app {

DesktopHand::DesktopHand(const QString& display, QObject* parent) : QObject(parent), display_(display.toStdString()) {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    try {
      work(stop);
    } catch (const std::exception& error) {
      Q_EMIT failed(QString::fromUtf8(error.what()));
    }
  });
}

DesktopHand::~DesktopHand() = default;

void DesktopHand::push(const tools::InputStep& step) {
  {
    const std::lock_guard lock(mutex_);
    const bool is_move = std::holds_alternative<tools::MoveTo>(step);
    if (is_move && !steps_.empty() && std::holds_alternative<tools::MoveTo>(steps_.back())) steps_.pop_back();
    steps_.push_back(step);
  }
  pushed_.notify_all();
}

void DesktopHand::move_to(QPoint at_pt) {
  push(tools::MoveTo{at_pt.x(), at_pt.y()});
}
void DesktopHand::change_button(int button, bool is_down) {
  push(tools::ButtonChange{button, is_down});
}
void DesktopHand::change_key(quint32 keysym, bool is_down) {
  push(tools::KeyChange{keysym, is_down});
}

void DesktopHand::work(const std::stop_token& stop) {
  const auto input = tools::X11Input::open({.display = display_});
  while (true) {
    std::vector<tools::InputStep> steps;
    {
      std::unique_lock lock(mutex_);
      if (!pushed_.wait(lock, stop, [this] { return !steps_.empty(); })) break;
      steps.assign(steps_.begin(), steps_.end());
      steps_.clear();
    }
    const tools::InputOutcome outcome = input->perform(steps, stop);
    if (outcome.ending == tools::InputOutcome::Ending::Failed) Q_EMIT failed(QString::fromStdString(outcome.message));
  }
  input->release_all();
}

}  // namespace app
