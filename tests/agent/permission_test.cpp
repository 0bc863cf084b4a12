#include "agent/permission.h"

#include <gtest/gtest.h>

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
    const Policy policy = {{{Effect::Shell, decision}}};
    EXPECT_EQ(permission_for(shell("ls"), Effect::Shell, policy).decision, decision);
    EXPECT_EQ(permission_for(shell("ls"), Effect::Network, policy).decision, Decision::Ask);
  }
}

TEST(Permission, dangerous_calls_are_asked_about_even_where_the_effect_is_allowed) {
  const Policy policy = {{{Effect::Shell, Decision::Allow}}};
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

TEST(Permission, a_denied_effect_stays_denied) {
  const Policy policy = {{{Effect::Shell, Decision::Deny}}};
  EXPECT_EQ(permission_for(shell("sudo rm -rf /"), Effect::Shell, policy).decision, Decision::Deny);
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
