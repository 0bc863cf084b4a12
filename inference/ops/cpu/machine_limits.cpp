#include "inference/ops/cpu/machine_limits.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "inference/ops/cpu/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/ops/cpu/machine_limits.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "inference/ops/cpu/dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace inference::ops::HWY_NAMESPACE {

float sum_floats(const float* data, std::size_t n) {
  const D d;
  V a = hn::Zero(d), b = a, c = a, e = a;
  for (std::size_t i = 0; i < n; i += 4 * kLanes) {
    prefetch(data + i + 1024, 4 * kLanes * sizeof(float));
    a = hn::Add(a, hn::LoadU(d, data + i));
    b = hn::Add(b, hn::LoadU(d, data + i + kLanes));
    c = hn::Add(c, hn::LoadU(d, data + i + 2 * kLanes));
    e = hn::Add(e, hn::LoadU(d, data + i + 3 * kLanes));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

// n rounds of twelve independent multiply-adds; returns the operations done.
double multiply_add(std::int64_t n) {
  const D d;
  V acc[12];
  for (V& a : acc) a = hn::Set(d, 1.0F);
  const V factor = hn::Set(d, 0.5F);
  for (std::int64_t i = 0; i < n; ++i) {
    for (V& a : acc) a = in_register(hn::MulAdd(a, factor, factor));
  }
  V sum = hn::Zero(d);
  for (const V& a : acc) sum = hn::Add(sum, a);
  return static_cast<double>(n) * 12 * 2 * kLanes * (hn::GetLane(sum) > 0 ? 1 : 0);
}

}  // namespace inference::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace inference::ops {

HWY_EXPORT(sum_floats);
HWY_EXPORT(multiply_add);

namespace {

template <typename F>
double best_seconds(const F& f) {
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

double measure_read_bandwidth(ThreadPool& pool) {
  constexpr std::size_t kFloatsPerTask = 1U << 20, kTasks = 128;  // 512 MiB
  // On pages of 2 MiB, as far as the kernel has some: the limit is memory, not address translation.
  constexpr std::size_t kBytes = kFloatsPerTask * kTasks * sizeof(float), kHugePage = std::size_t{2} << 20;
  void* memory = nullptr;
  if (posix_memalign(&memory, kHugePage, kBytes) != 0) throw Error(message("out of memory: ", kBytes, " bytes"));
  const std::unique_ptr<float, decltype(&std::free)> buffer(static_cast<float*>(memory), &std::free);
  ::madvise(memory, kBytes, MADV_HUGEPAGE);
  std::memset(memory, 0, kBytes);
  std::atomic<float> sink = 0;  // keeps the sums from being optimised away
  const double seconds = best_seconds([&] {
    pool.run(kTasks, [&](std::int64_t task, int) {
      sink = HWY_DYNAMIC_DISPATCH(sum_floats)(buffer.get() + static_cast<std::size_t>(task) * kFloatsPerTask,
                                              kFloatsPerTask);
    });
  });
  return static_cast<double>(kBytes) / seconds;
}

double measure_dot_rate(ThreadPool& pool) {
  constexpr std::int64_t kRounds = 1 << 20;
  const std::int64_t n_tasks = 8 * pool.n_threads();
  std::atomic<double> n_operations = 0;
  const double seconds = best_seconds([&] {
    pool.run(n_tasks, [&](std::int64_t, int) { n_operations = HWY_DYNAMIC_DISPATCH(multiply_add)(kRounds); });
  });
  return n_operations * static_cast<double>(n_tasks) / seconds;
}

}  // namespace inference::ops
#endif
