#pragma once
// What this machine can do at most, measured, to judge the kernels by.

#include "inference/ops/cpu/thread_pool.h"

namespace inference::ops {

// Bytes per second that all threads together read from memory (a buffer far larger than the caches); best of several.
double measure_read_bandwidth(ThreadPool& pool);

// fp32 operations per second (a multiplication and an addition are two) of all threads on values in registers.
double measure_dot_rate(ThreadPool& pool);

}  // namespace inference::ops
