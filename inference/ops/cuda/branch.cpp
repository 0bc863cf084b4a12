#include "inference/ops/cuda/branch.h"

#include "inference/ops/cuda/gpu.h"

namespace inference::ops::cuda {

Branch::Branch(cudaStream_t main) : main_(main) {
  check(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking), "branch");
  check(cudaEventCreateWithFlags(&started_, cudaEventDisableTiming), "branch");
  check(cudaEventCreateWithFlags(&ended_, cudaEventDisableTiming), "branch");
}

Branch::~Branch() {
  cudaEventDestroy(started_);
  cudaEventDestroy(ended_);
  cudaStreamDestroy(side_);
}

void Branch::start() {
  check(cudaEventRecord(started_, main_), "branch");
  check(cudaStreamWaitEvent(side_, started_, 0), "branch");
}

void Branch::join() {
  check(cudaEventRecord(ended_, side_), "branch");
  check(cudaStreamWaitEvent(main_, ended_, 0), "branch");
}

}  // namespace inference::ops::cuda
