#include "inference/ops/cuda/recording.h"

#include "inference/ops/cuda/memory.h"

namespace inference::ops::cuda {
namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw Error(message("the GPU failed (", what, "): ", cudaGetErrorString(status), "; start the program again"));
}

class Recording final : public Repeated {
 public:
  explicit Recording(RecordingHooks hooks)
      : hooks_(std::move(hooks)), shift_(static_cast<int*>(allocate(hooks_.stream, sizeof(int)))) {}
  ~Recording() override {
    drop();
    release(hooks_.stream, shift_);
  }

  void run(std::int64_t position, std::uint64_t operands, const std::function<void()>& operations) override {
    const std::int64_t end = Replay{shift_}.end_of(position + 1);
    const bool is_known = operands == operands_ && end == end_ && hooks_.memory_version() == memory_version_;
    if (!is_known) {
      // The first time operations run as they are: they may allocate, which a recording can't.
      drop();
      set_shift(0);
      carry_out(operations);
      operands_ = operands;
      end_ = end;
      memory_version_ = hooks_.memory_version();
      return;
    }
    if (!is_recordable_) return operations();
    if (graph_ == nullptr || position < recorded_at_) record(position, operations);
    if (graph_ == nullptr) return operations();
    set_shift(static_cast<int>(position - recorded_at_));
    check(cudaGraphLaunch(graph_, hooks_.stream), "replay");
  }

 private:
  void set_shift(int shift) {
    check(cudaMemcpyAsync(shift_, &shift, sizeof(int), cudaMemcpyHostToDevice, hooks_.stream), "replay");
  }
  // Laid out as for a recording.
  void carry_out(const std::function<void()>& operations) {
    hooks_.begin(shift_);
    try {
      operations();
    } catch (...) {
      hooks_.end();
      throw;
    }
    is_recordable_ = hooks_.end();
  }
  void record(std::int64_t position, const std::function<void()>& operations) {
    drop();
    cudaGraph_t recorded = nullptr;
    check(cudaStreamBeginCapture(hooks_.stream, cudaStreamCaptureModeThreadLocal), "recording");
    try {
      carry_out(operations);
    } catch (...) {
      cudaStreamEndCapture(hooks_.stream, &recorded);
      cudaGraphDestroy(recorded);
      throw;
    }
    check(cudaStreamEndCapture(hooks_.stream, &recorded), "recording");
    const cudaError_t status = cudaGraphInstantiate(&graph_, recorded, 0);
    cudaGraphDestroy(recorded);
    check(status, "recording");
    recorded_at_ = position;
  }
  void drop() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
    graph_ = nullptr;
  }

  RecordingHooks hooks_;
  int* shift_;  // in the GPU's memory
  cudaGraphExec_t graph_ = nullptr;
  bool is_recordable_ = true;
  // What the graph, or the run before it is recorded, was laid out for.
  std::uint64_t operands_ = 0, memory_version_ = 0;
  std::int64_t recorded_at_ = 0, end_ = 0;
};

}  // namespace

std::unique_ptr<Repeated> make_recording(RecordingHooks hooks) {
  return std::make_unique<Recording>(std::move(hooks));
}

}  // namespace inference::ops::cuda
