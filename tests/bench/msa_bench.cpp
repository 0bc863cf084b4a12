// Attention of one MiniMax-M3 layer on the GPU, sparse and dense, on random keys: one line per workload, as
// "name context microseconds". Decode is replayed as the engine does it, from a graph. tests/bench/msa_bench.py runs it
// beside PyTorch and makes one table of both.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <random>
#include <vector>

#include "inference/number_formats.h"
#include "inference/ops/ops.h"

namespace {

using namespace inference;
using namespace inference::ops;

constexpr Heads kHeads = {64, 4, 128};
constexpr int kIndexDim = 128, kPageSize = 128;
constexpr Selection kSelection = {.block_size = kPageSize, .top_k_blocks = 16};
constexpr std::int64_t kChunk = 8192;  // tokens of a prefill call
constexpr double kFlushBytes = 256e6;  // of caches that decode rotates through: four times the L2
constexpr std::int64_t kLayerKeyBytes = 2 * 4 * 128 * 2, kIndexKeyBytes = kIndexDim * 2;

// Random activations in the GPU's memory.
struct Random {
  Random(Device& device, std::int64_t rows, std::int64_t cols, unsigned seed)
      : buffer(device, static_cast<std::size_t>(rows * cols) * 2), tensor{buffer.data(), rows, cols, DType::BF16} {
    // Tens of millions of them, of a million drawn: each round begins elsewhere, so no row comes twice.
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<std::uint16_t> drawn(1 << 20), values(static_cast<std::size_t>(rows * cols));
    for (std::uint16_t& value : drawn) value = float_to_bf16(normal(random));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = drawn[(i + i / drawn.size() * 7919) % drawn.size()];
    device.upload(buffer.data(), values.data(), values.size() * 2);
  }
  Buffer buffer;
  Tensor tensor;
};

// One layer's cache, full of random keys. Chunks take their rows from different places of the same random numbers.
class Cache {
 public:
  Cache(Device& device, std::int64_t n_tokens, const Random& keys, const Random& index_keys) : device_(device) {
    const std::int64_t n_pages = (n_tokens + kPageSize - 1) / kPageSize;
    const std::size_t n_summary_bytes = device.index_summary_bytes(kPageSize, kIndexDim, DType::BF16);
    for (std::int64_t i = 0; i < n_pages; ++i) {
      pages_.push_back(add(kPageSize * kLayerKeyBytes));
      index_pages_.push_back(add(kPageSize * kIndexKeyBytes + static_cast<std::int64_t>(n_summary_bytes)));
    }
    layer_ = {.pages = pages_,
              .index_pages = index_pages_,
              .dtype = DType::BF16,
              .page_size = kPageSize,
              .kv_heads = kHeads.kv_heads,
              .head_dim = kHeads.head_dim,
              .index_dim = kIndexDim,
              .has_index_summaries = n_summary_bytes > 0,
              .page_table = list_of(pages_),
              .index_page_table = list_of(index_pages_)};
    for (std::int64_t first = 0; first < n_tokens; first += kChunk) {
      const std::int64_t n = std::min(kChunk, n_tokens - first), from = first / kChunk * 37 % kChunk;
      device.store_kv(layer_, keys.tensor.slice(from, n), keys.tensor.slice(from + 11, n), first);
      device.store_index_k(layer_, index_keys.tensor.slice(from, n), first);
    }
  }
  const KvLayer& layer() const { return layer_; }

 private:
  void* add(std::int64_t n_bytes) {
    buffers_.emplace_back(device_, static_cast<std::size_t>(n_bytes));
    return buffers_.back().data();
  }
  void* const* list_of(const std::vector<void*>& pages) {
    void* list = add(static_cast<std::int64_t>(pages.size() * sizeof(void*)));
    device_.upload(list, pages.data(), pages.size() * sizeof(void*));
    return static_cast<void* const*>(list);
  }

