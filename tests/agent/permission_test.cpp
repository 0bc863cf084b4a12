#include "agent/permission.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/error.h"
#include "agent/rule_book.h"

namespace agent {
namespace {

using tools::Effect;

tools::ToolCall shell(const std::string& command) {
  return {"1", "shell", {{"command", command}}};
}

TEST(Permission, defaults_let_it_look_and_work_in_its_own_place_and_ask_for_the_rest) {
  const std::map<Effect, Decision> table = {
      {Effect::Observe, Decision::Allow},      {Effect::Read, Decision::Allow},
      {Effect::ReadElsewhere, Decision::Ask},  {Effect::InputPrivate, Decision::Allow},
      {Effect::InputUser, Decision::Ask},      {Effect::WriteWorkspace, Decision::Allow},
      {Effect::WriteElsewhere, Decision::Ask}, {Effect::Shell, Decision::Ask},
      {Effect::Network, Decision::Ask},
  };
  for (const auto& [effect, decision] : table) {
    EXPECT_EQ(permission_for(shell("ls"), effect, {}).decision, decision) << name_of(effect);
  }
}

TEST(Permission, a_rule_decides_for_its_effect_only) {
  for (const Decision decision : {Decision::Allow, Decision::Ask, Decision::Deny}) {
    const Policy policy = {.rules = {{Effect::Shell, decision}}};
    EXPECT_EQ(permission_for(shell("ls"), Effect::Shell, policy).decision, decision);
    EXPECT_EQ(permission_for(shell("ls"), Effect::Network, policy).decision, Decision::Ask);
  }
}

TEST(Permission, dangerous_calls_are_asked_about_even_where_the_effect_is_allowed) {
  const Policy policy = {.rules = {{Effect::Shell, Decision::Allow}}};
  for (const char* command : {"rm -rf build", "rm -f -r x", "sudo ls", "cat ~/.ssh/id_rsa",
                              "git push origin main --force", "mkfs.ext4 /dev/sda", "dd if=/dev/zero of=/dev/sda",
                              "echo x > /dev/sda", "git reset --hard", "cat ~/.netrc", "pkexec true"}) {
    const Permission permission = permission_for(shell(command), Effect::Shell, policy);
    EXPECT_EQ(permission.decision, Decision::Ask) << command;
    EXPECT_FALSE(permission.reason.empty());
  }
  for (const char* command : {"ls -la", "wc -l notes.txt", "git status", "grep -rf pattern ."}) {
    EXPECT_EQ(permission_for(shell(command), Effect::Shell, policy).decision, Decision::Allow) << command;
  }
}

TEST(Permission, dangers_are_seen_on_every_line_and_in_texts_of_any_length) {
  const Policy policy = {.rules = {{Effect::Shell, Decision::Allow}}};
  for (const char* command : {"cd /tmp\nrm -rf work", "true\n\tsudo ls", "cd x\ndd if=a \\\n  of=/dev/sda"}) {
    EXPECT_EQ(permission_for(shell(command), Effect::Shell, policy).decision, Decision::Ask) << command;
  }
  const std::string much(1 << 20, 'x');
  EXPECT_EQ(permission_for(shell("git push " + much), Effect::Shell, policy).decision, Decision::Allow);
  EXPECT_EQ(permission_for(shell("dd " + much + " of=/dev/sda"), Effect::Shell, policy).decision, Decision::Ask);
}

TEST(Permission, a_denied_effect_stays_denied) {
  const Policy policy = {.rules = {{Effect::Shell, Decision::Deny}}};
  EXPECT_EQ(permission_for(shell("sudo rm -rf /"), Effect::Shell, policy).decision, Decision::Deny);
}

TEST(Permission, a_danger_can_have_a_rule_too) {
  Policy policy = {.rules = {{Effect::Shell, Decision::Allow}}};
  ASSERT_TRUE(set_rule(policy, "rights", Decision::Allow));
  EXPECT_EQ(permission_for(shell("sudo ls"), Effect::Shell, policy).decision, Decision::Allow);
  EXPECT_EQ(permission_for(shell("sudo rm -rf /"), Effect::Shell, policy).decision, Decision::Ask) << "also destroys";
  ASSERT_TRUE(set_rule(policy, "destructive", Decision::Deny));
  EXPECT_EQ(permission_for(shell("sudo rm -rf /"), Effect::Shell, policy).decision, Decision::Deny);
  EXPECT_FALSE(set_rule(policy, "everything", Decision::Allow));
}

TEST(Permission, remembered_rules_stand_behind_the_sessions_and_before_the_defaults) {
  Policy policy = {.remembered = {{"shell", "", Decision::Deny}, {"shell", "git", Decision::Allow}}};
  EXPECT_EQ(permission_for(shell("git status"), Effect::Shell, policy).decision, Decision::Allow);
  EXPECT_EQ(permission_for(shell("ls"), Effect::Shell, policy).decision, Decision::Deny);
  EXPECT_EQ(permission_for(shell("git status; ls"), Effect::Shell, policy).decision, Decision::Deny)
      << "more than the program that was agreed to";
  EXPECT_EQ(permission_for(shell("git reset --hard"), Effect::Shell, policy).decision, Decision::Ask);
  policy.rules[Effect::Shell] = Decision::Ask;
  EXPECT_EQ(permission_for(shell("git status"), Effect::Shell, policy).decision, Decision::Ask);
}

TEST(Permission, names_the_rules_that_allow_it) {
  const Policy policy = {.remembered = {{"shell", "git", Decision::Allow}, {"rights", "", Decision::Allow}}};
  using Rules = std::vector<Rule>;
  EXPECT_EQ(permission_for(shell("git status"), Effect::Shell, policy).allowed_by,
            (Rules{{"shell", "git", Decision::Allow}}));
  EXPECT_EQ(permission_for(shell("ls"), Effect::Observe, policy).allowed_by, (Rules{{"observe", "", Decision::Allow}}))
      << "the default";
  EXPECT_EQ(permission_for(shell("git sudo"), Effect::Shell, policy).allowed_by,
            (Rules{{"shell", "git", Decision::Allow}, {"rights", "", Decision::Allow}}));
  EXPECT_TRUE(permission_for(shell("ls"), Effect::Shell, policy).allowed_by.empty()) << "it is asked";
  EXPECT_TRUE(permission_for(shell("git reset --hard; sudo ls"), Effect::Shell, policy).allowed_by.empty());
  EXPECT_TRUE(permission_for(shell("git push"), Effect::Shell, {.rules = {{Effect::Shell, Decision::Deny}}})
                  .allowed_by.empty());
}

TEST(Permission, typing_a_secret_is_asked_about) {
  const Policy policy = {.secrets = {"pin"}};
  const auto type = [](const char* text) {
    return tools::ToolCall{"1", "keyboard", {{"action", "type"}, {"text", text}}};
  };
  EXPECT_EQ(permission_for(type("{{pin}}"), Effect::InputPrivate, policy).decision, Decision::Ask);
  EXPECT_EQ(permission_for(type("{{pin}}"), Effect::InputPrivate, policy).rule.name, "credentials");
  EXPECT_EQ(permission_for(type("{{other}}"), Effect::InputPrivate, policy).decision, Decision::Allow);
}

TEST(Permission, a_lasting_answer_is_for_what_was_shown) {
  const std::map<std::string, std::string> subjects = {
      {"git status -s", "git"}, {"ls", "ls"}, {"make; ls", "make; ls"}, {"X=1 ls", "X=1 ls"}, {"ls $(x)", "ls $(x)"}};
  for (const auto& [command, subject] : subjects) EXPECT_EQ(subject_of(shell(command), Effect::Shell), subject);
  EXPECT_EQ(subject_of({"1", "web_fetch", {{"url", "https://example.org:80/a?b"}}}, Effect::Network), "example.org:80");
  EXPECT_EQ(subject_of({"1", "write_file", {{"path", "/etc/hosts"}}}, Effect::WriteElsewhere), "/etc/hosts");
  EXPECT_EQ(subject_of({"1", "pointer", {{"x", 1}}}, Effect::InputUser), "");
}

class RuleBookTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(path_.parent_path()); }
  std::filesystem::path path_ =
      std::filesystem::path(::testing::TempDir()) / ("rules" + std::to_string(::getpid())) / "deskhand" / "rules.json";
};

