#pragma once
// The tiny checkpoints of tests/golden, loaded on any device.

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "inference/engine.h"

namespace inference::testing {

inline std::filesystem::path golden_dir(const std::string& name) {
  return std::filesystem::path(DESKHAND_SOURCE_DIR) / "tests" / "golden" / name;
}

inline std::unique_ptr<ops::Device> make_device(const std::string& name) {
  if (name == "reference") return ops::make_reference_device();
  if (name == "cpu") return ops::make_cpu_device(2);
  std::string reason;
  return ops::make_cuda_device(DType::F32, 0, reason);
}

inline std::unique_ptr<Engine> load_tiny(const std::string& device, EngineOptions options = {},
                                         const std::string& name = "tiny-a") {
  options.model_dir = golden_dir(name);
  options.device = make_device(device);
  return Engine::load(std::move(options));
}

// Ids of ordinary tokens, the same for the same seed.
inline std::vector<std::int32_t> some_tokens(std::int64_t n, std::uint64_t seed = 1) {
  std::vector<std::int32_t> ids;
  std::uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  for (std::int64_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    ids.push_back(static_cast<std::int32_t>((state >> 33) % 310));
  }
  return ids;
}

// The next n greedy tokens.
inline std::vector<std::int32_t> greedy(Session& session, int n) {
  Sampler sampler({.temperature = 0}, {});
  std::vector<std::int32_t> ids;
  for (int i = 0; i < n; ++i) ids.push_back(*session.decode(sampler));
  return ids;
}

// A test on every device. Without a GPU its tests are skipped.
class OnEachDevice : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string reason;
    const bool is_gpu = GetParam() == std::string("cuda");
    if (is_gpu && ops::make_cuda_device(DType::F32, 0, reason) == nullptr) GTEST_SKIP() << reason;
    engine_ = load_tiny(GetParam());
  }
  std::unique_ptr<Engine> engine_;
};

inline const auto kEachDevice = ::testing::Values("reference", "cpu", "cuda");

}  // namespace inference::testing
