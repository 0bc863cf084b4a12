// The engine as a whole: weights stay where they are mapped, and what it allocates itself is small beside the
// checkpoint; ids that stand for media are never written.

#include "inference/engine.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#define RUNS_UNDER_ASAN true
#else
#define RUNS_UNDER_ASAN false
#endif

namespace inference {
namespace {

// A line of /proc/self/status in bytes: VmRSS (all that is resident), VmHWM (its peak), RssAnon (without files).
double status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key + ":")) return std::stod(line.substr(key.size() + 1)) * 1024;
  }
  ADD_FAILURE() << "/proc/self/status has no " << key;
  return 0;
}

// The rest of a process: activations of 16 tokens, buffers of the threads, what malloc keeps back.
constexpr double kSmall = 6e6;

class EngineMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (RUNS_UNDER_ASAN) GTEST_SKIP() << "the sanitizer's own memory hides the engine's";
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak starts from here
    resident_ = status_bytes("VmRSS");
    anonymous_ = status_bytes("RssAnon");
  }

  double resident_ = 0, anonymous_ = 0;  // before
  EngineOptions options_ = {.model_dir = std::string(DESKHAND_SOURCE_DIR) + "/resources/models/nano",
                            .n_threads = 2,
                            .prefill_chunk = 16,
                            .device_choice = DeviceChoice::Cpu};
};

TEST_F(EngineMemory, loading_expands_no_weights) {
  const auto engine = Engine::load(std::move(options_));
  const auto mapped = static_cast<double>(engine->mapped_bytes());
  ASSERT_GT(mapped, 25e6) << "too small a model to tell";
  EXPECT_LE(status_bytes("RssAnon") - anonymous_, 0.1 * mapped + kSmall);
  EXPECT_LE(status_bytes("VmHWM") - resident_, 1.1 * mapped + kSmall);
}

TEST_F(EngineMemory, using_every_weight_expands_none) {
  const auto engine = Engine::load(std::move(options_));
  const auto mapped = static_cast<double>(engine->mapped_bytes());
  Session session = engine->new_session(400);
  Prompt prompt;
  for (std::int32_t i = 0; i < 300; ++i) prompt.token_ids.push_back(i * 7919 % 1000);
  session.prefill(prompt);
  Sampler sampler({.temperature = 0}, engine->masked_ids());
  for (int i = 0; i < 4; ++i) session.decode(sampler);
  const auto cache = static_cast<double>(session.cache_bytes());
  EXPECT_LE(status_bytes("RssAnon") - anonymous_, 0.1 * mapped + cache + kSmall);
  EXPECT_LE(status_bytes("VmHWM") - resident_, 1.1 * mapped + cache + kSmall);
  EXPECT_GT(status_bytes("VmHWM") - resident_, 0.5 * mapped) << "the weights were not even read";
}

TEST(Engine, placeholders_of_media_are_never_chosen) {
  const auto engine = Engine::load({.model_dir = std::string(DESKHAND_SOURCE_DIR) + "/resources/models/nano"});
  const std::vector<std::int32_t> masked = engine->masked_ids();
  std::vector<float> logits(static_cast<std::size_t>(engine->config().text.vocab_size), 0.0F);
  for (const std::int32_t id : {engine->config().image_token_id, engine->config().video_token_id}) {
    ASSERT_GE(id, 0);
    logits[static_cast<std::size_t>(id)] = 100;
    EXPECT_NE(Sampler({.temperature = 0}, masked).sample(logits), id);
    EXPECT_NE(Sampler({.temperature = 1}, masked).sample(logits), id);
  }
}

}  // namespace
}  // namespace inference
