#pragma once
// Where the agent thread waits while the user has paused it.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace app {

class PauseGate {
 public:
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  void open() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = false;
    }
    opened_.notify_all();
  }

  // Waits while the gate is closed. True when it was.
  bool pass(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!is_closed_) return false;
    opened_.wait(lock, stop, [this] { return !is_closed_; });
    return true;
  }
  // Waits so long, and on while the gate is closed.
  void linger(std::chrono::milliseconds time, const std::stop_token& stop) {
    {
      std::unique_lock lock(mutex_);
      opened_.wait_for(lock, stop, time, [] { return false; });
    }
    pass(stop);
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any opened_;
  bool is_closed_ = false;
};

}  // namespace app
