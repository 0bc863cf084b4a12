// How fast the engine is, against what the machine can do and against the same model forced to dense attention.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <sstream>
#include <thread>

#include "inference/check.h"
#include "inference/engine.h"
#include "inference/ops/cpu/machine_limits.h"
#include "inference/programs/support/arguments.h"
#include "inference/programs/support/image_file.h"
#include "inference/weights.h"

namespace {

using namespace inference;
using namespace inference::programs;

constexpr const char* kUsage =
    "Usage: m3_bench MODEL_DIR [options]\n"
    "\n"
    "Measures prefill and decode at several context lengths on pseudo-random token ids (no tokenizer needed), with\n"
    "decode's share of the memory read bandwidth and prefill's share of the fp32 multiply-add rate, both measured in\n"
    "the same run; on a GPU, with the bandwidth and rate that were reached.\n"
    "\n"
    "  --contexts 16,512,…   tokens in the session before decoding (default 16,512,4096,8192,16384)\n"
    "  --decode N            decoded tokens, of which the median counts (default 33, the first is left out)\n"
    "  --dense               also the same model with every layer forced to dense attention\n"
    "  --screen FILE.png     instead: from a new picture to the end of the model's answer, which is printed too\n"
    "  --ask TEXT            what comes around the picture, with special tokens (default: nano's form of a click)\n"
    "  --prefill-chunk N     tokens per forward pass (default 512)\n"
    "  --device auto|cpu|cuda  where (default cpu)\n"
    "  --threads N           CPU threads (default: one per core)\n";

double bytes_of(const Matrix& w) {
  const auto n = static_cast<double>(w.rows) * static_cast<double>(w.cols);
  return n * static_cast<double>(element_bytes(w.dtype)) + (w.scales != nullptr ? n / kMxGroup : 0);
}

double size_of(const Matrix& w) {
  return static_cast<double>(w.rows) * static_cast<double>(w.cols);
}

// Σ measure(matrix) over the weights that one token passes, without embedding and head.
template <typename Measure>
double over_active_weights(const Weights& weights, const TextConfig& text, SparseAttention mode,
                           const Measure& measure) {
  double sum = 0;
  const auto add_ffn = [&](const ops::Ffn& ffn, double times) {
    sum += times * (measure(ffn.gate) + measure(ffn.up) + measure(ffn.down));
  };
  for (const LayerWeights& layer : weights.layers) {
    const AttentionWeights& a = layer.attention;
    sum += measure(a.q) + measure(a.k) + measure(a.v) + measure(a.o);
    if (layer.is_sparse && mode == SparseAttention::AsTrained) sum += measure(a.index_q) + measure(a.index_k);
    if (layer.is_moe) {
      sum += measure(layer.router);
      add_ffn(layer.experts[0], text.top_k_experts);
    }
    if (!layer.is_moe || text.shared_dim > 0) add_ffn(layer.ffn, 1);
  }
  return sum;
}

// The model as the measurements need it: what each token must read and compute.
struct Costs {
  const TextConfig& text;
  const Weights& weights;
  SparseAttention mode;
  double cache_element_bytes;

