// Pictures and clips: sizes, patch order, and who attends to whom.

#include "inference/vision.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "inference/check.h"
#include "inference/number_formats.h"
#include "tests/golden/tiny_model.h"

namespace inference::testing {
namespace {

nlohmann::json formula_cases(const char* name) {
  std::ifstream file(golden_dir("formulas.json"));
  return nlohmann::json::parse(file)["data"][name];
}

std::vector<std::uint8_t> noise(int width, int height, std::uint32_t seed) {
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  for (std::uint8_t& value : rgb) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<std::uint8_t>(seed >> 24);
  }
  return rgb;
}

TEST(ModelSize, matches_the_released_processor) {
  int n_checked = 0;
  const nlohmann::json cases = formula_cases("smart_resize");
  for (const nlohmann::json& item : cases) {
    ResizeRule rule;
    const std::string mode = item["mode"];
    if (mode == "default_video_frame") rule.max_pixels = kMaxVideoFramePixels;
    if (mode == "max_long_side_pixel") {
      rule.mode = ResizeRule::Mode::LongSide;
      rule.max_long_side_px = item["max_long_side_pixel"];
    }
    if (item["out"].is_string()) {
      EXPECT_THROW(model_size({item["w"], item["h"]}, rule, 28), Error) << item.dump();
      ++n_checked;
      continue;
    }
    const ImageSize size = model_size({item["w"], item["h"]}, rule, 28);
    EXPECT_EQ(size, (ImageSize{item["out"][1], item["out"][0]})) << item.dump();
    ++n_checked;
  }
  EXPECT_GT(n_checked, 40);
}

TEST(ModelSize, rounds_halves_to_even) {
  // 70 = 2.5 · 28 → 2 · 28, 98 = 3.5 · 28 → 4 · 28: rounding half up would give one token more for the first.
  EXPECT_EQ(model_size({70, 98}, {.min_pixels = 1}, 28), (ImageSize{56, 112}));
}

TEST(ModelSize, the_smallest_picture_costs_four_tokens) {
  const ImageSize size = model_size({1, 1}, {}, 28);
  EXPECT_EQ(size, (ImageSize{56, 56}));
}

TEST(ModelSize, refuses_absurd_pictures_before_decoding_them) {
  EXPECT_THROW(model_size({0, 10}, {}, 28), Error);
  EXPECT_NO_THROW(model_size({2000, 10}, {}, 28));  // 200 : 1 is allowed
  EXPECT_THROW(model_size({2001, 10}, {}, 28), Error);
  EXPECT_THROW(model_size({20000, 20000}, {.mode = ResizeRule::Mode::LongSide, .max_long_side_px = 20000}, 28), Error);
}

TEST(PatchOrder, walks_merge_groups_row_by_row) {
  const nlohmann::json rope = formula_cases("vision_rope");
  const VisionConfig config = {.merge_size = 2, .segment_max_slots = 4};
  int n_checked = 0;
  for (const auto& [name, order] : rope.items()) {
    int t = 0, h = 0, w = 0;
    if (std::sscanf(name.c_str(), "patch_order_grid_%d_%d_%d", &t, &h, &w) != 3) continue;
    const std::vector<ops::PatchPosition> positions = patch_positions({t, h, w, {}}, config);
    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(positions[i].t, order[i][0]) << name << " " << i;
      EXPECT_EQ(positions[i].h, order[i][1]) << name << " " << i;
      EXPECT_EQ(positions[i].w, order[i][2]) << name << " " << i;
    }
    ++n_checked;
  }
  EXPECT_GT(n_checked, 0);
}

TEST(PatchOrder, time_restarts_in_each_segment) {
  const VisionConfig config = {.merge_size = 1, .segment_max_slots = 4};
  const std::vector<ops::PatchPosition> positions = patch_positions({6, 1, 1, {}}, config);
  std::vector<int> times;
  for (const ops::PatchPosition& position : positions) times.push_back(position.t);
  EXPECT_EQ(times, (std::vector<int>{0, 1, 2, 3, 0, 1}));
}

