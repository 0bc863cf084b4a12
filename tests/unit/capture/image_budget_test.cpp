#include "capture/image_budget.h"

#include <gtest/gtest.h>

namespace capture {
namespace {

struct Case {
  Size native_px;
  int limit;  // tokens or long side
  std::optional<Size> expected_px;
};

// Sizes as the model's published image processor gives them.
const Case kByArea[] = {
    {{1920, 1080}, 576, Size{896, 504}},  {{3840, 2160}, 576, Size{896, 504}},  {{2560, 1440}, 576, Size{896, 504}},
    {{1280, 800}, 576, Size{840, 504}},   {{1024, 768}, 576, Size{756, 560}},   {{800, 600}, 576, Size{756, 560}},
    {{1280, 720}, 576, Size{896, 504}},   {{1440, 900}, 576, Size{840, 504}},   {{1920, 1200}, 576, Size{840, 504}},
    {{672, 672}, 576, Size{672, 672}},    {{673, 673}, 576, Size{672, 672}},    {{686, 686}, 576, Size{672, 672}},
    {{687, 687}, 576, Size{672, 672}},    {{100, 100}, 576, Size{112, 112}},    {{56, 56}, 576, Size{56, 56}},
    {{42, 42}, 576, Size{56, 56}},        {{70, 70}, 576, Size{56, 56}},        {{14, 14}, 576, Size{56, 56}},
    {{20, 20}, 576, Size{56, 56}},        {{1, 1}, 576, Size{56, 56}},          {{5600, 28}, 576, Size{5600, 28}},
    {{5601, 28}, 576, std::nullopt},      {{1999, 10}, 576, Size{1988, 28}},    {{5000, 3000}, 576, Size{840, 504}},
    {{4284, 5712}, 576, Size{560, 756}},  {{2017, 1133}, 576, Size{896, 476}},  {{2016, 336}, 576, Size{1624, 252}},
    {{1920, 1080}, 768, Size{1008, 560}}, {{3840, 2160}, 768, Size{1008, 560}}, {{1024, 768}, 768, Size{896, 672}},
    {{1280, 720}, 768, Size{1008, 560}},  {{1080, 1920}, 768, Size{560, 1008}}};

const Case kByLongSide[] = {{{5000, 3000}, 252, Size{252, 140}},    {{3000, 2000}, 252, Size{252, 168}},
                            {{2000, 3000}, 252, Size{168, 252}},    {{400, 40}, 252, Size{252, 28}},
                            {{300, 80}, 252, Size{252, 56}},        {{112, 20}, 252, Size{616, 112}},
                            {{1920, 1080}, 252, Size{252, 140}},    {{4000, 500}, 252, Size{252, 28}},
                            {{4284, 5712}, 252, Size{196, 252}},    {{5000, 3000}, 504, Size{504, 308}},
                            {{3000, 2000}, 504, Size{504, 336}},    {{2000, 3000}, 504, Size{336, 504}},
                            {{400, 40}, 504, Size{1120, 112}},      {{300, 80}, 504, Size{420, 112}},
                            {{112, 20}, 504, Size{616, 112}},       {{1920, 1080}, 504, Size{504, 280}},
                            {{4000, 500}, 504, Size{504, 56}},      {{4284, 5712}, 504, Size{392, 504}},
                            {{5000, 3000}, 1008, Size{1008, 616}},  {{3000, 2000}, 1008, Size{1008, 672}},
                            {{2000, 3000}, 1008, Size{672, 1008}},  {{400, 40}, 1008, Size{1120, 112}},
                            {{300, 80}, 1008, Size{420, 112}},      {{112, 20}, 1008, Size{616, 112}},
                            {{1920, 1080}, 1008, Size{1008, 560}},  {{4000, 500}, 1008, Size{1008, 112}},
                            {{4284, 5712}, 1008, Size{756, 1008}},  {{5000, 3000}, 2016, Size{2016, 1204}},
                            {{3000, 2000}, 2016, Size{2016, 1344}}, {{2000, 3000}, 2016, Size{1344, 2016}},
                            {{400, 40}, 2016, Size{1120, 112}},     {{300, 80}, 2016, Size{420, 112}},
                            {{112, 20}, 2016, Size{616, 112}},      {{1920, 1080}, 2016, Size{1932, 1092}},
                            {{4000, 500}, 2016, Size{2016, 252}},   {{4284, 5712}, 2016, Size{1512, 2016}},
                            {{3584, 3584}, 3584, Size{3584, 3584}}, {{3612, 3612}, 3612, std::nullopt}};

TEST(ImageBudget, by_area_as_the_model_does_it) {
  for (const Case& c : kByArea) {
    const auto size =
        model_size(c.native_px, {.rule = ImageBudget::Rule::Area, .max_tokens = c.limit, .max_long_side_px = 0});
    EXPECT_EQ(size, c.expected_px) << c.native_px.width << "x" << c.native_px.height << " in " << c.limit << " tokens";
  }
}

TEST(ImageBudget, by_long_side_as_the_model_does_it) {
  for (const Case& c : kByLongSide) {
    const auto size =
        model_size(c.native_px, {.rule = ImageBudget::Rule::LongSide, .max_tokens = 0, .max_long_side_px = c.limit});
    EXPECT_EQ(size, c.expected_px) << c.native_px.width << "x" << c.native_px.height << " cap " << c.limit;
  }
}

TEST(ImageBudget, never_over_the_budget_and_always_whole_tokens) {
  for (int width = 30; width < 4000; width += 97) {
    for (int height = 30; height < 3000; height += 89) {
      for (const int max_tokens : {64, 576, 2048}) {
        const auto size = model_size(
            {width, height}, {.rule = ImageBudget::Rule::Area, .max_tokens = max_tokens, .max_long_side_px = 0});
        ASSERT_TRUE(size);
        EXPECT_EQ(size->width % kTokenSidePx, 0);
        EXPECT_EQ(size->height % kTokenSidePx, 0);
        // A side is never less than one token, which very long pictures need.
        if (std::max(width, height) < 20 * std::min(width, height)) {
          EXPECT_LE(n_tokens(*size), max_tokens) << width << "x" << height;
        }
      }
    }
  }
}

TEST(ImageBudget, looking_back_at_what_was_shown_changes_nothing) {
  const Size shown = *model_size({1920, 1080}, {});
  EXPECT_EQ(shown, (Size{896, 504}));
  EXPECT_EQ(*model_size(shown, {}), shown);
  EXPECT_EQ(n_tokens(shown), 576);
}

TEST(ImageBudget, points_go_through_every_budget_and_back) {
  for (const Size native : {Size{1280, 800}, Size{1920, 1080}, Size{2560, 1440}}) {
    for (const ImageBudget budget :
         {ImageBudget{ImageBudget::Rule::Area, 576, 0}, ImageBudget{ImageBudget::Rule::Area, 2048, 0},
          ImageBudget{ImageBudget::Rule::LongSide, 0, 1008}, ImageBudget{ImageBudget::Rule::LongSide, 0, 2016}}) {
      const ScreenMap map({0, 0, native.width, native.height}, *model_size(native, budget));
      for (int x = 0; x < map.image_px().width; x += 13) {
        const auto point = std::get<DesktopPoint>(map.to_desktop(x, 5));
        EXPECT_NEAR(map.to_image(point)->x_px, x, 0.5 * std::max(1.0, 1 / map.scale_x()) + 1e-9) << map.describe();
      }
    }
  }
}

}  // namespace
}  // namespace capture
