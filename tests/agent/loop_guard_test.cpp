// Going round in circles: each way of it, and that ordinary work isn't taken for it.

#include "agent/loop_guard.h"

#include <gtest/gtest.h>

namespace agent {
namespace {

using Level = LoopGuard::Level;
using tools::Verdict;

LoopGuard::Step step(const std::string& action, std::uint64_t screen,
                     std::optional<Verdict> verdict = Verdict::Confirmed, bool ok = true) {
  return {action, screen, ok, verdict};
}

// The levels that the steps lead to, until it is stuck.
std::vector<Level> levels(const std::vector<LoopGuard::Step>& cycle, int n_rounds) {
  LoopGuard guard;
  std::vector<Level> seen;
  for (int round = 0; round < n_rounds; ++round) {
    for (const LoopGuard::Step& next : cycle) {
      const LoopGuard::Finding finding = guard.observe(next);
      if (finding.level != Level::Fine) {
        EXPECT_FALSE(finding.message.empty());
        seen.push_back(finding.level);
      }
      if (finding.level == Level::Stuck) return seen;
    }
  }
  return seen;
}

const std::vector<Level> kEscalation = {Level::Hint, Level::Replan, Level::Replan, Level::Stuck};

TEST(LoopGuard, the_same_action_with_the_same_screen) {
  EXPECT_EQ(levels({step("look", 7, std::nullopt)}, 20).front(), Level::Hint);
}

TEST(LoopGuard, an_unchanged_screen_whatever_is_tried) {
  LoopGuard guard;
  std::vector<Level> seen;
  for (int i = 0; i < 20 && (seen.empty() || seen.back() != Level::Stuck); ++i) {
    const LoopGuard::Finding finding = guard.observe(step("click " + std::to_string(i), 7, Verdict::NoOp));
    if (finding.level != Level::Fine) seen.push_back(finding.level);
  }
  EXPECT_EQ(seen, kEscalation);
}

TEST(LoopGuard, failures_in_a_row) {
  LoopGuard guard;
  std::vector<Level> seen;
  for (int i = 0; i < 20 && (seen.empty() || seen.back() != Level::Stuck); ++i) {
    const LoopGuard::Finding finding = guard.observe(step("shell " + std::to_string(i), 0, std::nullopt, false));
    if (finding.level != Level::Fine) seen.push_back(finding.level);
  }
  EXPECT_EQ(seen, kEscalation);
}

TEST(LoopGuard, a_state_that_is_visited_again_and_again) {
  const std::vector<Level> seen = levels({step("open menu", 1), step("close menu", 2), step("scroll", 3)}, 20);
  ASSERT_FALSE(seen.empty()) << "each step works, but nothing comes of it";
  EXPECT_EQ(seen.front(), Level::Hint);
  EXPECT_EQ(seen.back(), Level::Stuck);
}

TEST(LoopGuard, work_that_gets_on_is_left_alone) {
  std::vector<LoopGuard::Step> work;
  for (std::uint64_t i = 1; i < 60; ++i) work.push_back(step("key Down", i));
  for (std::uint64_t i = 60; i < 80; ++i) {
    work.push_back(step("look " + std::to_string(i), i, std::nullopt));
    work.push_back(step("click", i, i % 3 == 0 ? Verdict::NoOp : Verdict::Confirmed));
  }
  EXPECT_TRUE(levels(work, 1).empty());
}

}  // namespace
}  // namespace agent
