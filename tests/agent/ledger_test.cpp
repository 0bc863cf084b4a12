// Which sentences of a final answer are proven.

#include "agent/ledger.h"

#include <gtest/gtest.h>

namespace agent {
namespace {

tools::ToolResult result(bool ok, std::optional<tools::Verdict> verdict = std::nullopt) {
  tools::ToolResult made{.ok = ok};
  if (verdict) made.evidence = tools::Evidence{.verdict = *verdict};
  return made;
}

class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    ledger_.add(1, tools::Effect::InputPrivate, result(true, tools::Verdict::Confirmed));
    ledger_.add(2, tools::Effect::InputPrivate, result(true, tools::Verdict::Unverifiable));
    ledger_.add(3, tools::Effect::Observe, result(true));
    ledger_.add(4, tools::Effect::Shell, result(false));
    ledger_.add(5, tools::Effect::InputPrivate, result(true, tools::Verdict::NoOp));
  }
  std::string problem_of(const std::string& answer) const {
    const std::vector<Claim> claims = ledger_.claims_in(answer);
    return claims.size() == 1 ? claims[0].problem : std::to_string(claims.size()) + " claims";
  }

  Ledger ledger_;
};

TEST_F(LedgerTest, a_confirmed_action_and_a_look_are_proof) {
  EXPECT_EQ(problem_of("The file is saved [1]."), "");
  EXPECT_EQ(problem_of("The title says so [3]."), "");
}

TEST_F(LedgerTest, an_action_without_clear_effect_is_proven_by_a_look_after_it_only) {
  EXPECT_EQ(problem_of("It is typed [2]."), "[2] showed no clear effect");
  EXPECT_EQ(problem_of("It is typed [2, 3]."), "");
  EXPECT_EQ(problem_of("It is typed [3][5]."), "[5] showed no clear effect") << "the look came before";
}

TEST_F(LedgerTest, failures_and_inventions_prove_nothing) {
  EXPECT_EQ(problem_of("The tests pass [4]."), "[4] failed");
  EXPECT_EQ(problem_of("The tests pass [3, 4]."), "[4] failed");
  EXPECT_EQ(problem_of("It is sent [77]."), "there is no result [77]");
}

TEST_F(LedgerTest, a_command_that_failed_proves_nothing) {
  tools::ToolResult made = result(true);
  made.details = {{"exit_code", 2}};
  ledger_.add(6, tools::Effect::Shell, made);
  EXPECT_EQ(problem_of("The tests pass [6]."), "[6] ended with exit code 2");
  made.details = {{"exit_code", 0}};
  ledger_.add(7, tools::Effect::Shell, made);
  EXPECT_EQ(problem_of("The tests pass [7]."), "");
}

TEST_F(LedgerTest, sentences_are_judged_one_by_one) {
  const std::vector<Claim> claims =
      ledger_.claims_in("I opened v1.2 of it. [1] Then I typed 3.5 into x[2].\nAll good! Nothing else happened [4]");
  ASSERT_EQ(claims.size(), 3U);
  EXPECT_EQ(claims[0].sentence, "I opened v1.2 of it. [1]");
  EXPECT_EQ(claims[0].cited, std::vector<int>{1});
  EXPECT_EQ(claims[1].sentence, "Then I typed 3.5 into x[2].");
  EXPECT_FALSE(claims[1].problem.empty());
  EXPECT_EQ(claims[2].cited, std::vector<int>{4});
  EXPECT_TRUE(ledger_.claims_in("Done.").empty());
}

TEST_F(LedgerTest, an_answer_of_any_length_is_judged) {
  EXPECT_EQ(problem_of("Loading" + std::string(300'000, '.') + " It is saved [1]."), "");
  EXPECT_EQ(problem_of(std::string(300'000, '[') + "It is saved [1]."), "");
}

}  // namespace
}  // namespace agent
