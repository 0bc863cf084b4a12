#pragma once
// What the tests of operations share: the device under test (the GPU, and the CPU for every instruction set of this
// machine and for one and two threads), the reference device beside it, and data to feed both.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "inference/number_formats.h"
#include "inference/ops/cpu/targets.h"
#include "inference/ops/ops.h"
#include "tests/ops/host_facing_device.h"

namespace inference::ops {

// Sums of n products in fp32 are off by about sqrt(n) · 2^-24 of their terms' size: n = 4096 gives (4e-6)² ≈ 1.5e-11.
// A wrong element, scale or head gives 1e-3 and more.
inline constexpr double kMaxNmse = 1e-10;

struct Setup {
  std::int64_t target = 0;  // HWY_AVX2 …; 0: the GPU
  int n_threads = 1;
};

inline std::vector<Setup> cpu_setups() {
  std::vector<Setup> setups;
  for (const std::int64_t target : {HWY_SSSE3, HWY_AVX2, HWY_AVX3}) {
    if ((hwy::SupportedTargets() & target) == 0) continue;
    for (const int n_threads : {1, 2}) setups.push_back({target, n_threads});
  }
  return setups;
}

inline std::vector<Setup> all_setups() {
  std::vector<Setup> setups = cpu_setups();
  setups.push_back({});
  return setups;
}

inline std::string setup_name(const testing::TestParamInfo<Setup>& info) {
  if (info.param.target == 0) return "cuda";
  return std::string(hwy::TargetName(info.param.target)) + "_threads_" + std::to_string(info.param.n_threads);
}

// `device` computes in fp32 on host memory, wherever it is. Without a GPU its tests are skipped.
class DeviceOps : public testing::TestWithParam<Setup> {
 protected:
  void SetUp() override {
    hwy::SetSupportedTargetsForTest(GetParam().target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    if (GetParam().target != 0) {
      device = make_cpu_device(GetParam().n_threads);
      return;
    }
    std::string reason;
    std::unique_ptr<Device> gpu = make_cuda_device(DType::F32, 0, reason);
    if (gpu == nullptr) GTEST_SKIP() << reason;
    device = std::make_unique<HostFacingDevice>(std::move(gpu));
  }
  ~DeviceOps() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }

  bool is_gpu() const { return GetParam().target == 0; }

  std::unique_ptr<Device> device;
  std::unique_ptr<Device> reference = make_reference_device();
  std::mt19937 random{7};
};

// Activations that own their memory: a matrix [rows, cols].
struct Activations {
  Activations(std::int64_t n_rows, std::int64_t n_cols)
      : rows(n_rows), cols(n_cols), values(static_cast<std::size_t>(n_rows * n_cols)) {}
  Tensor tensor() { return {values.data(), rows, cols, DType::F32}; }
  float& at(std::int64_t row, std::int64_t col) { return values[static_cast<std::size_t>(row * cols + col)]; }

  std::int64_t rows, cols;
  std::vector<float> values;
};

struct Ids {
  Ids(std::int64_t n_rows, std::int64_t n_cols)
      : rows(n_rows), cols(n_cols), values(static_cast<std::size_t>(n_rows * n_cols), -7) {}
  Tensor tensor() { return {values.data(), rows, cols, DType::I32}; }

  std::int64_t rows, cols;
  std::vector<std::int32_t> values;
};

inline Activations random_activations(std::mt19937& random, std::int64_t rows, std::int64_t cols, float scale = 1) {
  std::normal_distribution<float> normal(0, scale);
  Activations x(rows, cols);
  for (float& value : x.values) value = normal(random);
  return x;
}

// A weight that owns its memory, in any stored type.
struct StoredWeight {
  std::vector<std::byte> data;
  std::vector<std::uint8_t> scales;
  Matrix matrix;
};

inline StoredWeight random_weight(std::mt19937& random, DType dtype, std::int64_t rows, std::int64_t cols) {
  StoredWeight w;
  const auto n = static_cast<std::size_t>(rows * cols);
  w.data.resize(n * element_bytes(dtype));
  std::normal_distribution<float> normal(0, 1.0F / std::sqrt(static_cast<float>(cols)));
  std::uniform_int_distribution<int> byte(0, 255), scale(117, 121);
  for (std::size_t i = 0; i < n; ++i) {
    const float value = normal(random);
    if (dtype == DType::F32) {
      reinterpret_cast<float*>(w.data.data())[i] = value;
    } else if (dtype == DType::BF16) {
      reinterpret_cast<std::uint16_t*>(w.data.data())[i] = float_to_bf16(value);
    } else if (dtype == DType::F16) {  // any half of magnitude below 2, subnormal ones too
      reinterpret_cast<std::uint16_t*>(w.data.data())[i] =
          static_cast<std::uint16_t>((byte(random) << 8 | byte(random)) & 0xBFFF);
    } else {  // any code but the NaNs
      const int code = byte(random);
      w.data[i] = static_cast<std::byte>((code & 0x7F) == 0x7F ? 0 : code);
    }
  }
  if (dtype == DType::F8E4M3) {
    w.scales.resize(n / kMxGroup);
    for (std::uint8_t& code : w.scales) code = static_cast<std::uint8_t>(scale(random));
  }
  w.matrix = {w.data.data(), w.scales.empty() ? nullptr : w.scales.data(), rows, cols, dtype};
  return w;
}

// Σ (got - want)² / Σ want²; infinite where one is finite and the other is not.
inline double nmse(std::span<const float> got, std::span<const float> want) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::isfinite(got[i]) != std::isfinite(want[i])) return std::numeric_limits<double>::infinity();
    if (!std::isfinite(want[i])) continue;
    error += (static_cast<double>(got[i]) - want[i]) * (static_cast<double>(got[i]) - want[i]);
    size += static_cast<double>(want[i]) * want[i];
  }
  return size > 0 ? error / size : error;
}

// A cache of one layer that owns its pages. Memory that no position has been stored to holds NaN.
struct TestCache {
  TestCache(DType dtype, int page_size, int kv_heads, int head_dim, int index_dim, std::int64_t n_tokens) {
    const auto n_pages = static_cast<std::size_t>((n_tokens + page_size - 1) / page_size);
    const std::size_t kv_bytes = 2 * static_cast<std::size_t>(kv_heads * page_size * head_dim) * element_bytes(dtype);
    const std::size_t index_bytes = static_cast<std::size_t>(page_size * index_dim) * element_bytes(dtype);
    for (std::size_t i = 0; i < n_pages; ++i) {
      for (const auto& [bytes, list] : {std::pair{kv_bytes, &pages}, std::pair{index_bytes, &index_pages}}) {
        memory.emplace_back(bytes, std::byte{0xFF});
        list->push_back(memory.back().data());
      }
    }
    layer = {.pages = pages,
             .index_pages = index_pages,
             .dtype = dtype,
             .page_size = page_size,
             .kv_heads = kv_heads,
             .head_dim = head_dim,
             .index_dim = index_dim};
  }
  std::vector<std::vector<std::byte>> memory;
  std::vector<void*> pages, index_pages;
  KvLayer layer;
};

}  // namespace inference::ops
