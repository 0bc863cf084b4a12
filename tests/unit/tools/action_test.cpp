#include "tools/action.h"

#include <gtest/gtest.h>

#include "tools/utf8.h"

namespace {

using tools::Action;
using tools::ActionError;
using tools::parse_action;
using tools::Target;

std::string error_of(const std::string& text) {
  const auto parsed = parse_action(text);
  const auto* error = std::get_if<ActionError>(&parsed);
  return error ? error->message : "";
}

Action action_of(const std::string& text) {
  const auto parsed = parse_action(text);
  EXPECT_TRUE(std::holds_alternative<Action>(parsed)) << error_of(text);
  return std::get<Action>(parsed);
}

TEST(ActionRecord, round_trips_with_every_field) {
  const Action click = action_of(
      R"({"op":"click","target":{"space":"norm1000","x":0,"y":12.5,"width":3,"height":4,"axis_order":"yx"},
          "capture":{"id":"7","width_px":896,"height_px":504},"button":"right","count":2,"modifiers":["ctrl","shift"],
          "expect":"a menu opens","source":{"dialect":"qwen","version":"3","raw":"…"}})");
  EXPECT_EQ(click.target->axis_order, Target::AxisOrder::YX);
  EXPECT_EQ(std::get<Action>(parse_action(tools::to_json(click))), click);
  for (const char* text :
       {R"({"op":"drag","path":[{"space":"px","x":0,"y":0},{"space":"px","x":300,"y":0}],"duration_ms":0})",
        R"({"op":"scroll","scroll":{"dx":0,"dy":-3,"unit":"notch"}})", R"({"op":"key","keys":["ctrl","s"],"count":3})",
        R"({"op":"hold","keys":["a"],"duration_ms":1500})", R"({"op":"type","text":"a\n\t'\"$(x)`"})",
        R"({"op":"zoom","region":{"x":0,"y":0,"width":10,"height":10}})", R"({"op":"finish","status":"failure"})",
        R"({"op":"click","target":{"space":"window","id":"0x1","x":0,"y":0}})", R"({"op":"wait","duration_ms":0})"})
    EXPECT_EQ(tools::to_json(action_of(text)).dump(),
              tools::to_json(action_of(tools::to_json(action_of(text)).dump())).dump());
}

TEST(ActionRecord, key_names_become_canonical) {
  EXPECT_EQ(action_of(R"({"op":"key","keys":["CTRL","enter"]})").keys, (std::vector<std::string>{"ctrl", "Return"}));
}