TEST_F(RuleBookTest, keeps_replaces_and_forgets) {
  RuleBook book(path_);
  EXPECT_TRUE(book.rules().empty());
  book.remember({"shell", "git", Decision::Allow});
  book.remember({"network", "", Decision::Deny});
  book.remember({"shell", "git", Decision::Deny});
  EXPECT_EQ(RuleBook(path_).rules(),
            (std::vector<Rule>{{"network", "", Decision::Deny}, {"shell", "git", Decision::Deny}}));
  EXPECT_TRUE(book.forget(0));
  EXPECT_FALSE(book.forget(1));
  EXPECT_EQ(RuleBook(path_).rules(), (std::vector<Rule>{{"shell", "git", Decision::Deny}}));
  std::ofstream(path_) << R"([{"name": "everything", "subject": "", "decision": "allow"}])";
  EXPECT_THROW(RuleBook{path_}, Error) << "rules are never guessed";
}

TEST(Visible, shows_what_the_eye_would_miss) {
  EXPECT_EQ(visible("plain ä 你 \n"), "plain ä 你 \n");
  EXPECT_EQ(visible("a\u200bb"), "a\\u{200b}b");
  EXPECT_EQ(visible("\u202etxt.exe"), "\\u{202e}txt.exe");
  EXPECT_EQ(visible("\x1b[31m"), "\\u{1b}[31m");
  EXPECT_EQ(visible("\U000E0041"), "\\u{e0041}") << "tag characters";
  EXPECT_EQ(visible("\xff"), "\xff") << "no valid character: left as it is";
}

}  // namespace
}  // namespace agent
