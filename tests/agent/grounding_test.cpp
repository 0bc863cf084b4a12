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

}  // namespace
}  // namespace agent
