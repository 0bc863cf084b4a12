#include "capture/screen_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace capture {
namespace {

using Kind = PointError::Kind;

DesktopPoint desktop_point(const ScreenMap& map, double x_px, double y_px) {
  const auto result = map.to_desktop(x_px, y_px);
  if (const auto* error = std::get_if<PointError>(&result)) ADD_FAILURE() << error->message;
  return std::holds_alternative<DesktopPoint>(result) ? std::get<DesktopPoint>(result) : DesktopPoint{};
}

Kind error_kind(const ScreenMap& map, double x_px, double y_px) {
  const auto result = map.to_desktop(x_px, y_px);
  EXPECT_TRUE(std::holds_alternative<PointError>(result)) << x_px << ", " << y_px;
  return std::holds_alternative<PointError>(result) ? std::get<PointError>(result).kind : Kind{};
}

TEST(ScreenMap, native_resolution_is_the_identity_plus_the_origin) {
  const ScreenMap map({-300, 50, 200, 100}, {200, 100});
  EXPECT_EQ(desktop_point(map, 0, 0), (DesktopPoint{-300, 50}));
  EXPECT_EQ(desktop_point(map, 199, 99), (DesktopPoint{-101, 149}));
  EXPECT_EQ(map.to_image({-300, 50})->x_px, 0);
  EXPECT_EQ(map.to_image({-101, 149})->y_px, 99);
  EXPECT_FALSE(map.to_image({-100, 149}));
}

TEST(ScreenMap, a_shrunk_picture_is_scaled_back) {
  const ScreenMap map({0, 0, 1920, 1080}, {896, 504});
  const DesktopPoint middle = desktop_point(map, 448, 252);
  EXPECT_NEAR(middle.x_pt, 960, 1);
  EXPECT_NEAR(middle.y_pt, 540, 1);
}

TEST(ScreenMap, the_axes_may_have_different_scales) {
  const ScreenMap map({10, 20, 400, 100}, {100, 100});
  EXPECT_EQ(desktop_point(map, 50, 50), (DesktopPoint{10 + 202, 20 + 50}));
}

TEST(ScreenMap, points_outside_are_errors_that_name_the_bounds) {
  const ScreenMap map({0, 0, 1920, 1080}, {896, 504});
  for (const auto& [x, y] : std::vector<std::pair<double, double>>{
           {1500, 400}, {896, 0}, {0, 504}, {-0.01, 5}, {5, -1}, {std::nan(""), 5}, {5, std::nan("")}, {1e300, 5}}) {
    EXPECT_EQ(error_kind(map, x, y), Kind::OutsideImage);
  }
  const auto result = map.to_desktop(1500, 400);
  EXPECT_EQ(std::get<PointError>(result).message,
            "point (1500, 400) is outside the image: x goes from 0 to 895 and y from 0 to 503");
}

TEST(ScreenMap, a_point_between_the_monitors_is_an_error) {
  // A large monitor and a small one to its right, set lower: a corner of the desktop belongs to neither.
  const std::vector<Monitor> monitors = {{"LEFT", {0, 0, 1920, 1080}, true}, {"RIGHT", {1920, 100, 1280, 900}, false}};
  const ScreenMap map({0, 0, 3200, 1080}, {1600, 540}, monitors);
  EXPECT_EQ(error_kind(map, 1200, 20), Kind::OnNoMonitor);
  EXPECT_EQ(desktop_point(map, 1200, 60), (DesktopPoint{2401, 121}));
}

TEST(ScreenMap, the_corners_of_every_picture_stay_on_the_desktop_area) {
  for (const Size image : {Size{1, 1}, Size{28, 28}, Size{896, 504}, Size{1932, 1092}, Size{5000, 3000}}) {
    const Rect area{-77, 13, 1920, 1080};
    const ScreenMap map(area, image);
    for (const double x : {0.0, image.width - 1.0, std::nextafter(image.width, 0.0)}) {
      for (const double y : {0.0, image.height - 1.0, std::nextafter(image.height, 0.0)}) {
        const DesktopPoint point = desktop_point(map, x, y);
        EXPECT_TRUE(area.contains(point.x_pt, point.y_pt)) << image.width << "x" << image.height;
      }
    }
  }
}

// Random areas (also negative origins) at random sizes, as image budgets and display scales produce them.
TEST(ScreenMap, points_round_trip_within_half_a_pixel_on_200_random_maps) {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int i = 0; i < 200; ++i) {
    const Rect area{pick(-4000, 4000), pick(-4000, 4000), pick(1, 5000), pick(1, 5000)};
    const ScreenMap map(area, {pick(1, 3000), pick(1, 3000)});
    const double x_step = std::max(1.0, 1 / map.scale_x()), y_step = std::max(1.0, 1 / map.scale_y());
    for (int k = 0; k < 20; ++k) {
      const int x = pick(0, map.image_px().width - 1), y = pick(0, map.image_px().height - 1);
      const DesktopPoint there = desktop_point(map, x, y);
      const auto back = map.to_image(there);
      ASSERT_TRUE(back) << map.describe();
      EXPECT_LE(std::abs(back->x_px - x), 0.5 * x_step + 1e-9) << map.describe();
      EXPECT_LE(std::abs(back->y_px - y), 0.5 * y_step + 1e-9) << map.describe();
    }
    for (int k = 0; k < 20; ++k) {
      const DesktopPoint start{pick(area.x, area.right() - 1), pick(area.y, area.bottom() - 1)};
      const auto pixel = map.to_image(start);
      ASSERT_TRUE(pixel);
      const DesktopPoint back = desktop_point(map, std::round(pixel->x_px), std::round(pixel->y_px));
      EXPECT_LE(std::abs(back.x_pt - start.x_pt), 0.5 * map.scale_x() + 0.5) << map.describe();
      EXPECT_LE(std::abs(back.y_pt - start.y_pt), 0.5 * map.scale_y() + 0.5) << map.describe();
    }
  }
}

