// The settings, and what the machine check says there.

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
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
  QToolButton* forget = nullptr;
  for (auto* button : page.findChildren<QToolButton*>()) {
    if (button->accessibleName().contains("cargo test")) forget = button;
  }
  ASSERT_NE(forget, nullptr);
  forget->click();
  const auto is_forgotten = [] { return agent::RuleBook(agent::RuleBook::default_path()).rules().empty(); };
  EXPECT_TRUE(QTest::qWaitFor(is_forgotten, 5000));
}

// Round with Tab from the first control: all are reached, and each says what it is.
TEST(SettingsView, every_control_is_reached_by_tab) {
  Preferences preferences;
  SettingsPage page(&preferences);
  page.show();
  page.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&page));
  QSet<QWidget*> reached;
  for (int step = 0; step < 200; ++step) {
    QTest::keyClick(QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : &page, Qt::Key_Tab);
    if (QApplication::focusWidget() != nullptr) reached.insert(QApplication::focusWidget());
  }
  for (QWidget* control : page.findChildren<QWidget*>()) {
    const bool is_control = qobject_cast<QAbstractButton*>(control) != nullptr ||
                            qobject_cast<QComboBox*>(control) != nullptr ||
                            qobject_cast<QLineEdit*>(control) != nullptr;
    if (!is_control || !control->isVisible() || !control->isEnabled()) continue;
    if (control->focusPolicy() == Qt::NoFocus && qobject_cast<QLineEdit*>(control->parentWidget()) != nullptr) continue;
    const QString name = QString("%1 “%2”").arg(control->metaObject()->className(), control->accessibleName());
    EXPECT_TRUE(reached.contains(control)) << name.toStdString();
  }
}

}  // namespace
}  // namespace app
