// Runs a checkpoint's golden outputs, made by an independent reference, through the engine and compares.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "inference/check.h"
#include "inference/engine.h"
#include "inference/programs/support/arguments.h"
#include "inference/programs/support/image_file.h"
#include "inference/safetensors.h"

namespace {

using namespace inference;
using namespace inference::programs;

constexpr const char* kUsage =
    "Usage: m3_golden DIR [options]\n"
    "\n"
    "DIR is a checkpoint folder with golden.safetensors: text.*, generate.*, imageN.* (picture imageN.png), video*.*.\n"
    "Prints one line per item; exits with 1 unless all agree.\n"
    "\n"
    "  --golden DIR                 read golden.safetensors, golden.json and pictures from there\n"
    "  --device reference|cpu|cuda  which operations (default cpu)\n"
    "  --activations f32|bf16       on cuda (default f32, as the reference)\n"
    "  --prefill-chunk N            tokens per forward pass (default 512)\n"
    "  --cache f32|bf16             type of the KV cache (default f32, as the reference)\n"
    "  --threads N                  CPU threads (default: one per core)\n"
    "  --nmse X                     largest normalised squared error (default 1e-9)\n";

constexpr double kHalfLevelShare = 0.995;  // of the pixel values lie within half a grey level,
constexpr double kMostLevels = 2;          // and all within this many

class Golden {
 public:
  Golden(Engine& engine, std::filesystem::path dir, double max_nmse)
      : engine_(engine),
        dir_(std::move(dir)),
        golden_(Safetensors::open(dir_ / "golden.safetensors")),
        max_nmse_(max_nmse) {
    const std::filesystem::path limits = dir_ / "golden.json";
    if (std::filesystem::exists(limits)) limits_ = nlohmann::json::parse(MappedFile(limits).text());
  }

  bool run() {
    if (golden_.find("text.input_ids") != nullptr) check_text();
    if (golden_.find("generate.prompt") != nullptr) check_generate();
    for (int i = 0; golden_.find(message("image", i, ".pixel_values")) != nullptr; ++i)
      check_image(message("image", i));
    for (const char* name : {"video", "video_long"}) {
      if (golden_.find(message(name, ".pixel_values")) != nullptr) check_features(name, true);
    }
    if (n_items_ == 0) throw Error(message(golden_.source(), ": holds nothing to compare"));
    std::printf("%d of %d items agree (%s)\n", n_items_ - n_failed_, n_items_, engine_.device_description().c_str());
    return n_failed_ == 0;
  }

 private:
  std::vector<float> floats(const std::string& name) const {
    const StoredTensor& stored = golden_.require(name);
    if (stored.dtype != DType::F32) throw Error(message(golden_.source(), ": ", name, " is not F32"));
    const auto* data = reinterpret_cast<const float*>(stored.data);
    return {data, data + stored.n_elements()};
  }
  std::vector<std::int32_t> ids(const std::string& name) const {
    const StoredTensor& stored = golden_.require(name);
    if (stored.dtype != DType::I32) throw Error(message(golden_.source(), ": ", name, " is not I32"));
    const auto* data = reinterpret_cast<const std::int32_t*>(stored.data);
    return {data, data + stored.n_elements()};
  }

  void report(const std::string& item, bool ok, const std::string& detail) {
    ++n_items_;
    if (!ok) ++n_failed_;
    std::printf("%s %s %s\n", item.c_str(), detail.c_str(), ok ? "ok" : "DIFFERS");
  }

  void compare(const std::string& item, const std::vector<float>& ours, const std::vector<float>& expected) {
    if (ours.size() != expected.size()) {
      report(item, false, message(ours.size(), " values, expected ", expected.size()));
      return;
    }
    double error = 0, norm = 0, largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const double difference = static_cast<double>(ours[i]) - expected[i];
      error += difference * difference;
      norm += static_cast<double>(expected[i]) * expected[i];
      largest = std::max(largest, std::abs(difference));
    }
    const double nmse = error / norm;
    report(item, nmse <= max_nmse_, message("nmse ", nmse, " max ", largest));  // NaN fails
  }

  // The logits of every position from `first` on.
  std::vector<float> all_logits(const Prompt& prompt, std::int64_t first) {
    Session session = engine_.new_session(static_cast<std::int64_t>(prompt.token_ids.size()));
    std::vector<float> logits;
    session.observe_logits([&](std::int64_t position, std::span<const float> row) {
      if (position >= first) logits.insert(logits.end(), row.begin(), row.end());
    });
    session.prefill(prompt);
    return logits;
  }

  void check_text() { compare("text.logits", all_logits({ids("text.input_ids"), {}}, 0), floats("text.logits")); }

  void check_generate() {
    const std::vector<std::int32_t> prompt = ids("generate.prompt"), expected = ids("generate.output");
    Session session = engine_.new_session(static_cast<std::int64_t>(expected.size()));
    session.prefill({prompt, {}});
    Sampler greedy({.temperature = 0}, {});
    while (session.n_tokens() < static_cast<std::int64_t>(expected.size())) session.decode(greedy);
    const auto first = std::mismatch(expected.begin(), expected.end(), session.token_ids().begin()).first;
    const bool ok = first == expected.end();
    report("generate.output", ok,
           ok ? message(expected.size() - prompt.size(), " greedy tokens equal")
              : message("token ", first - expected.begin(), " differs"));
  }

