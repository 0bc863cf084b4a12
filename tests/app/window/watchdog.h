#pragma once
// How long the UI thread was busy with one thing, or waited for something: it is asked to tick all the time, and the
// longest silence counts, less the time in which the machine gave the processor to others.

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

namespace app_test {

class UiWatchdog {
 public:
  UiWatchdog() {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(kTick_ms);
    QObject::connect(&timer_, &QTimer::timeout, [this] {
      const qint64 deprived_ms = deprived_so_far_ms();
      longest_ms_ = std::max(longest_ms_, silence_.elapsed() - kTick_ms - (deprived_ms - deprived_ms_));
      deprived_ms_ = deprived_ms;
      silence_.restart();
    });
  }
  void start() {
    longest_ms_ = 0;
    machine_longest_ms_ = 0;
    deprived_ms_ = deprived_so_far_ms();
    silence_.start();
    timer_.start();
  }
  qint64 longest_ms() const { return longest_ms_; }
  // The longest silence of a thread that does nothing but tick: what the machine itself kept waiting meanwhile.
  qint64 machine_longest_ms() const { return machine_longest_ms_; }

 private:
  // Ready to run, but waiting for a processor: of this program's first thread, as the kernel counts it.
  static qint64 deprived_so_far_ms() {
    qint64 run_ns = 0, wait_ns = 0;
    std::ifstream("/proc/self/schedstat") >> run_ns >> wait_ns;
    return wait_ns / 1'000'000;
  }

  static constexpr int kTick_ms = 5;
  QTimer timer_;
  QElapsedTimer silence_;
  qint64 longest_ms_ = 0, deprived_ms_ = 0;
  std::atomic<qint64> machine_longest_ms_ = 0;
  std::jthread idler_{[this](const std::stop_token& stop) {
    QElapsedTimer silence;
    silence.start();
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kTick_ms));
      machine_longest_ms_ = std::max<qint64>(machine_longest_ms_, silence.restart() - kTick_ms);
    }
  }};
};

}  // namespace app_test
