#pragma once
// The user's hand on a private desktop: what mouse and keys do on its picture is done there.

#include <QObject>
#include <QPoint>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "tools/input_backend.h"

namespace app {

// Performs on a thread of its own, in order. Lets go of everything in the destructor.
class DesktopHand : public QObject {
  Q_OBJECT

 public:
  explicit DesktopHand(const QString& display, QObject* parent = nullptr);
  ~DesktopHand() override;

  void move_to(QPoint at_pt);  // of moves that wait only the last is done
  void change_button(int button, bool is_down);
  void change_key(quint32 keysym, bool is_down);

 Q_SIGNALS:
  void failed(const QString& why);

 private:
  void push(const tools::InputStep& step);
  void work(const std::stop_token& stop);

  std::string display_;
  std::mutex mutex_;
  std::condition_variable_any pushed_;
  std::deque<tools::InputStep> steps_;
  std::jthread thread_;  // last
};

}  // namespace app
