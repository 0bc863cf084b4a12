// What the window offers by itself: on the first start, after a crash, to several sessions at once.

#include "app/window/main_window.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSystemTrayIcon>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "agent/database.h"
#include "agent/recorder.h"
#include "app/resources.h"
#include "app/window/agent_bridge.h"
#include "app/window/preferences.h"
#include "app/window/session_page.h"
#include "app/window/tray_icon.h"
#include "tests/app/window/sessions_end.h"

namespace app {
namespace {

constexpr int kPatience_ms = 240000;

QPushButton* button(QWidget& below, const QString& text) {
  for (auto* one : below.findChildren<QPushButton*>()) {
    if (one->text() == text) return one;
  }
  return nullptr;
}

bool says(QWidget& below, const QString& text) {
  for (const auto* label : below.findChildren<QLabel*>()) {
    if (label->isVisible() && label->text().contains(text)) return true;
  }
  return false;
}

class Window : public testing::Test {
 protected:
  Window() { Preferences().set_met(); }
  std::filesystem::path record() const { return folder_.filePath("sessions.db").toStdString(); }

  QTemporaryDir folder_;
  app_test::SessionsEnd sessions_end_;  // last: before what they use
};

TEST_F(Window, sessions_work_side_by_side_while_one_waits_for_consent) {
  MainWindow window(record());
  window.show();
  TaskChoice choice;
  choice.task = "Open Calculator, then click 7";
  choice.model.dir = resource_path("models/nano");
  window.start_task(choice);
  window.start_task(choice);
  ASSERT_EQ(window.pages().size(), 2);
  AgentBridge& waiting = *window.pages()[0]->bridge();
  AgentBridge& working = *window.pages()[1]->bridge();
  QObject::connect(&working, &AgentBridge::approval_wanted, &working, [&] { working.allow(ApprovalScope::Session); });
  QSignalSpy waiting_finished(&waiting, &AgentBridge::finished), working_finished(&working, &AgentBridge::finished);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !working_finished.isEmpty(); }, kPatience_ms));
  EXPECT_EQ(working_finished[0][0].toString(), "done");
  ASSERT_TRUE(QTest::qWaitFor([&] { return waiting.state() == RunState::Asking; }, kPatience_ms));
  EXPECT_TRUE(waiting_finished.isEmpty());
  EXPECT_NE(waiting.session(), working.session());
  waiting.allow(ApprovalScope::Session);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !waiting_finished.isEmpty(); }, kPatience_ms));
  EXPECT_EQ(waiting_finished[0][0].toString(), "done");
}

TEST_F(Window, offers_to_go_on_with_a_session_that_was_interrupted) {
  {
    const auto recorder = agent::Recorder::open(record());
    const agent::SessionId session = recorder->begin_session({.task = "Open Calculator, then click 7",
                                                              .model = "nano",
                                                              .desktop = "private",
                                                              .workspace = "",
                                                              .instructions = ""});
    recorder->append_message(session, agent::UserMessage{"Open Calculator, then click 7", {}, false});
  }
  // The program that had it is gone.
  agent::Database(record()).execute("UPDATE sessions SET owner = 'another-start 1 1'");
  MainWindow window(record());
  window.show();
  ASSERT_TRUE(QTest::qWaitFor([&] { return says(window, "was interrupted"); }, kPatience_ms));
  button(window, "Go on with it")->click();
  EXPECT_FALSE(says(window, "was interrupted"));
  ASSERT_EQ(window.pages().size(), 1);
  ASSERT_NE(window.pages()[0]->bridge(), nullptr) << "it works again";
  EXPECT_TRUE(QTest::qWaitFor([&] { return window.pages()[0]->bridge()->session() != 0; }, kPatience_ms));
  const auto sessions = agent::Recorder::open(record())->list_sessions();
  EXPECT_EQ(sessions.size(), 1U) << "in its own session, not in a new one";
}

TEST_F(Window, first_start_welcomes_and_has_the_small_model_chosen) {
  QSettings(Preferences().path(), QSettings::IniFormat).clear();
  MainWindow window(record());
  window.show();
  EXPECT_TRUE(says(window, "Welcome to Deskhand"));
  auto* composer = window.findChild<Composer*>();
  QSignalSpy submitted(composer, &Composer::submitted);
  composer->set_text("Open Calculator, then click 7");
  QTest::keyClick(composer->findChild<QPlainTextEdit*>(), Qt::Key_Return);
  ASSERT_EQ(submitted.size(), 1);
  EXPECT_EQ(submitted[0][0].value<TaskChoice>().model.dir, resource_path("models/nano"));
  EXPECT_EQ(window.pages().size(), 1) << "nothing had to be set up";
}

TEST_F(Window, is_never_hidden_where_there_is_no_tray) {
  ASSERT_FALSE(QSystemTrayIcon::isSystemTrayAvailable()) << "no desktop, no tray";
  EXPECT_FALSE(TrayIcon().exists());
  MainWindow window(record());
  window.show();
  window.showMinimized();
  EXPECT_TRUE(window.isVisible());
  QTimer::singleShot(0, &window, &QWidget::close);
  QTimer::singleShot(60000, &window, [] { QApplication::exit(1); });
  EXPECT_EQ(QApplication::exec(), 0) << "closed is quit, not out of sight";
}

}  // namespace
}  // namespace app
