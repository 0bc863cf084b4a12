#pragma once
// Waiting in the thread of the window.

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTimer>
#include <functional>

namespace app_test {

// Handles events until the condition holds; false: it didn't within the limit. Asleep between events: one that turns
// round instead (as processEvents() with a time does, whatever its flags) takes a processor away from what it waits
// for.
inline bool wait_until(const std::function<bool()>& condition, int limit_ms = 240000) {
  QTimer look_again;
  look_again.start(20);
  QElapsedTimer timer;
  timer.start();
  while (!condition() && timer.elapsed() < limit_ms) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
  return condition();
}

}  // namespace app_test
