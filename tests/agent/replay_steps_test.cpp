// Steps of a recorded session with other texts and in another folder.
#include <gtest/gtest.h>

#include "agent/error.h"
#include "agent/replay.h"

namespace agent {
namespace {

ReplayStep typing(const std::string& parameter, const std::string& text, const std::string& title) {
  ReplayStep step;
  step.call = {"", "keyboard", {{"action", "type"}, {"text", text}}};
  step.parameter = parameter;
  step.anchors.emplace_back().window.emplace().title = title;
  return step;
}

TEST(SetParameters, TakesNoNewTextForAnOldOne) {
  std::vector<ReplayStep> steps = {typing("text1", "apples", "apples and pears"),
                                   typing("text2", "pears", "pears, apples")};
  set_parameters(steps, {{"text1", "pears"}, {"text2", "plums"}});
  EXPECT_EQ(*entered_text(steps[0]), "pears");
  EXPECT_EQ(*entered_text(steps[1]), "plums");
  EXPECT_EQ(steps[0].anchors[0].window->title, "pears and plums");
  EXPECT_EQ(steps[1].anchors[0].window->title, "plums, pears");
}

TEST(SetParameters, RenamesTheLongestTextThatStandsThere) {
  std::vector<ReplayStep> steps = {typing("text1", "note", "notebook, note"), typing("text2", "notebook", "nothing")};
  set_parameters(steps, {{"text1", "letter"}, {"text2", "folder"}});
  EXPECT_EQ(steps[0].anchors[0].window->title, "folder, letter");
  EXPECT_EQ(steps[1].anchors[0].window->title, "nothing");
}

TEST(SetParameters, LeavesTitlesAloneForAShortText) {
  std::vector<ReplayStep> steps = {typing("text1", "a", "a calculator")};
  set_parameters(steps, {{"text1", "b"}});
  EXPECT_EQ(*entered_text(steps[0]), "b");
  EXPECT_EQ(steps[0].anchors[0].window->title, "a calculator");
}

TEST(SetParameters, SaysWhichParametersThereAre) {
  std::vector<ReplayStep> steps = {typing("text1", "apples", "")};
  try {
    set_parameters(steps, {{"text2", "plums"}});
    FAIL() << "an unknown parameter was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("there are text1"), std::string::npos) << error.what();
  }
}

TEST(MoveWorkspace, NamesTheNewFolderInCallsAndTitles) {
  std::vector<ReplayStep> steps = {typing("text1", "cat /old/a /old/b", "a (/old)")};
  move_workspace(steps, "/old", "/old/new");
  EXPECT_EQ(*entered_text(steps[0]), "cat /old/new/a /old/new/b");
  EXPECT_EQ(steps[0].anchors[0].window->title, "a (/old/new)");
}

}  // namespace
}  // namespace agent
