#pragma once
// The experts' networks, added up as the router weighs them: a few tokens' expert by expert, many tokens' sorted by
// expert into grouped products.

#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <span>

#include "inference/ops/cuda/branch.h"
#include "inference/ops/cuda/gemm.h"
#include "inference/ops/cuda/memory.h"
#include "inference/ops/cuda/moe.h"
#include "inference/ops/ops.h"

namespace inference::ops::cuda {

class Experts {
 public:
  Experts(cudaStream_t stream, bool is_hopper) : stream_(stream), is_hopper_(is_hopper) {}

  // Whether `mix` computes the shared expert, too: of a few tokens, if it is like the others.
  static bool takes_shared(Tensor x, std::span<const Ffn> experts, const Ffn& shared);
  // Starts a few tokens' shared expert beside what the stream does until `mix` of the same tokens, which must be the
  // next call; if mix takes the shared expert.
  void start_shared(Tensor x, std::int64_t top_k, std::span<const Ffn> experts, const Ffn& shared,
                    const Activation& activation, Scratch& inner);
  // `shared`: null, or what mix takes, or out holds its result and the others are added. `inner`: for what gate and up
  // give, free to use.
  void mix(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
           const Ffn* shared, const Activation& activation, Scratch& inner);
  // Of memory that may move when it grows.
  std::uint64_t n_bytes() const { return results_.n_bytes() + order_.n_bytes(); }

 private:
  // The experts' addresses on the GPU, looked up by the first one's.
  struct Tables {
    explicit Tables(cudaStream_t stream) : gate_up(stream), down(stream) {}
    MirroredList gate_up, down;
  };
  struct Pairs {
    const WeightPair *gate_up, *down;
  };
  static Tensor inner_of(Tensor x, std::int64_t n_pairs, std::span<const Ffn> experts, Scratch& memory);
  Pairs tables_of(std::span<const Ffn> experts, const Ffn* shared);
  void mix_few(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
               const Ffn* shared, const Activation& activation, Tensor inner);
  void mix_many(Tensor out, Tensor x, Tensor expert_ids, Tensor expert_weights, std::span<const Ffn> experts,
                const Ffn* shared, const Activation& activation, Tensor inner);
  ExpertOrder expert_order(std::int64_t n_pairs, std::int64_t n_experts, std::int64_t max_tiles);

  cudaStream_t stream_;
  bool is_hopper_;
  Branch branch_{stream_};
  bool shared_is_under_way_ = false;
  Scratch results_{stream_}, order_{stream_};
  std::map<const Ffn*, Tables> tables_;
};

}  // namespace inference::ops::cuda