  Device& device_;
  std::vector<Buffer> buffers_;
  std::vector<void*> pages_, index_pages_;
  KvLayer layer_;
};

class Bench {
 public:
  explicit Bench(Device& device)
      : device_(device),
        keys_(device, 2 * kChunk + 64, kHeads.kv_heads * kHeads.head_dim, 1),
        index_keys_(device, 2 * kChunk + 64, kIndexDim, 2),
        q_(device, kChunk, kHeads.q_heads * kHeads.head_dim, 3),
        index_q_(device, kChunk, kHeads.kv_heads * kIndexDim, 4),
        out_(device, kChunk, kHeads.q_heads * kHeads.head_dim, 5),
        ids_(device, static_cast<std::size_t>(kChunk * kHeads.kv_heads * kSelection.top_k_blocks) * 4) {}

  // One token after n - 1.
  void decode(std::int64_t n) {
    const double cache_bytes = static_cast<double>(n) * (kLayerKeyBytes + kIndexKeyBytes);
    const auto n_caches = static_cast<std::size_t>(std::clamp(kFlushBytes / cache_bytes * 9, 1.0, 32.0));
    std::vector<Cache> caches;
    for (std::size_t i = 0; i < n_caches; ++i) caches.emplace_back(device_, n, keys_, index_keys_);
    const int n_calls = n >= 500000 ? 24 : 96;
    std::size_t next = 0;
    const auto time_decode = [&](const std::function<void()>& call) {
      const std::unique_ptr<Repeated> repeated = device_.make_repeated();
      const auto all = [&] { repeated->run(n - 1, 0, [&] { repeat(n_calls, call); }); };
      return time(1, all) / n_calls;
    };
    const auto layer = [&]() -> const KvLayer& { return caches[next++ % n_caches].layer(); };
    const Tensor q = q_.tensor.slice(0, 1), index_q = index_q_.tensor.slice(0, 1), out = out_.tensor.slice(0, 1);
    const Tensor ids = ids_of(1);
    report("decode_select", n, time_decode([&] { device_.select_blocks(ids, index_q, layer(), kSelection, n - 1); }));
    report("decode_attend_blocks", n, time_decode([&] { device_.attend_blocks(out, q, ids, layer(), kHeads, n - 1); }));
    report("decode_msa", n, time_decode([&] {
             const KvLayer& l = layer();
             device_.select_and_attend(out, ids, q, index_q, l, kHeads, kSelection, n - 1);
           }));
    if (n > 200000) {
      report("decode_msa_by_keys", n, time_decode([&] {
               KvLayer l = layer();
               l.has_index_summaries = false;
               device_.select_and_attend(out, ids, q, index_q, l, kHeads, kSelection, n - 1);
             }));
    }
    report("decode_dense", n, time_decode([&] { device_.attend(out, q, layer(), kHeads, n - 1); }));
    if (n > 200000) return;
    // Attention of all 60 layers, 3 of them dense.
    const std::unique_ptr<Repeated> repeated = device_.make_repeated();
    report("decode_60_layers", n, time(1, [&] {
             repeated->run(n - 1, 0, [&] {
               repeat(3, [&] { device_.attend(out, q, layer(), kHeads, n - 1); });
               repeat(57, [&] {
                 const KvLayer& l = layer();
                 device_.select_and_attend(out, ids, q, index_q, l, kHeads, kSelection, n - 1);
               });
             });
           }));
  }

  // A chunk of tokens at the end of n.
  void prefill(std::int64_t n) {
    const Cache cache(device_, n, keys_, index_keys_);
    const std::int64_t chunk = std::min(n, kChunk), first = n - chunk;
    const Tensor ids = ids_of(chunk), q = q_.tensor.slice(0, chunk), index_q = index_q_.tensor.slice(0, chunk),
                 out = out_.tensor.slice(0, chunk);
    report("prefill_select", n,
           time(2, [&] { device_.select_blocks(ids, index_q, cache.layer(), kSelection, first); }));
    report("prefill_attend_blocks", n,
           time(2, [&] { device_.attend_blocks(out, q, ids, cache.layer(), kHeads, first); }));
    share_choices(ids, first);
    report("prefill_attend_shared_blocks", n,
           time(2, [&] { device_.attend_blocks(out, q, ids, cache.layer(), kHeads, first); }));
    prefill_whole(cache, n);
  }

