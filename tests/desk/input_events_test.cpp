// What a program gets of each action of the pointer and keyboard tools, as xev writes it down.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <regex>

#include "tools/keyboard.h"
#include "tools/pointer.h"
#include "tools/private_desktop.h"
#include "tools/tool_registry.h"

namespace tools {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::ElementsAre;
using Strings = std::vector<std::string>;

class InputEvents : public testing::Test {
 protected:
  InputEvents() {
    registry_.add(std::make_unique<PointerTool>(*desktop_));
    registry_.add(std::make_unique<KeyboardTool>(*desktop_, std::map<std::string, std::unique_ptr<TextRoute>>()));
    xev_.emplace(private_.launch({"xev", "-geometry", "400x300+100+100", "-event", "mouse", "-event", "keyboard"}));
    const std::optional<Window> window =
        desktop_->windows().wait_for([&](const Window& found) { return belongs_to_session(found, xev_->pid()); }, 10s);
    if (!window) throw std::runtime_error("xev didn't open");
    desktop_->windows().activate(window->id);
    middle_ = {window->client.x + 200, window->client.y + 150};
    desktop_->show(*desktop_->grab().frame);
    pointer({{"action", "move"}, {"x", middle_.x_pt}, {"y", middle_.y_pt}});
    n_seen_ = log().size();
  }
  ToolResult pointer(const json& arguments) { return call("pointer", arguments); }
  ToolResult keyboard(const json& arguments) { return call("keyboard", arguments); }
  ToolResult call(const std::string& name, const json& arguments) {
    ToolResult result = registry_.run({.id = "1", .name = name, .arguments = arguments}, {});
    EXPECT_TRUE(result.ok) << result.text;
    return result;
  }
  std::string log() const { return xev_->output(1 << 20); }

  // The events since the last call: "press 3 ctrl", "release 3", "down a", "up a", "move".
  Strings events(std::size_t n_wanted) {
    Strings found;
    for (int attempt = 0; attempt < 250 && found.size() < n_wanted; ++attempt) {
      if (attempt > 0) poll(nullptr, 0, 20);
      found = parsed(log().substr(n_seen_));
    }
    n_seen_ = log().size();
    return found;
  }
  Strings parsed(const std::string& text) {
    static const std::regex event(
        R"((ButtonPress|ButtonRelease|KeyPress|KeyRelease|MotionNotify) event,[\s\S]*?time (\d+),[\s\S]*?state 0x(\w+), )"
        R"((?:button (\d+)|keycode \d+ \(keysym 0x\w+, (\w+)\)|is_hint))");
    Strings found;
    times_ms_.clear();
    for (std::sregex_iterator at(text.begin(), text.end(), event), end; at != end; ++at) {
      const std::string kind = (*at)[1];
      const unsigned long state = std::stoul((*at)[3], nullptr, 16);
      const std::string modifiers = std::string((state & 4) != 0 ? " ctrl" : "") + ((state & 1) != 0 ? " shift" : "");
      if (kind == "MotionNotify") {
        found.push_back("move");
      } else if (kind.starts_with("Button")) {
        found.push_back((kind == "ButtonPress" ? "press " : "release ") + (*at)[4].str() + modifiers);
      } else {
        found.push_back((kind == "KeyPress" ? "down " : "up ") + (*at)[5].str() + modifiers);
      }
      times_ms_.push_back(std::stol((*at)[2]));
    }
    return found;
  }

