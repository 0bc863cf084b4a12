#include "inference/ops/cpu/thread_pool.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace inference::ops {
namespace {

// About 30 µs: longer than the serial stretches between two regions of a layer, shorter than anybody minds when the
// machine has other work.
constexpr int kSpins = 2000;

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

constexpr std::uint32_t n_tasks_of(std::uint64_t ticket) {
  return static_cast<std::uint32_t>(ticket >> 32);
}
constexpr std::uint32_t next_of(std::uint64_t ticket) {
  return static_cast<std::uint32_t>(ticket);
}

}  // namespace

ThreadPool::ThreadPool(int n_threads) {
  for (int thread_idx = 1; thread_idx < n_threads; ++thread_idx) {
    workers_.emplace_back([this, thread_idx] { worker_loop(thread_idx); });
  }
}

ThreadPool::~ThreadPool() {
  stopping_ = true;
  ++region_;
  region_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_shared(std::uint32_t n_tasks, const void* task, Call call) {
  task_ = task;
  call_ = call;
  n_unfinished_.store(n_tasks, std::memory_order_relaxed);
  ticket_.store(std::uint64_t{n_tasks} << 32, std::memory_order_release);
  ++region_;
  if (n_sleeping_ > 0) region_.notify_all();
  work_on_tasks(0);
  for (int spin = 0; n_unfinished_.load(std::memory_order_acquire) != 0; ++spin) {
    // Past the spins the thread that holds the last task has probably lost its core: leave it ours.
    if (spin < kSpins) {
      relax();
    } else {
      std::this_thread::yield();
    }
  }
}

// Claims and does tasks until none is left; false when there was none.
bool ThreadPool::work_on_tasks(int thread_idx) {
  bool found = false;
  while (true) {
    std::uint64_t ticket = ticket_.load(std::memory_order_relaxed);
    if (next_of(ticket) >= n_tasks_of(ticket)) return found;
    ticket = ticket_.fetch_add(1, std::memory_order_acq_rel);
    if (next_of(ticket) >= n_tasks_of(ticket)) return found;
    found = true;
    call_(task_, next_of(ticket), thread_idx);
    n_unfinished_.fetch_sub(1, std::memory_order_release);
  }
}

void ThreadPool::worker_loop(int thread_idx) {
  while (!stopping_) {
    const std::uint32_t seen = region_;
    for (int spin = 0; spin < kSpins; ++spin) {
      if (work_on_tasks(thread_idx)) spin = 0;
      relax();
    }
    ++n_sleeping_;
    region_.wait(seen);
    --n_sleeping_;
  }
}

}  // namespace inference::ops
