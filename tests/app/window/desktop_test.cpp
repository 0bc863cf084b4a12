// The window and the desktop that it is on: its colours, its notifications, and the stop for everything.

#include <gtest/gtest.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/resources.h"
#include "app/window/agent_bridge.h"
#include "app/window/main_window.h"
#include "app/window/preferences.h"
#include "app/window/session_page.h"
#include "app/window/theme.h"
#include "app/window/tray_icon.h"
#include "tests/app/window/fake_desktop.h"
#include "tests/app/window/sessions_end.h"

namespace app {
namespace {

constexpr int kPatience_ms = 240000;
constexpr unsigned kDark = 1, kLight = 2;

class OnDesktop : public testing::Test {
 protected:
  OnDesktop() : desktop_(app_test::FakeDesktop::instance()) { Preferences().set_met(); }
  ~OnDesktop() override { Preferences().set_theme(ThemeChoice::System); }
  std::filesystem::path record() const { return folder_.filePath("sessions.db").toStdString(); }

  app_test::FakeDesktop& desktop_;
  QTemporaryDir folder_;
  app_test::SessionsEnd sessions_end_;  // last: before what they use
};

TaskChoice a_task() {
  TaskChoice choice;
  choice.task = "Open Calculator, then click 7";
  choice.model.dir = resource_path("models/nano");
  return choice;
}

int lightness(QWidget& window) {
  return window.grab().toImage().pixelColor(4, 4).lightness();
}

TEST_F(OnDesktop, colours_follow_it_while_the_window_is_open) {
  Preferences().set_theme(ThemeChoice::System);
  apply_theme(*qApp, ThemeChoice::System);
  MainWindow window(record());
  window.show();
  EXPECT_FALSE(theme().is_dark) << "as the desktop is at the start";
  EXPECT_GT(lightness(window), 200);
  desktop_.colours().become(kDark);
  ASSERT_TRUE(QTest::qWaitFor([] { return theme().is_dark; }, kPatience_ms));
  EXPECT_LT(lightness(window), 60);
  desktop_.colours().become(kLight);
  ASSERT_TRUE(QTest::qWaitFor([] { return !theme().is_dark; }, kPatience_ms));
  EXPECT_GT(lightness(window), 200);
}

TEST_F(OnDesktop, colours_that_were_chosen_stay) {
  apply_theme(*qApp, ThemeChoice::System);
  Preferences().set_theme(ThemeChoice::Light);
  apply_theme(*qApp, ThemeChoice::Light);
  MainWindow window(record());
  window.show();
  desktop_.colours().become(kDark);
  bool went_dark = false;
  const auto has_heard_of_it = [&] {
    went_dark |= theme().is_dark;
    apply_theme(*qApp, ThemeChoice::System);
    const bool has_heard = theme().is_dark;
    apply_theme(*qApp, ThemeChoice::Light);
    return has_heard;
  };
  ASSERT_TRUE(QTest::qWaitFor(has_heard_of_it, kPatience_ms));
  EXPECT_FALSE(went_dark);
  desktop_.colours().become(kLight);
}

TEST_F(OnDesktop, it_is_notified_when_a_session_waits_and_when_it_has_finished) {
  MainWindow window(record());  // not in front: it isn't even shown
  window.start_task(a_task());
  AgentBridge& bridge = *window.pages().last()->bridge();
  QSignalSpy asked(&bridge, &AgentBridge::approval_wanted), finished(&bridge, &AgentBridge::finished);
  const auto is_shown = [&](const QString& note) { return desktop_.notifications().shown().contains(note); };
  EXPECT_TRUE(QTest::qWaitFor([&] { return is_shown("Deskhand asks for consent: " + a_task().task); }, kPatience_ms));
  ASSERT_EQ(asked.size(), 1);
  bridge.allow(ApprovalScope::Session);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !finished.isEmpty(); }, kPatience_ms));
  EXPECT_TRUE(QTest::qWaitFor([&] { return is_shown("Done: " + a_task().task); }, kPatience_ms));
  EXPECT_EQ(desktop_.notifications().shown().size(), 2);
}

TEST_F(OnDesktop, it_is_not_notified_of_what_the_user_looks_at_or_does_not_want) {
  const auto n_before = desktop_.notifications().shown().size();
  MainWindow window(record());
  window.show();
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  window.start_task(a_task());
  AgentBridge& bridge = *window.pages().last()->bridge();
  QSignalSpy finished(&bridge, &AgentBridge::finished);
  QObject::connect(&bridge, &AgentBridge::approval_wanted, &bridge, [&] {
    window.hide();
    Preferences().set_notifies(false);
    bridge.allow(ApprovalScope::Session);
  });
  ASSERT_TRUE(QTest::qWaitFor([&] { return !finished.isEmpty(); }, kPatience_ms));
  // A note of the test's own comes after all that were sent before it.
  TrayIcon().notify("last", "of all");
  ASSERT_TRUE(QTest::qWaitFor([&] { return desktop_.notifications().shown().contains("last: of all"); }, kPatience_ms));
  EXPECT_EQ(desktop_.notifications().shown().size(), n_before + 1);
  Preferences().set_notifies(true);
}

TEST_F(OnDesktop, one_stop_ends_the_work_of_all_sessions_within_half_a_second) {
  MainWindow window(record());
  window.show();
  window.start_task(a_task());
  window.start_task(a_task());
  AgentBridge& asking = *window.pages()[0]->bridge();
  AgentBridge& working = *window.pages()[1]->bridge();
  QSignalSpy asking_ends(&asking, &AgentBridge::finished), working_ends(&working, &AgentBridge::finished);
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return asking.state() == RunState::Asking && working.state() != RunState::Starting; }, kPatience_ms));
  auto* tray = window.findChild<TrayIcon*>();
  ASSERT_NE(tray, nullptr);
  QElapsedTimer timer;
  timer.start();
  Q_EMIT tray->stop_all_wanted();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !asking_ends.isEmpty() && !working_ends.isEmpty(); }, kPatience_ms));
  EXPECT_LT(timer.elapsed(), 500);
  EXPECT_EQ(asking_ends[0][0].toString(), "stopped");
  EXPECT_EQ(working_ends[0][0].toString(), "stopped");
}

}  // namespace
}  // namespace app
