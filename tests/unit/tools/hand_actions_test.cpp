// What hands do, grouped into actions.

#include "tools/hand_actions.h"

#include <gtest/gtest.h>

namespace tools {
namespace {

using Kind = HandEvent::Kind;
using Op = Action::Op;

class Hands : public testing::Test {
 protected:
  void push(HandEvent event, int after_ms = 20) {
    now_ms_ += after_ms;
    event.at_ms = now_ms_;
    if (std::optional<Action> action = actions_.push(event)) done_.push_back(std::move(*action));
  }
  void button(int number, int x, int y, int after_ms = 20, std::vector<std::string> modifiers = {}) {
    push({.kind = Kind::ButtonPress, .point = {x, y}, .button = number, .modifiers = modifiers}, after_ms);
    push({.kind = Kind::ButtonRelease, .point = {x, y}, .button = number, .modifiers = std::move(modifiers)});
  }
  void key(std::uint32_t keysym, const std::string& text, std::vector<std::string> modifiers = {}) {
    push({.kind = Kind::KeyPress, .keysym = keysym, .text = text, .modifiers = modifiers});
    push({.kind = Kind::KeyRelease, .keysym = keysym, .modifiers = std::move(modifiers)});
  }
  void type(const std::string& letters) {
    for (const char letter : letters) key(static_cast<std::uint32_t>(letter), std::string(1, letter));
  }
  std::vector<Action> finish() {
    if (std::optional<Action> action = actions_.finish()) done_.push_back(std::move(*action));
    return done_;
  }

  HandActions actions_;
  std::vector<Action> done_;
  int now_ms_ = 1000;
};

constexpr std::uint32_t kBackSpace = 0xff08, kReturn = 0xff0d, kShift = 0xffe1, kDeadAcute = 0xfe51, kLeft = 0xff51;

TEST_F(Hands, clicks_that_follow_soon_and_near_are_one_double_click) {
  button(1, 100, 50);
  button(1, 102, 51, 180);
  button(1, 102, 51, 600);
  const std::vector<Action> actions = finish();
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(actions[0].op, Op::Click);
  EXPECT_EQ(actions[0].count, 2);
  EXPECT_EQ(actions[0].target->x, 100);
  EXPECT_TRUE(actions[0].path.empty());
  EXPECT_EQ(actions[1].count, 1);
}

TEST_F(Hands, a_press_that_moves_is_a_drag_along_its_path) {
  push({.kind = Kind::ButtonPress, .point = {10, 10}, .button = 1});
  for (int x = 10; x <= 200; x += 10) push({.kind = Kind::Motion, .point = {x, 20}});
  push({.kind = Kind::ButtonRelease, .point = {200, 20}, .button = 1});
  const std::vector<Action> actions = finish();
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].op, Op::Drag);
  EXPECT_EQ(actions[0].path.front().x, 10);
  EXPECT_EQ(actions[0].path.back().x, 200);
  EXPECT_GT(actions[0].path.size(), 10u);
}

TEST_F(Hands, notches_of_one_turn_add_up) {
  for (int n = 0; n < 3; ++n) button(5, 300, 300);
  button(4, 300, 300, 2000);
  const std::vector<Action> actions = finish();
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(actions[0].scroll->dy, 3);
  EXPECT_EQ(actions[1].scroll->dy, -1);
}

TEST_F(Hands, text_is_one_action_with_its_corrections_made) {
  type("helo");
  key(kBackSpace, "\b");
  type("lo");
  key(kShift, "");
  key('W', "W", {"shift"});
  key(kReturn, "\r");
  const std::vector<Action> actions = finish();
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(actions[0].op, Op::Type);
  EXPECT_EQ(actions[0].text, "helloW");
  EXPECT_EQ(actions[1].keys, (std::vector<std::string>{"Return"}));
}

TEST_F(Hands, text_that_was_taken_back_whole_is_no_action) {
  type("a");
  key(kBackSpace, "\b");
  button(1, 5, 5);
  const std::vector<Action> actions = finish();
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].op, Op::Click);
}

TEST_F(Hands, letters_beyond_ascii_and_dead_keys_arrive_as_text) {
  key(kDeadAcute, "");
  key('e', "é");
  key(0x20ac, "€");  // with AltGr
  const std::vector<Action> actions = finish();
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].text, "é€");
}

TEST_F(Hands, chords_are_told_by_name_and_repeats_are_counted) {
  key('s', "s", {"ctrl"});
  key('S', "S", {"ctrl", "shift"});
  for (int n = 0; n < 3; ++n) key(kLeft, "");
  const std::vector<Action> actions = finish();
  ASSERT_EQ(actions.size(), 3u);
  EXPECT_EQ(actions[0].keys, (std::vector<std::string>{"ctrl", "s"}));
  EXPECT_EQ(actions[1].keys, (std::vector<std::string>{"ctrl", "shift", "s"}));
  EXPECT_EQ(actions[2].count, 3);
}

TEST_F(Hands, modifiers_belong_to_the_click) {
  button(1, 10, 10, 20, {"ctrl"});
  EXPECT_EQ(finish()[0].modifiers, (std::vector<std::string>{"ctrl"}));
}

TEST_F(Hands, all_actions_are_valid_canonical_records) {
  button(3, 10, 10);
  type("hi");
  key('s', "s", {"ctrl"});
  button(5, 1, 1);
  for (const Action& action : finish()) {
    const auto parsed = parse_action(to_json(action));
    ASSERT_TRUE(std::holds_alternative<Action>(parsed)) << std::get<ActionError>(parsed).message;
    EXPECT_EQ(std::get<Action>(parsed), action);
  }
}

}  // namespace
}  // namespace tools
