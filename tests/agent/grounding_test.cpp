// Answers against what was read for them.

#include "agent/grounding.h"

#include <gtest/gtest.h>

namespace agent {
namespace {

bool stands(const std::string& answer, const std::string& question, const std::vector<Reading>& readings) {
  return problem_with_answer(answer, question, readings).empty();
}

TEST(Grounding, an_answer_says_what_was_read) {
  const std::string question = "How many lines has notes.txt?";
  EXPECT_TRUE(stands("notes.txt has 40 lines.", question, {{"40 notes.txt"}}));
  EXPECT_TRUE(stands("40", question, {{"bash: wx: command not found", true}, {"40 notes.txt"}})) << "at the second try";
  EXPECT_TRUE(stands("In 2024.txt are 7 lines.", "How many lines has 2024.txt?", {{"7"}}))
      << "a number of the question";
  EXPECT_TRUE(stands("Die Straße", "What is the first line of a.txt?", {{"Die Straße"}}));
  EXPECT_FALSE(stands("notes.txt has 41 lines.", question, {{"40 notes.txt"}})) << "another number";
  EXPECT_FALSE(stands("notes.txt has 40 lines.", question, {{"wc: notes.txt: No such file or directory", true}}));
  EXPECT_FALSE(stands("Stop", question, {{"40 notes.txt"}})) << "nothing of it was read";
  EXPECT_FALSE(stands("Yes, it is.", "Does a.txt exist?", {{""}})) << "nothing was printed";
  EXPECT_FALSE(stands("There are leteors.", "How many files are in letters?",
                      {{"ls: cannot access 'leteors': No such file or directory\n0"}}))
      << "no number";
}

TEST(Grounding, what_is_contained_has_to_be_looked_for) {
  const std::string question = "How many lines of notes.txt contain the word zebra?";
  EXPECT_TRUE(stands("3", question, {{"3", false, "grep -c zebra notes.txt"}}));
  EXPECT_TRUE(
      stands("3", question, {{"15 notes.txt", false, "wc -l notes.txt"}, {"3", false, "grep -c zebra notes.txt"}}));
  EXPECT_FALSE(stands("notes.txt has 15 lines.", question, {{"15 notes.txt", false, "wc -l notes.txt"}}));
  EXPECT_TRUE(stands("a b", "What does notes.txt contain?", {{"a b", false, "cat notes.txt"}}));
}

TEST(Grounding, a_denial_needs_a_no) {
  const std::string question = "Does notes.txt exist?";
  EXPECT_TRUE(stands("No, there is no notes.txt.", question, {{"ls: cannot access 'notes.txt'", true}}));
  EXPECT_TRUE(stands("No, there is no notes.txt.", question, {{""}}));
  EXPECT_TRUE(stands("No, it has 0 lines.", "Has a.txt lines?", {{"0 a.txt"}}));
  EXPECT_FALSE(stands("No, there is no notes.txt.", question, {{"notes.txt"}}));
  EXPECT_FALSE(stands("There are no files.", "How many files are in drafts?", {{"10"}}));
  EXPECT_TRUE(stands("Notes are in notes.txt.", question, {{"notes.txt"}})) << "a word that begins with no";
}

TEST(Grounding, a_word_that_ends_the_task_answers_nothing) {
  EXPECT_FALSE(stands("Done.", "Is Wrap on?", {}));
  EXPECT_FALSE(stands("", "Is Wrap on?", {}));
  EXPECT_TRUE(stands("Yes.", "Is Wrap on?", {})) << "seen in the picture: nothing to compare it with";
}

TEST(Grounding, says_what_was_printed_instead) {
  const std::string problem = problem_with_answer("No, there is no b.", "How many files are in b?", {{"7\nor so"}});
  EXPECT_NE(problem.find("\"7…\""), std::string::npos) << problem;
}

TEST(Grounding, a_step_means_what_bears_its_name) {
  EXPECT_TRUE(may_mean("Click Word Wrap", "Word Wrap      "));
  EXPECT_TRUE(may_mean("click \"Save\"", "Save As..."));
  EXPECT_TRUE(may_mean("Click sin", "Sine"));
  EXPECT_TRUE(may_mean("Turn on the Wrap box", "_Wrap lines"));
  EXPECT_TRUE(may_mean("Click ×", "×"));
  EXPECT_FALSE(may_mean("Click Word Wrap", "Auto Indent      "));
  EXPECT_FALSE(may_mean("Turn on Wrap", "Turn pages on scroll")) << "the verb and little words name nothing";
  EXPECT_TRUE(may_mean("Make the text larger", "Zoom In")) << "it names nothing";
  EXPECT_TRUE(may_mean("Click Word Wrap", "")) << "nothing is known";
}

Deed typed(const std::string& text) {
  return {.said = text, .is_typing = true};
}
Deed pressed(const std::string& keys) {
  return {.said = keys};
}
Deed clicked(const std::string& label) {
  return {.label = label};
}
const Deed kClickedSomething = {.is_nameless = true};

bool are_done(const std::string& task, const std::vector<Deed>& deeds) {
  return problem_with_deeds(task, deeds).empty();
}

TEST(Grounding, deeds_are_what_was_asked_for) {
  EXPECT_TRUE(are_done("Open Calculator, then click 7", {{.said = "Calculator"}, clicked("7")}));
  EXPECT_TRUE(are_done("Open Calculator, then click 7", {{.said = "Calculator"}, kClickedSomething}));
  EXPECT_TRUE(are_done("Click Document, then click Word Wrap", {clicked("Document"), clicked("Word Wrap")}));
  EXPECT_TRUE(are_done("Press Ctrl+A, then press Delete", {pressed("ctrl+a"), pressed("delete")}));
  EXPECT_TRUE(
      are_done("Type \"amber and blue\" and press the Enter key", {typed("amber and blue"), pressed("Return")}));
  EXPECT_TRUE(are_done("Set Name to \"amber\"", {clicked("Name"), typed("amber")}));
  EXPECT_TRUE(are_done("Type \"amber\" into the Name field", {typed("amber")})) << "which had the focus";
  EXPECT_TRUE(are_done("Put \"amber\" into \"Name\"", {kClickedSomething, typed("amber")}));
  EXPECT_TRUE(are_done("Type the secret {{door}}", {typed("{{door}}")}));
  EXPECT_TRUE(are_done("Click 12", {clicked("1"), clicked("2")})) << "key by key";
  EXPECT_TRUE(are_done("Scroll down over Berlin", {kClickedSomething}));
  EXPECT_TRUE(
      are_done("Close the calculator; leave the text editor open.", {{.around = "Calculator", .has_closed = true}}));
  EXPECT_TRUE(are_done("Turn on Wrap", {})) << "it may have been on";
}

TEST(Grounding, what_the_task_names_has_to_be_in_the_deeds) {
  EXPECT_FALSE(are_done("Put the number 512 into cell B5", {typed("512")})) << "B5";
  EXPECT_TRUE(are_done("Put the number 512 into cell B5", {clicked("B5"), typed("512")}));
  EXPECT_FALSE(are_done("Open Documents/amber.txt in the text editor", {pressed("ctrl+o")}));
  EXPECT_FALSE(are_done("Open Documents/amber.txt in the text editor", {kClickedSomething})) << "no title says so";
  EXPECT_FALSE(are_done("Without the keyboard, compute 5 + 2 with the calculator.", {kClickedSomething}));
  EXPECT_FALSE(are_done("Fill in the form: first name Ada, surname Byron.", {typed("Ada")}));
  EXPECT_FALSE(are_done("Click Save, then click Close", {clicked("Save")}));
  EXPECT_FALSE(are_done("Click Save, then click Close, then click Quit", {clicked("Save"), kClickedSomething}))
      << "one click does one of them";
}

TEST(Grounding, a_command_is_about_what_the_question_names) {
  const std::string question = "How many files are in letters?";
  EXPECT_TRUE(stands("There are 3.", question, {{.text = "3", .command = "ls letters | wc -l"}}));
  EXPECT_TRUE(
      stands("4 lines.", "How many lines of a.txt contain fox?", {{.text = "4", .command = "grep -c fox a.txt"}}));
  EXPECT_TRUE(stands("a.txt has 4 bytes.", "How big is a.txt?", {{.text = "4", .command = "stat -c %s a.txt"}}));
  EXPECT_FALSE(stands("There are 0.", question, {{.text = "0", .command = "ls leteors | wc -l"}}));
  EXPECT_TRUE(stands("There are 3.", question,
                     {{"ls: cannot access 'leteors'", true, "ls leteors"}, {"3", false, "ls letters | wc -l"}}))
      << "at the second try";
}

TEST(Grounding, each_part_has_to_be_done) {
  const std::string task = "Rename notes.txt to amber.txt and save it.";
  EXPECT_FALSE(are_done(task, {{.around = "notes.txt"}, typed("amber.txt")})) << "neither renamed nor saved";
  EXPECT_FALSE(are_done(task, {{.around = "notes.txt"}, pressed("F2"), typed("amber.txt")})) << "not saved";
  EXPECT_TRUE(are_done(task, {{.around = "notes.txt"}, pressed("F2"), typed("amber.txt"), pressed("ctrl+s")}));
  EXPECT_FALSE(are_done("Type \"save\" and save it", {typed("save")})) << "a text saves nothing";
  EXPECT_FALSE(are_done("Maximize the window.", {kClickedSomething}));
  EXPECT_FALSE(are_done("Maximize the window of the text editor.", {clicked("Edit")}));
  EXPECT_TRUE(are_done("Make the file manager show hidden files.", {clicked("View"), clicked("Show Hidden")}));
  EXPECT_FALSE(are_done("Turn the whole text into capital letters.", {kClickedSomething})) << "no switch";
  EXPECT_NE(problem_with_deeds(task, {pressed("F2"), typed("notes.txt amber.txt")}).find("\"save it.\""),
            std::string::npos);
}

TEST(Grounding, what_is_to_be_typed_has_to_be_what_was_typed) {
  EXPECT_FALSE(are_done("Put the sum of the prices into the cell", {typed("=SUM(B2:B4)")}));
  EXPECT_FALSE(are_done("Type \"amber\"", {kClickedSomething}));
  EXPECT_FALSE(are_done("Type \"amber\"", {typed("umber")}));
}

TEST(Grounding, a_plan_is_the_task_split_up) {
  const std::string task = "First open Calculator, then click 7 and press Enter";
  EXPECT_EQ(problem_with_split(task, {"open Calculator", "click 7", "press Enter"}), "");
  EXPECT_EQ(problem_with_split(task, {"open Calculator", "click 7"}), "its plan leaves out \"press\"");
  EXPECT_EQ(problem_with_split(task, {"open Calculator", "click 7", "press Enter", "drag it to the trash"}),
            "its plan says \"drag\", which the task doesn't");
}

}  // namespace
}  // namespace agent
