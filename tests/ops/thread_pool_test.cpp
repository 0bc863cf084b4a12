#include "inference/ops/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <vector>

namespace inference::ops {
namespace {

TEST(ThreadPool, every_task_runs_once_in_every_region) {
  for (const int n_threads : {1, 2, 7}) {  // 7: more than most test machines have cores
    ThreadPool pool(n_threads);
    for (int region = 0; region < 3000; ++region) {
      const std::int64_t n_tasks = region % 13;
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(n_tasks));
      pool.run(n_tasks, [&](std::int64_t task_idx, int thread_idx) {
        ++runs[static_cast<std::size_t>(task_idx)];
        ASSERT_LT(thread_idx, n_threads);
      });
      for (const std::atomic<int>& n : runs) ASSERT_EQ(n, 1) << "region " << region;
    }
  }
}

TEST(ThreadPool, workers_that_went_to_sleep_wake_for_the_next_region) {
  ThreadPool pool(2);
  for (int region = 0; region < 20; ++region) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // far beyond the spin time
    // Both tasks wait for each other, so this returns only if a second thread takes part.
    std::atomic<int> n_arrived = 0;
    pool.run(2, [&](std::int64_t, int) {
      ++n_arrived;
      while (n_arrived < 2) std::this_thread::yield();
    });
    EXPECT_EQ(n_arrived, 2);
  }
}

TEST(ThreadPool, what_a_region_wrote_is_seen_by_the_next) {
  ThreadPool pool(3);
  std::vector<int> values(100, 0);
  for (int region = 1; region <= 2000; ++region) {
    pool.run(100, [&](std::int64_t task_idx, int) { ++values[static_cast<std::size_t>(task_idx)]; });
    for (const int value : values) ASSERT_EQ(value, region);
  }
}

}  // namespace
}  // namespace inference::ops