TEST(FrameSampling, matches_the_released_processor) {
  const nlohmann::json cases = formula_cases("video_sampling_vllm");
  for (const nlohmann::json& item : cases) {
    EXPECT_EQ(sample_frames(item["total_frames"], item["video_fps"], item["fps"]),
              item["indices"].get<std::vector<std::int64_t>>())
        << item.dump();
  }
}

TEST(Resize, keeps_a_flat_colour_and_an_equal_size) {
  const std::vector<std::uint8_t> rgb(100 * 60 * 3, 77);
  EXPECT_EQ(resize_bicubic({rgb.data(), 100, 60, 300}, {224, 28}), std::vector<std::uint8_t>(224 * 28 * 3, 77));
  const std::vector<std::uint8_t> any = noise(56, 84, 1);
  EXPECT_EQ(resize_bicubic({any.data(), 56, 84, 168}, {56, 84}), any);
}

TEST(Resize, honours_the_stride) {
  const std::vector<std::uint8_t> wide = noise(64, 40, 2);
  std::vector<std::uint8_t> narrow;
  for (int y = 0; y < 40; ++y) narrow.insert(narrow.end(), wide.begin() + y * 192, wide.begin() + y * 192 + 50 * 3);
  EXPECT_EQ(resize_bicubic({wide.data(), 50, 40, 192}, {28, 28}),
            resize_bicubic({narrow.data(), 50, 40, 150}, {28, 28}));
}

class VisionTower : public OnEachDevice {
 protected:
  std::vector<float> features_of(const std::vector<std::vector<std::uint8_t>>& frames) {
    std::vector<ImageView> views;
    for (const auto& frame : frames) views.push_back({frame.data(), 56, 84, 168});
    return engine_->encode_video(views)->features;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, VisionTower, kEachDevice, [](const auto& info) { return std::string(info.param); });

// The features of the first n slots, of a clip of total slots.
std::vector<float> first_slots(const std::vector<float>& features, std::size_t n, std::size_t total) {
  return {features.begin(), features.begin() + static_cast<std::ptrdiff_t>(features.size() / total * n)};
}

TEST_P(VisionTower, an_odd_frame_is_repeated) {
  const auto a = noise(56, 84, 1), b = noise(56, 84, 2), c = noise(56, 84, 3);
  EXPECT_EQ(features_of({a, b, c}), features_of({a, b, c, c}));
}

TEST_P(VisionTower, a_clip_attends_across_frames_only_inside_a_segment_of_four_slots) {
  std::vector<std::vector<std::uint8_t>> frames;
  for (std::uint32_t i = 0; i < 12; ++i) frames.push_back(noise(56, 84, i));
  const std::vector<float> before = features_of(frames);
  frames[9] = noise(56, 84, 99);  // in slot 4, the second segment
  const std::vector<float> after = features_of(frames);
  EXPECT_EQ(first_slots(before, 4, 6), first_slots(after, 4, 6)) << "the first segment does not see the second";
  frames[7] = noise(56, 84, 98);  // in slot 3, the first segment
  EXPECT_NE(first_slots(features_of(frames), 1, 6), first_slots(after, 1, 6)) << "slot 0 sees slot 3";
}

TEST_P(VisionTower, pictures_of_one_prompt_do_not_see_each_other) {
  const auto a = noise(56, 84, 1), b = noise(56, 84, 2);
  const std::vector<float> alone = engine_->encode_image({a.data(), 56, 84, 168})->features;
  engine_->encode_image({b.data(), 56, 84, 168});
  EXPECT_EQ(engine_->encode_image({a.data(), 56, 84, 168})->features, alone);
}

using Row = std::vector<float>;

Row linear(const Row& x, const Linear& w) {
  Row out;
  for (std::int64_t row = 0; row < w.weight.rows; ++row) {
    double sum = w.bias.data == nullptr ? 0 : w.bias.data[row];
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * weight_at(w.weight, row, static_cast<std::int64_t>(i));
    out.push_back(static_cast<float>(sum));
  }
  return out;
}

Row linear_gelu_linear(const Row& x, const Linear& first, const Linear& second) {
  Row inner = linear(x, first);
  for (float& value : inner) value *= 0.5F * (1 + std::erf(value / std::sqrt(2.0F)));
  return linear(inner, second);
}

Row layer_norm(Row x, const Norm& norm, float eps) {
  double mean = 0, square = 0;
  for (const float value : x) mean += value / static_cast<double>(x.size());
  for (const float value : x) square += (value - mean) * (value - mean) / static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>((x[i] - mean) / std::sqrt(square + eps)) * norm.weight.data[i] + norm.bias.data[i];
  }
  return x;
}

