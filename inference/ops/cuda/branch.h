#pragma once
// Work beside a stream's: what does not depend on the stream's next kernels. In a recording it becomes a branch of the
// graph.

#include <cuda_runtime.h>

namespace inference::ops::cuda {

class Branch {
 public:
  explicit Branch(cudaStream_t main);
  ~Branch();
  Branch(const Branch&) = delete;
  Branch& operator=(const Branch&) = delete;

  // What is put into stream() from now on starts when all that is in the main stream has ended. `join` must follow.
  void start();
  cudaStream_t stream() const { return side_; }
  // What is put into the main stream from now on starts when the branch has ended, too.
  void join();

 private:
  cudaStream_t main_, side_ = nullptr;
  cudaEvent_t started_ = nullptr, ended_ = nullptr;
};

}  // namespace inference::ops::cuda
