#pragma once
// How long the UI thread was busy with one thing, or waited for something.

#include <QApplication>
#include <QElapsedTimer>
#include <QThread>
#include <QTimer>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <fstream>
#include <functional>
#include <thread>

namespace app_test {

inline double clock_ms(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// Knows how much of its own processor time the UI thread needed for one event at most. That is its work alone, however
// busy the machine is.
class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;

  bool notify(QObject* receiver, QEvent* event) override {
    bool is_handled = false;
    const auto handle = [&] { is_handled = QApplication::notify(receiver, event); };
    QThread::currentThread() == thread() ? as_one_event(handle) : handle();
    return is_handled;
  }
  // Work that a test does by a call, and a user by an event.
  static void as_one_event(const std::function<void()>& work) {
    const bool is_whole = depth_++ == 0;
    const double start_ms = clock_ms(CLOCK_THREAD_CPUTIME_ID);
    work();
    if (is_whole) longest_ms_ = std::max(longest_ms_, clock_ms(CLOCK_THREAD_CPUTIME_ID) - start_ms);
    --depth_;
  }
  static double longest_event_ms() { return longest_ms_; }
  static void forget_events() { longest_ms_ = 0; }

 private:
  static inline int depth_ = 0;
  static inline double longest_ms_ = 0;
};

// The thread is asked to tick all the time: the longest silence counts, less the time in which the machine gave the
// processor to others.
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
    TimedApplication::forget_events();
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