  // Keys that a token at `position` attends to in a layer.
  double attended(std::size_t layer_idx, double position) const {
    const double visible = position + 1;
    if (!is_sparse(layer_idx)) return visible;
    return std::min(visible, static_cast<double>(text.top_k_blocks) * text.block_size);
  }
  bool is_sparse(std::size_t layer_idx) const {
    return mode == SparseAttention::AsTrained && weights.layers[layer_idx].is_sparse;
  }
  // That decoding a token at `position` must read.
  double decode_bytes(double position) const {
    double bytes = over_active_weights(weights, text, mode, bytes_of) + bytes_of(weights.lm_head);
    for (std::size_t i = 0; i < weights.layers.size(); ++i) {
      bytes += attended(i, position) * 2 * text.kv_heads * text.head_dim * cache_element_bytes;
      if (is_sparse(i)) bytes += (position + 1) * text.index_dim * cache_element_bytes;
    }
    return bytes;
  }
  // fp32 operations that prefilling n_tokens takes.
  double prefill_operations(std::int64_t n_tokens) const {
    double operations = 2 * static_cast<double>(n_tokens) * over_active_weights(weights, text, mode, size_of);
    operations += 2 * size_of(weights.lm_head);
    for (std::size_t i = 0; i < weights.layers.size(); ++i) {
      for (std::int64_t p = 0; p < n_tokens; ++p) {
        operations += attended(i, static_cast<double>(p)) * 4 * text.q_heads * text.head_dim;
        if (is_sparse(i)) operations += static_cast<double>(p + 1) * 2 * text.kv_heads * text.index_dim;
      }
    }
    return operations;
  }
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Speed {
  double prefill = 0, decode = 0;  // tokens per second
};

Speed measure(const Engine& engine, std::int64_t context, std::int64_t n_decode) {
  Session session = engine.new_session(context + n_decode + 1);
  Prompt prompt;
  const auto vocab_size = static_cast<std::int64_t>(engine.config().text.vocab_size);
  for (std::int64_t i = 0; i < context; ++i) {
    // A walk through the ids that takes no placeholder of pictures.
    std::int64_t id = (300 + i * 7919 % 3000) % vocab_size;
    while (id == engine.config().image_token_id || id == engine.config().video_token_id) id = (id + 1) % vocab_size;
    prompt.token_ids.push_back(static_cast<std::int32_t>(id));
  }
  const PrefillStats stats = session.prefill(prompt);
  Sampler sampler({.temperature = 0}, engine.masked_ids());
  session.decode(sampler);  // from the prefill's logits: computes nothing
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < n_decode; ++i) {
    const auto start = std::chrono::steady_clock::now();
    session.decode(sampler);
    seconds.push_back(seconds_since(start));
  }
  seconds.erase(seconds.begin());
  return {static_cast<double>(stats.prefilled) / stats.seconds, 1 / median(std::move(seconds))};
}

// Screen to action: encode a picture that was never seen, prefill, decode greedily until the turn ends.
void measure_screen(Engine& engine, const Arguments& arguments) {
  constexpr int kRounds = 12, kWarmUp = 2;
  constexpr std::int64_t kMostTokens = 128;
  if (engine.tokenizer() == nullptr) throw Error("--screen needs a checkpoint with a tokenizer.json");
  const std::string ask = arguments.text("ask", "]~!b[]~b]user\n]<]image[>[Click \"Save\"[e~[\n]~b]ai\n</mm:think>");
  const std::optional<std::int32_t> end_of_turn = engine.tokenizer()->special_id("[e~[");
  RgbImage screen = read_png(arguments.text("screen", ""));
  Sampler sampler({.temperature = 0}, engine.masked_ids());
  std::vector<double> encode, prefill, decode, whole;
  std::string answer;
  std::int64_t n_prompt = 0, n_answer = 0;
  for (int round = 0; round < kRounds; ++round) {
    screen.rgb[static_cast<std::size_t>(round)] ^= 1;  // else its features would be at hand
    const auto start = std::chrono::steady_clock::now();
    const std::shared_ptr<const VisionTokens> picture = engine.encode_image(screen.view());
    const double after_encode = seconds_since(start);
    const Prompt prompt = expand_media(engine.tokenizer()->encode_with_special(ask), {picture}, engine.media_markers());
    n_prompt = static_cast<std::int64_t>(prompt.token_ids.size());
    Session session = engine.new_session(n_prompt + kMostTokens);
    session.prefill(prompt);
    const double after_prefill = seconds_since(start);
    TokenStream words(*engine.tokenizer());
    answer.clear();
    for (n_answer = 0; n_answer < kMostTokens; ++n_answer) {
      const std::int32_t id = *session.decode(sampler);
      if (id == end_of_turn) break;
      answer += words.push(id);
    }
    const double end = seconds_since(start);
    if (round < kWarmUp) continue;
    encode.push_back(after_encode);
    prefill.push_back(after_prefill - after_encode);
    decode.push_back(end - after_prefill);
    whole.push_back(end);
  }
  std::printf(
      "%dx%d px: encode %.2f ms, prefill %lld tokens %.2f ms, %lld tokens of answer %.2f ms, together %.2f ms\n",
      screen.width, screen.height, median(encode) * 1e3, static_cast<long long>(n_prompt), median(prefill) * 1e3,
      static_cast<long long>(n_answer), median(decode) * 1e3, median(whole) * 1e3);
  std::printf("answer: %s\n", answer.c_str());
}

std::vector<std::int64_t> parse_contexts(const std::string& list) {
  std::vector<std::int64_t> contexts;
  std::stringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) {
    char* end = nullptr;
    contexts.push_back(std::strtoll(part.c_str(), &end, 10));
    if (part.empty() || *end != '\0' || contexts.back() < 1) {
      throw Error(message("--contexts: \"", part, "\" is no number of tokens"));
    }
  }
  return contexts;
}

