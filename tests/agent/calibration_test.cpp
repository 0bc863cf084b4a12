// Measuring how a model writes points.

#include "agent/calibration.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "agent/call_translator.h"

namespace agent {
namespace {

// Targets all over a picture, and what a model of some convention says about each.
std::vector<PointSample> samples(const std::function<std::pair<double, double>(double x, double y)>& said) {
  std::vector<PointSample> all;
  for (int x = 40; x < 880; x += 120) {
    for (int y = 30; y < 480; y += 90) {
      const auto [said_x, said_y] = said(x + 16, y + 8);
      all.push_back({said_x, said_y, {x, y, 32, 16}, {896, 504}});
    }
  }
  return all;
}

PointFit fit(const std::function<std::pair<double, double>(double, double)>& said,
             CoordinateSpace declared = CoordinateSpace::Pixels) {
  const auto all = samples(said);
  return fit_points(all, static_cast<int>(all.size()), declared);
}

TEST(Calibration, recognises_each_convention) {
  const PointFit pixels = fit([](double x, double y) { return std::pair(x + 1, y - 1); });
  EXPECT_EQ(pixels.space, CoordinateSpace::Pixels);
  EXPECT_FALSE(pixels.is_yx);
  EXPECT_EQ(pixels.n_hits, pixels.n_asked);
  EXPECT_LT(pixels.median_error_px, 2);
  EXPECT_EQ(problem_with(pixels), "");
  const PointFit norm = fit([](double x, double y) { return std::pair(x * 1000 / 896, y * 1000 / 504); });
  EXPECT_EQ(norm.space, CoordinateSpace::Norm1000);
  EXPECT_EQ(norm.n_hits, norm.n_asked);
  const PointFit swapped = fit([](double x, double y) { return std::pair(y * 1000 / 504, x * 1000 / 896); });
  EXPECT_EQ(swapped.space, CoordinateSpace::Norm1000);
  EXPECT_TRUE(swapped.is_yx);
  const auto in_thousandths = [](double x, double y) {
    return std::pair(std::floor(x * 1000 / 896), std::floor(y * 1000 / 504));
  };
  const PointFit thousandths = fit(in_thousandths, CoordinateSpace::Norm999);
  EXPECT_EQ(thousandths.space, CoordinateSpace::Norm999);
}

TEST(Calibration, outliers_do_not_decide_but_a_model_that_guesses_is_refused) {
  int n = 0;
  const PointFit mostly = fit([&](double x, double y) { return ++n % 5 == 0 ? std::pair(3.0, 3.0) : std::pair(x, y); });
  EXPECT_EQ(mostly.space, CoordinateSpace::Pixels);
  EXPECT_EQ(problem_with(mostly), "");
  const PointFit blind = fit([](double, double) { return std::pair(448.0, 252.0); });
  EXPECT_NE(problem_with(blind).find("miss too often"), std::string::npos);
  EXPECT_NE(problem_with(fit_points({}, 30)), "") << "no point at all";
}

class StoredFit : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("XDG_DATA_HOME", root_.c_str(), 1); }
  void TearDown() override {
    ::unsetenv("XDG_DATA_HOME");
    std::filesystem::remove_all(root_);
  }
  std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) / ("calibration" + std::to_string(::getpid()));
};

TEST_F(StoredFit, takes_the_place_of_what_was_declared) {
  ModelInfo info{.name = "org/model v2"};
  apply_stored_fit(info);
  EXPECT_EQ(info.coordinates, CoordinateSpace::Pixels) << "nothing is known yet";
  save_fit(info.name, {.space = CoordinateSpace::Norm1000, .is_yx = true, .n_asked = 30, .n_hits = 28});
  apply_stored_fit(info);
  EXPECT_EQ(info.coordinates, CoordinateSpace::Norm1000);
  EXPECT_TRUE(info.points_are_yx);
  EXPECT_EQ(info.pointing_problem, "");
  std::ofstream(calibration_path(info.name)) << "{}";
  EXPECT_THROW(apply_stored_fit(info), Error);
}

TEST_F(StoredFit, points_of_a_bad_fit_are_refused_with_the_reason) {
  ModelInfo info{.name = "blind"};
  save_fit(info.name, {.n_asked = 30, .n_hits = 2, .median_error_px = 210});
  apply_stored_fit(info);
  const auto refused = translate({"1", "pointer", {{"action", "click"}, {"x", 3}, {"y", 4}}}, info, nullptr);
  ASSERT_TRUE(std::holds_alternative<std::string>(refused));
  EXPECT_NE(std::get<std::string>(refused).find("2 of 30 targets hit"), std::string::npos);
  EXPECT_TRUE(
      std::holds_alternative<tools::ToolCall>(translate({"1", "keyboard", {{"action", "key"}}}, info, nullptr)));
  EXPECT_TRUE(std::holds_alternative<tools::ToolCall>(
      translate({"1", "screenshot", nlohmann::ordered_json::object()}, info, nullptr)));
}

TEST(PointOrder, is_turned_round_for_models_that_write_the_vertical_first) {
  const ModelInfo info{.name = "m", .points_are_yx = true};
  const auto call = translate(
      {"1", "pointer", {{"action", "drag"}, {"x", 3}, {"y", 4}, {"path", {{1, 2}, {3, 4}}}, {"region", {1, 2, 3, 4}}}},
      info, nullptr);
  EXPECT_EQ(std::get<tools::ToolCall>(call).arguments.dump(),
            R"({"action":"drag","path":[[2,1],[4,3]],"region":[2,1,4,3],"x":4,"y":3})");
}

}  // namespace
}  // namespace agent