// A tower without layers: what stands before and after them, written out.
TEST_P(VisionTower, patches_are_projected_one_by_one_then_merged_without_a_final_norm) {
  const std::unique_ptr<ops::Device> device = make_device(GetParam());
  const ModelConfig& config = engine_->config();
  Weights weights = Weights::load(Safetensors::open(golden_dir("tiny-a")), config, *device);
  weights.vision.layers.clear();
  const std::vector<std::uint8_t> pixels = noise(56, 84, 1);
  const Patches patches = make_image_patches({pixels.data(), 56, 84, 168}, {}, *config.vision);
  const Row features = encode_patches(*device, config, weights.vision, patches, false)->features;

  const std::unique_ptr<ops::Device> host = ops::make_cpu_device(1);  // whose weights the test can read
  const Weights readable = Weights::load(Safetensors::open(golden_dir("tiny-a")), config, *host);
  const VisionWeights& w = readable.vision;
  Row wanted;
  const std::int64_t patch_elements = config.vision->patch_elements();
  for (std::int64_t patch = 0; patch < patches.n_patches();) {
    Row group;
    for (int i = 0; i < config.vision->merged_patches(); ++i, ++patch) {
      const auto from = patches.pixels.begin() + patch * patch_elements;
      const Row embedded = linear({from, from + patch_elements}, {w.patch_embedding, {}});
      const Row x = layer_norm(embedded, w.pre_norm, config.vision->layer_norm_eps);
      const Row projected = linear_gelu_linear(x, w.projector1, w.projector2);
      group.insert(group.end(), projected.begin(), projected.end());
    }
    const Row token = linear_gelu_linear(group, w.merge1, w.merge2);
    wanted.insert(wanted.end(), token.begin(), token.end());
  }
  ASSERT_EQ(features.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(features[i], wanted[i], 1e-4) << i;
}

TEST_P(VisionTower, refuses_clips_of_mixed_or_no_frames_and_stops_when_asked) {
  EXPECT_THROW(engine_->encode_video({}), Error);
  const auto a = noise(56, 84, 1);
  const std::vector<ImageView> mixed = {{a.data(), 56, 84, 168}, {a.data(), 84, 56, 252}};
  EXPECT_THROW(engine_->encode_video(mixed), Error);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(engine_->encode_image({a.data(), 56, 84, 168}, {}, stop.get_token()), nullptr);
}

TEST(ExpandMedia, surrounds_each_picture_and_each_slot_of_a_clip) {
  const MediaMarkers markers = {90, 91, 92, 93};
  const auto picture = std::make_shared<const VisionTokens>(VisionTokens{{}, 3, 1, false, {}});
  const auto clip = std::make_shared<const VisionTokens>(VisionTokens{{}, 4, 2, true, {}});
  const std::vector<std::int32_t> ids = {1, 90, 2, 91, 3};
  const Prompt prompt = expand_media(ids, {picture, clip}, markers, [](std::size_t media_idx, int slot) {
    return std::vector<std::int32_t>{static_cast<std::int32_t>(media_idx) * 10 + slot};
  });
  EXPECT_EQ(prompt.token_ids,
            (std::vector<std::int32_t>{1, 92, 90, 90, 90, 93, 2, 10, 92, 91, 91, 93, 11, 92, 91, 91, 93, 3}));
  EXPECT_THROW(expand_media(ids, {picture}, markers), Error);
  EXPECT_THROW(expand_media(ids, {clip, picture}, markers), Error);
  EXPECT_THROW(expand_media(ids, {picture, clip, clip}, markers), Error);
}

}  // namespace
}  // namespace inference::testing