  void check_image(const std::string& name) {
    check_pixels(name);
    const std::shared_ptr<const VisionTokens> tokens = check_features(name, false);
    const std::vector<float> expected = floats(name + ".logits_tail");
    const Prompt prompt = {ids(name + ".input_ids"), {tokens}};
    const auto n_tail = static_cast<std::int64_t>(expected.size()) / engine_.config().text.vocab_size;
    compare(name + ".logits_tail", all_logits(prompt, static_cast<std::int64_t>(prompt.token_ids.size()) - n_tail),
            expected);
  }

  // Two good bicubic implementations differ by a grey level here and there.
  void check_pixels(const std::string& name) {
    ResizeRule rule;
    if (limits_.contains(name)) {
      rule.min_pixels = limits_[name].value("min_pixels", rule.min_pixels);
      rule.max_pixels = limits_[name].value("max_pixels", rule.max_pixels);
    }
    const VisionConfig& vision = *engine_.config().vision;
    const RgbImage image = read_png(dir_ / (name + ".png"));
    const Patches patches = make_image_patches(image.view(), rule, vision);
    const std::vector<float> expected = floats(name + ".pixel_values");
    if (expected.size() != patches.pixels.size()) {
      report(name + ".pixel_values", false, message(patches.pixels.size(), " values, expected ", expected.size()));
      return;
    }
    constexpr double kStd[3] = {0.26862954, 0.26130258, 0.27577711};
    const int per_channel = vision.temporal_patch_size * vision.patch_size * vision.patch_size;
    std::size_t n_close = 0;
    double largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto channel = static_cast<std::size_t>(static_cast<int>(i) % vision.patch_elements() / per_channel);
      const double levels = std::abs(patches.pixels[i] - expected[i]) * 255 * kStd[channel];
      if (levels <= 0.5) ++n_close;
      largest = std::max(largest, levels);
    }
    const double share = static_cast<double>(n_close) / static_cast<double>(expected.size());
    report(name + ".pixel_values", share >= kHalfLevelShare && largest <= kMostLevels + 1e-3,
           message(100 * share, " % within half a grey level, largest ", largest));
  }

  std::shared_ptr<const VisionTokens> check_features(const std::string& name, bool is_video) {
    const std::vector<std::int32_t> grid = ids(name + ".grid_thw");
    if (grid.size() != 3) throw Error(message(golden_.source(), ": ", name, ".grid_thw needs 3 numbers"));
    Patches patches = {grid[0], grid[1], grid[2], floats(name + ".pixel_values")};
    const std::int64_t needed = patches.n_patches() * engine_.config().vision->patch_elements();
    if (static_cast<std::int64_t>(patches.pixels.size()) != needed) {
      throw Error(message(golden_.source(), ": ", name, ".pixel_values does not fit its grid"));
    }
    std::shared_ptr<const VisionTokens> tokens = engine_.encode(patches, is_video);
    compare(name + ".features", tokens->features, floats(name + ".features"));
    return tokens;
  }

  Engine& engine_;
  std::filesystem::path dir_;
  Safetensors golden_;
  nlohmann::json limits_ = nlohmann::json::object();
  double max_nmse_;
  int n_items_ = 0, n_failed_ = 0;
};

DType float_type(const Arguments& arguments, const std::string& option) {
  const std::string name = arguments.text(option, "f32");
  if (name == "f32") return DType::F32;
  if (name == "bf16") return DType::BF16;
  throw Error(message("--", option, " ", name, ": expected f32 or bf16"));
}

std::unique_ptr<ops::Device> make_device(const Arguments& arguments) {
  const std::string name = arguments.text("device", "cpu");
  if (name == "reference") return ops::make_reference_device();
  if (name == "cpu") return ops::make_cpu_device(static_cast<int>(arguments.integer("threads", 0)));
  if (name != "cuda") throw Error(message("--device ", name, ": expected reference, cpu or cuda"));
  std::string reason;
  std::unique_ptr<ops::Device> device = ops::make_cuda_device(float_type(arguments, "activations"), 0, reason);
  if (device == nullptr) throw Error("can't run on the GPU: " + reason);
  return device;
}

int run(int argc, char** argv) {
  const Arguments arguments(argc, argv,
                            {"golden", "device", "activations", "prefill-chunk", "cache", "threads", "nmse"});
  if (arguments.positional().size() != 1) throw Error("expected one checkpoint folder; --help tells more");
  const std::string dir = arguments.positional()[0];
  const CacheType cache = float_type(arguments, "cache") == DType::F32 ? CacheType::F32 : CacheType::BF16;
  const std::unique_ptr<Engine> engine = Engine::load({.model_dir = dir,
                                                       .prefill_chunk = arguments.integer("prefill-chunk", 512),
                                                       .cache_type = cache,
                                                       .device = make_device(arguments)});
  return Golden(*engine, arguments.text("golden", dir), arguments.number("nmse", 1e-9)).run() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, kUsage, [&] { return run(argc, argv); });
}