  // All n tokens, chunk by chunk.
  void prefill_whole(const Cache& cache, std::int64_t n) {
    const std::int64_t chunk = std::min(n, kChunk);
    const Tensor ids = ids_of(chunk), q = q_.tensor.slice(0, chunk), index_q = index_q_.tensor.slice(0, chunk),
                 out = out_.tensor.slice(0, chunk);
    const auto msa = [&] {
      for (std::int64_t first = 0; first < n; first += chunk) {
        device_.select_blocks(ids, index_q, cache.layer(), kSelection, first);
        device_.attend_blocks(out, q, ids, cache.layer(), kHeads, first);
      }
    };
    const auto dense = [&] {
      for (std::int64_t first = 0; first < n; first += chunk) device_.attend(out, q, cache.layer(), kHeads, first);
    };
    report("prefill_msa_whole", n, time(1, msa, n > 200000 ? 3 : 10));
    if (n <= 200000) report("prefill_dense_whole", n, time(1, dense, 5));
  }

 private:
  Tensor ids_of(std::int64_t n_tokens) const {
    return {ids_.data(), n_tokens, std::int64_t{kHeads.kv_heads} * kSelection.top_k_blocks, DType::I32};
  }
  // The other extreme of random choices: 64 neighbouring tokens choose the same blocks, beside their own.
  void share_choices(Tensor ids, std::int64_t first_position) {
    std::mt19937 random(6);
    std::vector<std::int32_t> chosen;
    std::vector<std::int32_t> all(static_cast<std::size_t>(ids.rows * ids.cols), -1);
    for (std::int64_t row = 0; row < ids.rows * kHeads.kv_heads; ++row) {
      const auto own = static_cast<std::int32_t>((first_position + row / kHeads.kv_heads) / kPageSize);
      if (row % (64 * kHeads.kv_heads) == 0) {
        std::vector<std::int32_t> earlier(static_cast<std::size_t>(own));
        for (std::size_t i = 0; i < earlier.size(); ++i) earlier[i] = static_cast<std::int32_t>(i);
        chosen.clear();
        std::sample(earlier.begin(), earlier.end(), std::back_inserter(chosen), kSelection.top_k_blocks - 1, random);
      }
      std::vector<std::int32_t> mine = chosen;
      if (mine.empty() || mine.back() != own) mine.push_back(own);
      std::copy(mine.begin(), mine.end(), all.begin() + row * kSelection.top_k_blocks);
    }
    device_.upload(ids.data, all.data(), all.size() * sizeof(std::int32_t));
  }
  static void report(const char* name, std::int64_t context, double us) {
    std::printf("%s %lld %.2f\n", name, static_cast<long long>(context), us);
    std::fflush(stdout);
  }
  static void repeat(int n_calls, const std::function<void()>& call) {
    for (int i = 0; i < n_calls; ++i) call();
  }
  // Median microseconds per call, over batches of n_calls.
  double time(int n_calls, const std::function<void()>& call, int n_batches = 20) {
    std::vector<double> us;
    for (int batch = -3; batch < n_batches; ++batch) {
      wait();
      const auto start = std::chrono::steady_clock::now();
      repeat(n_calls, call);
      wait();
      if (batch < 0) continue;
      us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() /
                   n_calls);
    }
    std::nth_element(us.begin(), us.begin() + n_batches / 2, us.end());
    return us[us.size() / 2];
  }
  void wait() {
    std::uint32_t word = 0;
    device_.download(&word, ids_.data(), sizeof(word));
  }

  Device& device_;
  Random keys_, index_keys_, q_, index_q_, out_;
  Buffer ids_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "all";
  const std::int64_t longest = argc > 2 ? std::strtoll(argv[2], nullptr, 10) : INT64_MAX;
  std::string reason;
  const std::unique_ptr<Device> device = make_cuda_device(DType::BF16, 0, reason);
  if (device == nullptr) {
    std::fprintf(stderr, "msa_bench [all|decode|prefill [LONGEST]] needs a GPU: %s\n", reason.c_str());
    return 2;
  }
  std::printf("# %s\n", device->description().c_str());
  Bench bench(*device);
  for (const std::int64_t n : {2048, 8192, 32768, 131072, 524288, 1048576}) {
    if (part != "prefill" && n <= longest) bench.decode(n);
  }
  for (const std::int64_t n : {2048, 4096, 8192, 32768, 131072, 524288, 1048576}) {
    if (part != "decode" && n <= longest) bench.prefill(n);
  }
  return 0;
}
