#pragma once
// A few threads that share the tasks of one parallel region after another. A decoded token passes about ten regions per
// layer, so entering one must cost about a microsecond: workers spin for a while before they sleep, tasks are claimed
// by one atomic increment, and a worker that is late (the machine is busy) is never waited for unless it holds a task.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace inference::ops {

class ThreadPool {
 public:
  explicit ThreadPool(int n_threads);  // including the caller's
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int n_threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls task(task_idx, thread_idx) for 0 … n_tasks - 1 in any order and returns when all are done. Tasks don't throw.
  // One caller at a time; not from within a task.
  template <typename Task>
  void run(std::int64_t n_tasks, const Task& task) {
    if (n_tasks == 1 || workers_.empty()) {
      for (std::int64_t i = 0; i < n_tasks; ++i) task(i, 0);
      return;
    }
    if (n_tasks <= 0) return;
    run_shared(static_cast<std::uint32_t>(n_tasks), &task, [](const void* t, std::int64_t task_idx, int thread_idx) {
      (*static_cast<const Task*>(t))(task_idx, thread_idx);
    });
  }

 private:
  using Call = void (*)(const void* task, std::int64_t task_idx, int thread_idx);

  void run_shared(std::uint32_t n_tasks, const void* task, Call call);
  bool work_on_tasks(int thread_idx);
  void worker_loop(int thread_idx);

  // The region's number of tasks (high half) and the next unclaimed one (low half), so that one increment tells a
  // worker both. Whoever claims a task keeps the region, and with it task_ and call_, alive until the task is done.
  alignas(64) std::atomic<std::uint64_t> ticket_{0};
  alignas(64) std::atomic<std::uint32_t> n_unfinished_{0};
  const void* task_ = nullptr;
  Call call_ = nullptr;

  alignas(64) std::atomic<std::uint32_t> region_{0};  // counts regions; sleepers wait for it to change
  std::atomic<int> n_sleeping_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> workers_;
};

}  // namespace inference::ops
