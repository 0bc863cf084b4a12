// The wording of steps for small models.

#include "agent/short_goal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace agent {
namespace {

TEST(ShortGoal, is_a_sentence) {
  EXPECT_EQ(as_short_goal("click 7", {}), "Click 7");
  EXPECT_EQ(as_short_goal("Turn on Wrap", {}), "Turn on Wrap");
  EXPECT_EQ(as_short_goal("", {}), "");
}

TEST(ShortGoal, starts_applications_and_opens_everything_else) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / ("applications" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "sums.desktop") << "[Desktop Entry]\nType=Application\nName=Sums\nExec=sums\n";
  EXPECT_EQ(as_short_goal("open Sums", {folder}), "Start Sums");
  EXPECT_EQ(as_short_goal("open File", {folder}), "Open File");
  std::filesystem::remove_all(folder);
}

TEST(ShortGoal, tells_states_and_questions_from_acts) {
  for (const char* state : {"Turn on Wrap", "uncheck Wrap", "Is Wrap on?", "How many lines has a.txt?"}) {
    EXPECT_TRUE(may_hold_already(state)) << state;
  }
  for (const char* act : {"Make the text larger", "Show hidden files", "click 7", "Double-click notes.txt",
                          "Type \"a\"", "Press Enter", "start Calculator"}) {
    EXPECT_FALSE(may_hold_already(act)) << act;
  }
}

}  // namespace
TEST(ShortGoal, words_end_a_question_and_nothing_else) {
  for (const std::string asked : {"How many lines has notes.txt?", "read 512 073", "What is in Name?"}) {
    EXPECT_TRUE(wants_answer(asked)) << asked;
  }
  for (const std::string act : {"Turn on Wrap", "Click Save, then click Close", "Rename a.txt to b.txt"}) {
    EXPECT_FALSE(wants_answer(act)) << act;
  }
}

}  // namespace agent
