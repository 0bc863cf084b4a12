// Real sessions in the window's own process: nano on a private desktop.

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <thread>

#include "app/resources.h"
#include "app/window/agent_bridge.h"
#include "app/window/approval_panel.h"
#include "app/window/main_window.h"
#include "app/window/patience.h"
#include "app/window/preferences.h"
#include "app/window/screen_feed.h"
#include "app/window/screen_pane.h"
#include "app/window/screen_view.h"
#include "app/window/session_page.h"
#include "app/window/translations.h"
#include "tests/app/window/demo_record.h"
#include "tests/app/window/sessions_end.h"
#include "tests/app/window/wait.h"
#include "tests/app/window/watchdog.h"
#include "tests/desk/test_window.h"
#include "tests/desk/x_server.h"
#include "tools/shell.h"

namespace app {
namespace {

using app_test::wait_until;

class Run : public testing::Test {
 protected:
  SessionRequest request(const QString& task) const {
    SessionRequest request;
    request.task = task;
    request.model_dir = resource_path("models/nano");
    request.workbench.state_dir = folder_.path().toStdString();
    request.record = folder_.filePath("sessions.db").toStdString();
    request.show_ms = 50;
    return request;
  }

  QTemporaryDir folder_;
  app_test::SessionsEnd sessions_end_;  // last: before what they use
};

TEST_F(Run, asks_acts_and_ends_with_everything_in_the_model_of_the_views) {
  SessionPage page(std::make_unique<AgentBridge>(request("Open Calculator, then click 7")));
  AgentBridge& bridge = *page.bridge();
  int n_asked = 0;
  QObject::connect(&bridge, &AgentBridge::approval_wanted, &page, [&](const ApprovalQuestion& question) {
    ++n_asked;
    EXPECT_EQ(bridge.state(), RunState::Asking);
    EXPECT_FALSE(question.arguments.isEmpty());
    bridge.allow(ApprovalScope::Session);
  });
  QSignalSpy finished(&bridge, &AgentBridge::finished), coming(&bridge, &AgentBridge::call_coming);
  ASSERT_TRUE(wait_until([&] { return !finished.isEmpty(); }));
  EXPECT_EQ(finished[0][0].toString(), "done") << finished[0][1].toString().toStdString();
  EXPECT_EQ(n_asked, 1);
  EXPECT_GE(coming.size(), 2);
  ASSERT_TRUE(wait_until([&] {
    return page.model().size() > 0 && page.model().item(page.model().size() - 1).kind == SessionItem::Kind::Ending;
  }));
  EXPECT_EQ(bridge.state(), RunState::Idle);
  EXPECT_FALSE(page.model().plans().isEmpty());
  QElapsedTimer closing;
  closing.start();
  bridge.close();
  EXPECT_TRUE(wait_until([&] { return bridge.state() == RunState::Ended; }));
}

TEST_F(Run, stop_is_silence_within_half_a_second) {
  AgentBridge bridge(request("Open Calculator, then click 7"));
  QSignalSpy finished(&bridge, &AgentBridge::finished);
  bridge.start();
  ASSERT_TRUE(wait_until([&] { return bridge.state() == RunState::Thinking; }));
  QElapsedTimer timer;
  timer.start();
  bridge.stop();
  ASSERT_TRUE(wait_until([&] { return !finished.isEmpty(); }));
  EXPECT_LT(timer.elapsed(), 500);
  EXPECT_EQ(finished[0][0].toString(), "stopped");
}

TEST_F(Run, stop_ends_a_question_of_consent_too) {
  AgentBridge bridge(request("Open Calculator, then click 7"));
  QSignalSpy finished(&bridge, &AgentBridge::finished), asked(&bridge, &AgentBridge::approval_wanted);
  bridge.start();
  ASSERT_TRUE(wait_until([&] { return !asked.isEmpty(); }));
  bridge.stop();
  ASSERT_TRUE(wait_until([&] { return !finished.isEmpty(); }, 2000));
}

TEST_F(Run, nothing_happens_while_it_is_paused) {
  AgentBridge bridge(request("Open Calculator, then click 7"));
  QObject::connect(&bridge, &AgentBridge::approval_wanted, &bridge, [&] { bridge.allow(ApprovalScope::Session); });
  QSignalSpy finished(&bridge, &AgentBridge::finished), coming(&bridge, &AgentBridge::call_coming);
  bridge.start();
  ASSERT_TRUE(wait_until([&] { return bridge.state() == RunState::Thinking; }));
  bridge.pause();
  EXPECT_EQ(bridge.state(), RunState::Paused);
  const auto n_before = coming.size();
  EXPECT_FALSE(wait_until([&] { return coming.size() > n_before + 1 || !finished.isEmpty(); }, 3000));
  bridge.resume();
  EXPECT_TRUE(wait_until([&] { return !finished.isEmpty(); }));
  EXPECT_EQ(finished[0][0].toString(), "done");
}

TEST_F(Run, a_denial_reaches_the_model_with_its_reason) {
  SessionPage page(std::make_unique<AgentBridge>(request("Open Calculator, then click 7")));
  AgentBridge& bridge = *page.bridge();
  QObject::connect(&bridge, &AgentBridge::approval_wanted, &page, [&] { bridge.deny("not today"); });
  QSignalSpy finished(&bridge, &AgentBridge::finished);
  ASSERT_TRUE(wait_until([&] { return !finished.isEmpty(); }));
  EXPECT_NE(finished[0][0].toString(), "done");
  const auto is_denied = [&] {
    for (int row = 0; row < page.model().size(); ++row) {
      const SessionItem& item = page.model().item(row);
      if (item.call_state == SessionItem::CallState::Denied && item.text.contains("not today")) return true;
    }
    return false;
  };
  EXPECT_TRUE(wait_until(is_denied));
}

// Of the widgets below, the one with this accessible name; null: there is none.
template <typename Widget>
Widget* named(QWidget& below, const QString& name) {
  for (auto* widget : below.findChildren<Widget*>()) {
    if (widget->accessibleName() == name) return widget;
  }
  return nullptr;
}

TEST_F(Run, a_new_session_goes_on_from_a_moment_of_an_old_one) {
  const std::filesystem::path record = folder_.filePath("sessions.db").toStdString();
  const qint64 old_session = app_test::write_demo_sessions(record);
  MainWindow window(record);
  window.show();
  ASSERT_TRUE(wait_until([&] {
    window.show_session(old_session);
    return !window.pages().isEmpty();
  }));
  SessionPage& old_page = *window.pages().last();
  ASSERT_TRUE(wait_until([&] { return old_page.model().size() > 10; }));
  old_page.screen().look_at(3);  // the plan's call
  named<QToolButton>(old_page, "Run from here")->click();
  auto* words = named<QLineEdit>(old_page, "What should be done from here?");
  ASSERT_NE(words, nullptr);
  ASSERT_TRUE(words->isVisible());
  words->setText("Open Calculator, then click 7");
  Q_EMIT words->returnPressed();
  ASSERT_EQ(window.pages().size(), 2);
  SessionPage& page = *window.pages().last();
  AgentBridge& bridge = *page.bridge();
  QObject::connect(&bridge, &AgentBridge::approval_wanted, &bridge, [&] { bridge.allow(ApprovalScope::Session); });
  QSignalSpy finished(&bridge, &AgentBridge::finished);
  ASSERT_TRUE(wait_until([&] { return !finished.isEmpty(); }));
  EXPECT_EQ(finished[0][0].toString(), "done") << finished[0][1].toString().toStdString();
  EXPECT_NE(page.session(), old_session);
  ASSERT_TRUE(wait_until([&] { return page.model().size() > 6; }));
  EXPECT_EQ(page.model().item(0).text, old_page.model().item(0).text) << "the old one's history";
  EXPECT_EQ(page.model().item(3).tool, "plan");
  EXPECT_EQ(page.model().item(4).kind, SessionItem::Kind::Instruction) << "and then the new words";
}

TEST_F(Run, another_language_is_spoken_at_once_while_a_session_waits_for_its_answer) {
  MainWindow window(folder_.filePath("sessions.db").toStdString());
  window.show();
  TaskChoice choice;
  choice.task = "Open Calculator, then click 7";
  choice.model.dir = resource_path("models/nano");
  window.start_task(choice);
  AgentBridge& bridge = *window.pages().last()->bridge();
  QSignalSpy asked(&bridge, &AgentBridge::approval_wanted);
  ASSERT_TRUE(wait_until([&] { return !asked.isEmpty(); }));
  auto* language = named<QComboBox>(window, "Language");
  ASSERT_NE(language, nullptr);
  language->setCurrentIndex(language->findData("de"));
  Q_EMIT language->activated(language->currentIndex());
  ASSERT_TRUE(wait_until([&] { return named<QComboBox>(window, "Sprache") != nullptr; }));
  ASSERT_EQ(window.pages().size(), 1);
  EXPECT_EQ(window.pages().last()->bridge(), &bridge) << "the session goes on";
  window.show_session(bridge.session());
  QSignalSpy finished(&bridge, &AgentBridge::finished);
  auto* approval = window.pages().last()->findChild<ApprovalPanel*>();
  ASSERT_TRUE(wait_until([&] { return approval->isVisible(); })) << "it still asks";
  auto* session = named<QPushButton>(*approval, "Für diese Sitzung");
  ASSERT_NE(session, nullptr);
  session->click();
  ASSERT_TRUE(wait_until([&] { return !finished.isEmpty(); }));
  EXPECT_EQ(finished[0][0].toString(), "done");
  Preferences().set_language({});
  use_language("en");
}

TEST_F(Run, the_window_is_never_blocked_while_a_model_works_a_command_floods_and_a_large_screen_moves) {
  const desk_test::TestXServer server({.width = 3840, .height = 2160});
  ScreenView view;
  view.resize(900, 500);
  view.show();
  ScreenFeed feed(QString::fromStdString(server.display()));
  feed.set_size(view.size());
  int n_frames = 0;
  QObject::connect(&feed, &ScreenFeed::arrived, &view, [&] {
    view.show_picture(feed.take());
    ++n_frames;
  });
  std::jthread painter([&](const std::stop_token& stop) {
    desk_test::TestWindow moving(server.display(), {100, 100, 1600, 900}, 0x335577);
    for (std::uint32_t colour = 0; !stop.stop_requested(); colour += 0x010305) {
      moving.fill({0, 0, 1600, 900}, colour & 0xffffff);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  std::jthread flood([&] {
    be_patient();  // as the agent, which starts commands, is
    tools::ShellOptions options;
    options.workspace = options.output_folder = folder_.path().toStdString();
    tools::Shell shell(options);
    shell.run("head -c 100000000 /dev/zero | tr '\\0' 'x' | fold -w 100", std::chrono::minutes(1), {});
  });
  Preferences().set_met();  // neither the first start's checks nor the window's opening are what is measured
  MainWindow window(folder_.filePath("sessions.db").toStdString());
  window.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
  QApplication::processEvents();
  TaskChoice choice;
  choice.task = "Open Calculator, then click 7";
  choice.model.dir = resource_path("models/nano");
  // Two processors, perhaps of a machine that others use too, and five busy programs: all work takes longer than it
  // needs, what a thread that does nothing had to wait meanwhile isn't the window's doing, and now and then its thread
  // waits for a lock whose owner waits for a processor. What it does itself, it does in each run: one of some has to be
  // good.
  constexpr int kLongest_ms = 50, kRuns = 5;
  std::string measured;
  bool is_good = false;
  for (int run = 1; run <= kRuns && !is_good; ++run) {
    app_test::UiWatchdog watchdog;
    watchdog.start();
    app_test::TimedApplication::as_one_event([&] { window.start_task(choice); });
    AgentBridge& bridge = *window.pages().last()->bridge();
    QObject::connect(&bridge, &AgentBridge::approval_wanted, &bridge, [&] { bridge.allow(ApprovalScope::Session); });
    QSignalSpy finished(&bridge, &AgentBridge::finished);
    ASSERT_TRUE(wait_until([&] { return !finished.isEmpty(); }));
    const auto event_ms = static_cast<qint64>(app_test::TimedApplication::longest_event_ms());
    const qint64 silence_ms = watchdog.longest_ms(), machine_ms = watchdog.machine_longest_ms();
    is_good = event_ms <= kLongest_ms && silence_ms - machine_ms <= kLongest_ms;
    measured += "event " + std::to_string(event_ms) + ", silence " + std::to_string(silence_ms) + ", idle thread " +
                std::to_string(machine_ms) + " ms\n";
  }
  RecordProperty("measured", measured);
  EXPECT_GT(n_frames, 5);
  EXPECT_TRUE(is_good) << measured;
}

}  // namespace
}  // namespace app
