// The settings, and what the machine check says there.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSet>
#include <QTest>
#include <QToolButton>

#include "agent/rule_book.h"
#include "app/window/doctor_words.h"
#include "app/window/machine_check.h"
#include "app/window/preferences.h"
#include "app/window/settings_page.h"
#include "app/window/translations.h"
#include "tests/app/window/tab_round.h"
#include "tests/unit/tools/temporary_folder.h"

namespace app {
namespace {

TEST(MachineCheckView, says_what_the_doctor_found_in_the_users_language) {
  use_language("de");
  EXPECT_EQ(doctor_words("a command ran in bubblewrap"), "ein Befehl lief in bubblewrap");
  EXPECT_EQ(doctor_words("12.5 GiB free in /home/ada"), "12.5 GiB frei in /home/ada");
  EXPECT_EQ(doctor_words("X11 display :0, 2560x1440 pt"), "X11-Bildschirm :0, 2560x1440 pt");
  EXPECT_EQ(doctor_words("bwrap: no such file"), "bwrap: no such file") << "another program's words";
  use_language("en");
}

TEST(MachineCheckView, names_have_one_column_that_is_wide_enough_in_each_language) {
  for (const char* language : {"en", "de", "zh_CN", "ja"}) {
    use_language(language);
    MachineCheck check;
    check.resize(600, 300);
    check.show_report(R"({"usable": false, "findings": [
      {"name": "disk", "state": "works", "what": "12.5 GiB free in /home/ada"},
      {"name": "input on it", "state": "works", "what": "12.5 GiB free in /home/ada"},
      {"name": "sandboxed shell", "state": "broken", "what": "bwrap: no such file"}]})");
    check.show();
    QSet<int> widths_px;
    for (const auto* label : check.findChildren<QLabel*>()) {
      if (label->font().weight() != QFont::DemiBold) continue;
      widths_px.insert(label->width());
      EXPECT_GE(label->width(), label->sizeHint().width()) << language << ": " << label->text().toStdString();
    }
    EXPECT_EQ(widths_px.size(), 1) << language;
  }
  use_language("en");
}

TEST(SettingsView, to_be_asked_leaves_room_for_lasting_answers) {
  Preferences preferences;
  preferences.set_rule(tools::Effect::InputPrivate, agent::Decision::Ask);
  preferences.set_rule(tools::Effect::Network, agent::Decision::Deny);
  agent::Policy policy = preferences.policy();
  const tools::ToolCall click = {"1", "pointer", {{"action", "click"}}};
  const auto decision = [&](tools::Effect effect) { return agent::permission_for(click, effect, policy).decision; };
  EXPECT_EQ(decision(tools::Effect::InputPrivate), agent::Decision::Ask);
  policy.remembered.push_back({"input_private", "", agent::Decision::Allow});
  policy.remembered.push_back({"network", "", agent::Decision::Allow});
  EXPECT_EQ(decision(tools::Effect::InputPrivate), agent::Decision::Allow);
  EXPECT_EQ(decision(tools::Effect::Network), agent::Decision::Deny);
}

TEST(SettingsView, are_not_imported_from_a_pipe) {
  ::alarm(60);  // who waits for its other end, ends here
  const tools::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder.path() / "settings.conf").c_str(), 0600), 0);
  Preferences preferences;
  EXPECT_FALSE(preferences.import_from(QString::fromStdString((folder.path() / "settings.conf").string())));
  ::alarm(0);
}

TEST(SettingsView, are_found_by_typing) {
  Preferences preferences;
  SettingsPage page(&preferences);
  page.show();
  const auto control = [&](const QString& name) -> QWidget* {
    for (auto* one : page.findChildren<QWidget*>()) {
      if (one->accessibleName() == name) return one;
    }
    return nullptr;
  };
  auto* search = qobject_cast<QLineEdit*>(control("Search settings"));
  ASSERT_NE(search, nullptr);
  ASSERT_TRUE(control("Language")->isVisible());
  ASSERT_TRUE(control("Theme")->isVisible());
  QTest::keyClicks(search, "LANGU");
  EXPECT_TRUE(control("Language")->isVisible());
  EXPECT_FALSE(control("Theme")->isVisible());
  search->clear();
  EXPECT_TRUE(control("Theme")->isVisible());
}

TEST(SettingsView, lists_the_lasting_answers_and_forgets_one) {
  const agent::Rule rule = {"shell", "cargo test", agent::Decision::Allow};
  agent::RuleBook(agent::RuleBook::default_path()).remember(rule);
  Preferences preferences;
  SettingsPage page(&preferences);
  page.show();
  page.set_counts({{{"shell", "cargo test"}, 3}, {{"shell", ""}, 40}});
  const auto says = [&](const QString& text) {
    for (const auto* label : page.findChildren<QLabel*>()) {
      if (label->text().contains(text) || label->toolTip().contains(text)) return true;
    }
    return false;
  };
  EXPECT_TRUE(says("cargo test · 3 times so far")) << "what this answer alone has allowed";
  EXPECT_TRUE(says("40 times so far")) << "what else was allowed of its kind";
  QToolButton* forget = nullptr;
  for (auto* button : page.findChildren<QToolButton*>()) {
    if (button->accessibleName().contains("cargo test")) forget = button;
  }
  ASSERT_NE(forget, nullptr);
  forget->click();
  const auto is_forgotten = [] { return agent::RuleBook(agent::RuleBook::default_path()).rules().empty(); };
  EXPECT_TRUE(QTest::qWaitFor(is_forgotten, 60000));
}

// Round with Tab from the first control: all are reached, and each says what it is.
TEST(SettingsView, every_control_is_reached_by_tab) {
  Preferences preferences;
  SettingsPage page(&preferences);
  page.show();
  page.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&page));
  EXPECT_EQ(app_test::not_reached_by_tab(page).join(", ").toStdString(), "");
}

}  // namespace
}  // namespace app