struct Limits {
  double read_bandwidth, dot_rate;
};

Limits measure_limits(int n_threads) {
  ops::ThreadPool pool(n_threads);
  return {ops::measure_read_bandwidth(pool), ops::measure_dot_rate(pool)};
}

int run(int argc, char** argv) {
  const Arguments arguments(argc, argv, {"contexts", "decode", "prefill-chunk", "device", "threads", "screen", "ask"},
                            {"dense"});
  if (arguments.positional().size() != 1) throw Error("expected a model folder; --help tells more");
  const std::string model_dir = arguments.positional()[0];
  auto n_threads = static_cast<int>(arguments.integer("threads", 0));
  if (n_threads == 0) n_threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const std::int64_t n_decode = arguments.integer("decode", 33);
  if (n_decode < 2) throw Error("--decode: expected at least 2 tokens");
  const auto contexts = parse_contexts(arguments.text("contexts", "16,512,4096,8192,16384"));

  const DeviceChoice device = arguments.has("device") ? device_choice(arguments) : DeviceChoice::Cpu;
  if (arguments.has("screen")) {
    const std::unique_ptr<Engine> engine = Engine::load({.model_dir = model_dir,
                                                         .n_threads = n_threads,
                                                         .prefill_chunk = arguments.integer("prefill-chunk", 512),
                                                         .device_choice = device});
    std::printf("%s\n", engine->device_description().c_str());
    measure_screen(*engine, arguments);
    return 0;
  }
  const bool on_cpu = device == DeviceChoice::Cpu;
  // On a GPU the columns are GB/s and GFLOPS.
  const Limits limits = on_cpu ? measure_limits(n_threads) : Limits{1e11, 1e11};
  if (on_cpu) {
    std::printf("memory reads %.1f GB/s, fp32 multiply-adds %.0f GFLOPS, %d threads\n", limits.read_bandwidth / 1e9,
                limits.dot_rate / 1e9, n_threads);
  }
  std::vector<SparseAttention> modes = {SparseAttention::AsTrained};
  if (arguments.has("dense")) modes.push_back(SparseAttention::ForcedDense);
  for (const SparseAttention mode : modes) {
    const std::unique_ptr<Engine> engine = Engine::load({.model_dir = model_dir,
                                                         .n_threads = n_threads,
                                                         .prefill_chunk = arguments.integer("prefill-chunk", 512),
                                                         .sparse_attention = mode,
                                                         .device_choice = device});
    const std::unique_ptr<ops::Device> host = ops::make_cpu_device(1);  // a second view of the mapped weights
    const Weights weights = Weights::load(Safetensors::open(model_dir), engine->config(), *host);
    const Costs costs = {engine->config().text, weights, mode, engine->config().is_float32 ? 4.0 : 2.0};
    std::printf("%s, %s attention\n", engine->device_description().c_str(),
                mode == SparseAttention::AsTrained ? "sparse" : "forced dense");
    std::printf("%8s %14s %12s %14s %12s %12s\n", "context", "prefill tok/s", on_cpu ? "of mul-adds" : "GFLOPS",
                "decode tok/s", on_cpu ? "of reads" : "GB/s", "MB/token");
    measure(*engine, 16, 3);  // pages in the weights
    for (const std::int64_t context : contexts) {
      const Speed speed = measure(*engine, context, n_decode);
      const double bytes = costs.decode_bytes(static_cast<double>(context));
      const double operations = costs.prefill_operations(context) / static_cast<double>(context);
      const char* unit = on_cpu ? " %" : "  ";
      std::printf("%8lld %14.1f %10.0f%s %14.2f %10.0f%s %12.1f\n", static_cast<long long>(context), speed.prefill,
                  100 * speed.prefill * operations / limits.dot_rate, unit, speed.decode,
                  100 * speed.decode * bytes / limits.read_bandwidth, unit, bytes / 1e6);
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, kUsage, [&] { return run(argc, argv); });
}