  PrivateDesktop private_ = PrivateDesktop::start();
  std::unique_ptr<Desktop> desktop_ = Desktop::open({.display = private_.display(), .is_private = true});
  ToolRegistry registry_;
  std::optional<DesktopProcess> xev_;
  capture::DesktopPoint middle_{};
  std::size_t n_seen_ = 0;
  std::vector<long> times_ms_;  // the server's, of the events parsed last
};

TEST_F(InputEvents, clicks_have_their_button_count_and_modifiers) {
  pointer({{"action", "click"}, {"button", "right"}, {"count", 2}, {"modifiers", {"ctrl", "shift"}}});
  EXPECT_THAT(events(8),
              ElementsAre("down Control_L", "down Shift_L ctrl", "press 3 ctrl shift", "release 3 ctrl shift",
                          "press 3 ctrl shift", "release 3 ctrl shift", "up Shift_L ctrl shift", "up Control_L ctrl"));
  for (const auto& [name, number] : {std::pair{"middle", "2"}, std::pair{"back", "8"}, std::pair{"forward", "9"}}) {
    pointer({{"action", "click"}, {"button", name}});
    EXPECT_THAT(events(2), ElementsAre(std::string("press ") + number, std::string("release ") + number));
  }
}

TEST_F(InputEvents, two_single_clicks_are_far_enough_apart_to_stay_single) {
  const auto click_at = [&](int x) { pointer({{"action", "click"}, {"x", x}, {"y", middle_.y_pt}}); };
  const auto ms_between_presses = [&] {
    const Strings found = events(5);  // one is the way to the second place
    std::vector<long> presses;
    for (std::size_t event_idx = 0; event_idx < found.size(); ++event_idx)
      if (found[event_idx] == "press 1") presses.push_back(times_ms_[event_idx]);
    return presses.size() == 2 ? presses[1] - presses[0] : -1;
  };
  click_at(middle_.x_pt);
  click_at(middle_.x_pt + 3);
  EXPECT_GE(ms_between_presses(), 600);
  click_at(middle_.x_pt + 3);
  click_at(middle_.x_pt + 103);
  EXPECT_GE(ms_between_presses(), 300);
}

TEST_F(InputEvents, buttons_and_keys_are_held_from_one_call_to_another) {
  pointer({{"action", "press"}});
  EXPECT_THAT(events(1), ElementsAre("press 1"));
  keyboard({{"action", "press"}, {"keys", "shift"}});
  keyboard({{"action", "key"}, {"keys", "a"}});
  EXPECT_THAT(events(3), ElementsAre("down Shift_L", "down A shift", "up A shift"));
  keyboard({{"action", "release"}, {"keys", "shift"}});
  pointer({{"action", "release"}});
  EXPECT_THAT(events(2), ElementsAre("up Shift_L shift", "release 1"));
}

TEST_F(InputEvents, a_key_is_held_as_long_as_asked_and_repeated_as_often) {
  keyboard({{"action", "hold"}, {"keys", "F5"}, {"duration_ms", 300}});
  const Strings held = events(2);
  ASSERT_GE(held.size(), 2U);
  EXPECT_EQ(held.front(), "down F5");
  EXPECT_EQ(held.back(), "up F5");
  EXPECT_GE(times_ms_.back() - times_ms_.front(), 290);
  keyboard({{"action", "key"}, {"keys", "ctrl+x"}, {"repeat", 3}});
  const Strings once = {"down Control_L", "down x ctrl", "up x ctrl", "up Control_L ctrl"};
  Strings thrice;
  for (int i = 0; i < 3; ++i) thrice.insert(thrice.end(), once.begin(), once.end());
  EXPECT_EQ(events(12), thrice);
}

TEST_F(InputEvents, the_wheel_turns_in_notches_in_all_four_directions) {
  pointer({{"action", "scroll"}, {"down", 2}});
  EXPECT_THAT(events(4), ElementsAre("press 5", "release 5", "press 5", "release 5"));
  pointer({{"action", "scroll"}, {"down", -1}});
  EXPECT_THAT(events(2), ElementsAre("press 4", "release 4"));
  pointer({{"action", "scroll"}, {"right", 1}});
  EXPECT_THAT(events(2), ElementsAre("press 7", "release 7"));
  pointer({{"action", "scroll"}, {"right", -1}});
  EXPECT_THAT(events(2), ElementsAre("press 6", "release 6"));
}

TEST_F(InputEvents, a_move_is_eased_when_it_is_given_time_and_jumps_else) {
  pointer({{"action", "move"}, {"x", middle_.x_pt + 100}, {"y", middle_.y_pt}, {"duration_ms", 300}});
  EXPECT_GE(events(12).size(), 12U);
  EXPECT_EQ(desktop_->pointer()->x_pt, middle_.x_pt + 100);
  pointer({{"action", "move"}, {"x", middle_.x_pt}, {"y", middle_.y_pt}});
  EXPECT_THAT(events(1), ElementsAre("move"));
}

}  // namespace
}  // namespace tools
