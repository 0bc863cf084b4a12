#include "agent/call_translator.h"

#include <gtest/gtest.h>

#include <opencv2/core/mat.hpp>

namespace agent {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

capture::Frame frame_of(cv::Mat pixels) {
  return {std::move(pixels), capture::ScreenMap({0, 0, 1920, 1080}, {896, 504})};
}

// As full of strokes as a page of text.
const capture::Frame& picture() {
  static const capture::Frame frame = [] {
    cv::Mat pixels(504, 896, CV_8UC4, cv::Scalar::all(0));
    for (int x = 0; x < pixels.cols; x += 8) pixels.col(x).setTo(cv::Scalar::all(255));
    return frame_of(std::move(pixels));
  }();
  return frame;
}

tools::ToolCall translated(const std::string& name, const ordered_json& arguments, const ModelInfo& model) {
  const auto result = translate({"c1", name, arguments}, model, &picture());
  if (const auto* problem = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *problem;
    return {};
  }
  return std::get<tools::ToolCall>(result);
}

const ModelInfo kPixels = {.coordinates = CoordinateSpace::Pixels};
const ModelInfo kNorm1000 = {.coordinates = CoordinateSpace::Norm1000};
const ModelInfo kShort = {.coordinates = CoordinateSpace::Norm999, .speaks_short_calls = true};

TEST(CallTranslator, pixels_pass_unchanged_zero_too) {
  const json arguments = {{"action", "click"}, {"x", 0}, {"y", 503}};
  EXPECT_EQ(translated("pointer", arguments, kPixels).arguments, arguments);
}

TEST(CallTranslator, thousandths_become_pixels_of_the_picture_that_was_shown) {
  const tools::ToolCall call = translated("pointer", {{"action", "click"}, {"x", 500}, {"y", 1000}}, kNorm1000);
  EXPECT_EQ(call.arguments["x"], 448.0);
  EXPECT_EQ(call.arguments["y"], 503);
  const tools::ToolCall click = translated("click", {{"x", "000"}, {"y", "999"}}, kShort);
  EXPECT_NEAR(click.arguments["x"].get<double>(), 0.448, 1e-9);
  EXPECT_NEAR(click.arguments["y"].get<double>(), 503.748, 1e-9);
}

TEST(CallTranslator, out_of_range_stays_out_of_range) {
  const tools::ToolCall call = translated("pointer", {{"action", "click"}, {"x", 1500}, {"y", -10}}, kNorm1000);
  EXPECT_GT(call.arguments["x"].get<double>(), 896);
  EXPECT_LT(call.arguments["y"].get<double>(), 0);
}

TEST(CallTranslator, short_calls_become_tools) {
  EXPECT_EQ(translated("type", {{"text", "042"}}, kShort).arguments, (json{{"action", "type"}, {"text", "042"}}))
      << "text stays text";
  EXPECT_EQ(translated("key", {{"keys", "ctrl+s"}}, kShort).arguments, (json{{"action", "key"}, {"keys", "ctrl+s"}}));
  const tools::ToolCall twice =
      translated("click", {{"x", 10}, {"y", 20}, {"count", "2"}, {"button", "right"}}, kShort);
  EXPECT_EQ(twice.name, "pointer");
  EXPECT_EQ(twice.arguments["count"], 2);
  EXPECT_EQ(twice.arguments["button"], "right");
  const tools::ToolCall scroll = translated("scroll", {{"x", 10}, {"y", 20}, {"dy", "-3"}}, kShort);
  EXPECT_EQ(scroll.arguments["down"], -3);
  const tools::ToolCall drag = translated("drag", {{"x", 0}, {"y", 0}, {"to_x", 500}, {"to_y", 500}}, kShort);
  ASSERT_EQ(drag.arguments["path"].size(), 2U);
  EXPECT_NEAR(drag.arguments["path"][1][0].get<double>(), 500.5 * 896 / 1000, 1e-9);
  EXPECT_EQ(translated("wait", {{"seconds", "5"}}, kShort).arguments, (json{{"until", "time"}, {"seconds", 5}}));
  EXPECT_EQ(translated("shell", {{"command", "wc -l x"}}, kShort).arguments, (json{{"command", "wc -l x"}}));
}

TEST(CallTranslator, a_closer_look_shows_a_quarter_of_the_picture_around_the_point) {
  const auto region = [](const char* x, const char* y) {
    const tools::ToolCall call = translated("zoom", {{"x", x}, {"y", y}}, kShort);
    EXPECT_EQ(call.name, "screenshot");
    return call.arguments["region"];
  };
  EXPECT_EQ(region("500", "500"), json({224, 126, 448, 252}));
  EXPECT_EQ(region("000", "999"), json({0, 252, 448, 252})) << "edges stop it";
  EXPECT_EQ(region("999", "100"), json({448, 0, 448, 252}));
  EXPECT_EQ(region("9007199254740992", "-9007199254740992"), json({448, 0, 448, 252}));
  for (const ordered_json& arguments : {ordered_json{{"x", "1"}}, ordered_json{{"x", "left"}, {"y", "2"}}}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(translate({"c1", "zoom", arguments}, kShort, &picture())));
  }
  EXPECT_TRUE(std::holds_alternative<std::string>(translate({"c1", "zoom", ordered_json::object()}, kShort, nullptr)));
}

