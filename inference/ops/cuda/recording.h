#pragma once
// A token's operations recorded as a CUDA graph and replayed at later positions.
//
// Kernels that know positions take them as recorded, and a pointer to how far the replay has moved on: null outside
// recordings. What must be fixed when recording (numbers of CTAs, the division of keys among them) is laid out for
// the last position of the recording's range.

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "inference/ops/ops.h"

namespace inference::ops::cuda {

struct Replay {
  const int* shift = nullptr;  // in the GPU's memory
  // The number of positions that the last replay sees where the recorded token sees n.
  std::int64_t end_of(std::int64_t n) const {
    constexpr std::int64_t kRange = 1024;
    return shift == nullptr ? n : (n + kRange - 1) / kRange * kRange;
  }
};

// What a recording needs of its device.
struct RecordingHooks {
  cudaStream_t stream = nullptr;
  std::function<std::uint64_t()> memory_version;  // changes when kernels' own memory moves
  std::function<void(const int* shift)> begin;    // operations called from now on are laid out for replays
  std::function<bool()> end;                      // whether all of them can be replayed
};

std::unique_ptr<Repeated> make_recording(RecordingHooks hooks);

}  // namespace inference::ops::cuda