TEST(ScreenMap, an_area_covers_what_it_came_from_both_ways) {
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int i = 0; i < 200; ++i) {
    const ScreenMap map({pick(-500, 500), pick(-500, 500), pick(50, 4000), pick(50, 4000)},
                        {pick(50, 2000), pick(50, 2000)});
    const Rect area_px{pick(0, 40), pick(0, 40), pick(1, 10), pick(1, 10)};
    EXPECT_TRUE(map.area_to_image(map.area_to_desktop(area_px)).contains(area_px)) << map.describe();
  }
}

TEST(ScreenMap, areas_are_clipped_to_the_picture) {
  const ScreenMap map({100, 100, 200, 200}, {100, 100});
  EXPECT_EQ(map.area_to_desktop({-50, -50, 60, 60}), (Rect{100, 100, 20, 20}));
  EXPECT_EQ(map.area_to_image({0, 0, 110, 110}), (Rect{0, 0, 5, 5}));
  EXPECT_TRUE(map.area_to_image({0, 0, 50, 50}).is_empty());
}

TEST(ScreenMap, a_crop_and_a_resize_keep_pointing_at_the_same_things) {
  const ScreenMap desktop({-100, 0, 800, 600}, {800, 600});
  const ScreenMap zoomed = desktop.cropped({300, 200, 50, 40}).resized({100, 80});
  EXPECT_EQ(zoomed.area_pt(), (Rect{200, 200, 50, 40}));
  EXPECT_EQ(desktop_point(zoomed, 0, 0), (DesktopPoint{200, 200}));
  EXPECT_EQ(desktop_point(zoomed, 99, 79), (DesktopPoint{249, 239}));
}

TEST(ScreenMapDeathTest, an_impossible_map_is_a_bug) {
  EXPECT_DEATH(ScreenMap({0, 0, 0, 10}, {10, 10}), "shows something");
  EXPECT_DEATH((void)ScreenMap({0, 0, 20, 20}, {10, 10}).cropped({0, 0, 5, 5}), "native resolution");
}

TEST(Rect, intersect_and_unite) {
  EXPECT_EQ(intersect({0, 0, 10, 10}, {5, -5, 10, 10}), (Rect{5, 0, 5, 5}));
  EXPECT_TRUE(intersect({0, 0, 10, 10}, {10, 0, 5, 5}).is_empty());
  EXPECT_EQ(unite({0, 0, 1, 1}, {}), (Rect{0, 0, 1, 1}));
  EXPECT_EQ(unite({0, 0, 1, 1}, {9, 9, 1, 1}), (Rect{0, 0, 10, 10}));
}

}  // namespace
}  // namespace capture