TEST(CallTranslator, where_nothing_is_drawn_there_is_nothing_to_be_read) {
  const ordered_json middle = {{"x", "500"}, {"y", "500"}};
  const auto looks = [&](const cv::Mat& pixels) {
    const capture::Frame frame = frame_of(pixels);
    return std::holds_alternative<tools::ToolCall>(translate({"c1", "zoom", middle}, kShort, &frame));
  };
  cv::Mat pixels(504, 896, CV_8UC4, cv::Scalar::all(40));
  EXPECT_FALSE(looks(pixels));
  for (int x = 0; x < pixels.cols; ++x) pixels.col(x).setTo(cv::Scalar(x / 4.0, 90, 255 - x / 4.0, x % 2 * 255.0));
  EXPECT_FALSE(looks(pixels)) << "a gradient; the fourth byte is no colour";
  pixels.col(300).setTo(cv::Scalar::all(0));
  EXPECT_TRUE(looks(pixels)) << "the end of a text that begins left of the point";
}

TEST(CallTranslator, the_point_of_a_closer_look_is_said_again_where_it_is_there) {
  const auto said = [](const char* x, const char* y) {
    const ModelCall zoom = {"c1", "zoom", {{"x", x}, {"y", y}}};
    const json part = std::get<tools::ToolCall>(translate(zoom, kShort, &picture())).arguments["region"];
    const capture::Rect area_pt = picture().screen_map.area_to_desktop({part[0], part[1], part[2], part[3]});
    const capture::Frame closer(cv::Mat(504, 896, CV_8UC4, cv::Scalar::all(0)),
                                capture::ScreenMap(area_pt, {896, 504}));
    return point_in_closer_look(zoom, kShort, picture(), closer);
  };
  EXPECT_EQ(said("500", "500"), "502 501") << "the middle of the thousandth is meant";
  EXPECT_EQ(said("035", "458"), "071 501");
  EXPECT_EQ(said("900", "999"), "802 998");
  EXPECT_EQ(point_in_closer_look({"c1", "zoom", {{"x", "left"}, {"y", "2"}}}, kShort, picture(), picture()), "");
}

TEST(CallTranslator, what_is_no_number_is_left_for_the_schema_to_refuse) {
  EXPECT_EQ(translated("click", {{"x", "left"}, {"y", 2}}, kShort).arguments["x"], "left");
  for (const char* huge : {"inf", "nan", "1e300", "-1e19"}) {
    EXPECT_EQ(translated("wait", {{"seconds", huge}}, kShort).arguments["seconds"], huge);
  }
  const tools::ToolCall part = translated("screenshot", {{"region", {0, 0, 1e300, 500}}}, kNorm1000);
  EXPECT_EQ(part.arguments["region"], json({0, 0, -1, 252}));
}

TEST(CallTranslator, a_point_without_a_picture_is_refused) {
  const auto result = translate({"c1", "click", {{"x", 1}, {"y", 2}}}, kShort, nullptr);
  ASSERT_TRUE(std::holds_alternative<std::string>(result));
  EXPECT_NE(std::get<std::string>(result).find("screenshot"), std::string::npos);
}

}  // namespace
}  // namespace agent