TEST(ActionRecord, says_what_is_wrong_and_where) {
  EXPECT_EQ(error_of("{"), "the action is not JSON");
  EXPECT_EQ(error_of("[]"), "the action must be an object");
  EXPECT_EQ(error_of("{}"), "op is missing");
  EXPECT_EQ(error_of(R"({"op":"fly"})"), "op \"fly\" is not known");
  EXPECT_EQ(error_of(R"({"op":"move"})"), "target is missing: move needs it");
  EXPECT_EQ(error_of(R"({"op":"move","target":{"space":"px","x":"5","y":1}})"), "target.x must be a number");
  EXPECT_EQ(error_of(R"({"op":"move","target":{"space":"px","x":5}})"), "target.y is missing");
  EXPECT_EQ(error_of(R"({"op":"click","colour":1})"), "colour is not known here");
  EXPECT_EQ(error_of(R"({"op":"click","keys":["a"]})"), "keys doesn't belong to click");
  EXPECT_EQ(error_of(R"({"op":"click","count":0})"), "count is out of range");
  EXPECT_EQ(error_of(R"({"op":"click","count":1.5})"), "count must be a whole number");
  EXPECT_EQ(error_of(R"({"op":"click","modifiers":["a"]})"), "modifiers \"a\" is no modifier");
  EXPECT_EQ(error_of(R"({"op":"key","keys":["ctrl","foo"]})"), "keys names a key that doesn't exist: \"foo\"");
  EXPECT_EQ(error_of(R"({"op":"drag","path":[{"space":"px","x":1,"y":1}]})"), "path needs two points or more");
  EXPECT_EQ(error_of(R"({"op":"scroll","scroll":{"dx":0,"dy":0}})"), "scroll scrolls by nothing");
  EXPECT_EQ(error_of(R"({"op":"wait","duration_ms":300001})"), "duration_ms is out of range");
  EXPECT_EQ(error_of(std::string(100'000, '[')), "the action is nested too deeply");
}

double x_of(const Target& target, capture::Size size) {
  return std::get<tools::PointPx>(tools::resolve(target, size)).x_px;
}

TEST(ActionTarget, spaces_axes_and_boxes_mean_what_they_say) {
  const capture::Size size{1920, 1080};
  EXPECT_EQ(x_of({.space = Target::Space::Px, .x = 0, .y = 0}, size), 0);
  EXPECT_EQ(x_of({.space = Target::Space::Norm1000, .x = 500, .y = 500}, size), 960);
  EXPECT_EQ(x_of({.space = Target::Space::Norm1000, .x = 1000, .y = 1000}, size), 1919);
  EXPECT_EQ(x_of({.space = Target::Space::Norm999, .x = 999, .y = 999}, size), 1919);
  EXPECT_EQ(x_of({.space = Target::Space::Norm1, .x = 0.512, .y = 0.5}, size), 0.512 * 1920);
  EXPECT_EQ(x_of({.space = Target::Space::Px, .x = 100, .y = 10, .width = 20, .height = 10}, size), 110);
  EXPECT_EQ(x_of({.space = Target::Space::Norm1000, .x = 100, .y = 500, .axis_order = Target::AxisOrder::YX}, size),
            960);
}

TEST(ActionTarget, a_point_outside_is_an_error_not_an_edge) {
  // Inside the native screen, outside the picture of 896 x 504 that the model saw.
  const auto resolved = tools::resolve({.space = Target::Space::Px, .x = 1500, .y = 400}, {896, 504});
  ASSERT_TRUE(std::holds_alternative<ActionError>(resolved));
  EXPECT_TRUE(std::holds_alternative<ActionError>(tools::resolve({.x = -1, .y = 0}, {896, 504})));
  EXPECT_TRUE(std::holds_alternative<ActionError>(tools::resolve({.x = 0, .y = 504}, {896, 504})));
}

TEST(ActionScroll, pixels_and_pages_become_notches_and_too_much_is_an_error) {
  const auto down = [](double dy, tools::ScrollAmount::Unit unit) {
    const auto notches = tools::to_notches({.dy = dy, .unit = unit});
    const auto* whole = std::get_if<tools::Notches>(&notches);
    return whole ? whole->down : -999;
  };
  using Unit = tools::ScrollAmount::Unit;
  EXPECT_EQ(down(3, Unit::Notch), 3);
  EXPECT_EQ(down(300, Unit::Px), 3);
  EXPECT_EQ(down(-5, Unit::Px), -1);
  EXPECT_EQ(down(1, Unit::Page), 5);
  EXPECT_EQ(down(300, Unit::Notch), -999);
}

TEST(TypeableText, line_ends_are_one_return_each_and_control_characters_are_refused) {
  EXPECT_EQ(tools::typeable("a\r\nb\rc\n\td  e"), U"a\nb\nc\n\td  e");
  EXPECT_EQ(tools::typeable(std::string("a\0b", 3)), std::nullopt);
  EXPECT_EQ(tools::typeable("\x1b[2J"), std::nullopt);
  EXPECT_EQ(tools::typeable("\xc0\x80"), std::nullopt);
  EXPECT_EQ(tools::typeable("\xed\xa0\x80"), std::nullopt);
  EXPECT_EQ(tools::typeable("😀"), U"😀");
}

}  // namespace
