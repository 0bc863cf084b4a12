// The settings, and what the machine check says there.

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSet>
#include <QTest>
#include <QToolButton>

#include "agent/rule_book.h"
#include "app/window/doctor_words.h"
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
