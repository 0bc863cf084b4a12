// What the window offers by itself: on the first start, after a crash, to several sessions at once.

#include "app/window/main_window.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <QApplication>
#include <QLabel>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSystemTrayIcon>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <fstream>
#include <iterator>

#include "agent/database.h"
#include "agent/recorder.h"
#include "app/resources.h"
#include "app/window/agent_bridge.h"
#include "app/window/preferences.h"
#include "app/window/session_list.h"
#include "app/window/session_page.h"
#include "app/window/tray_icon.h"
#include "tests/app/window/sessions_end.h"
#include "tools/file_bytes.h"

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

// The process that serves a display of this machine, ":7"; 0: there is none.
pid_t server_of(const QString& display) {
  const tools::FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = "/tmp/.X11-unix/X" + display.mid(1).toStdString();
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ucred server = {};
  socklen_t size = sizeof server;
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &server, &size) != 0)
    return 0;
  return server.pid;
}

bool has_weights_in_memory() {
  std::ifstream maps("/proc/self/maps");
  const std::string all(std::istreambuf_iterator<char>(maps), {});
  return all.find("model.safetensors") != std::string::npos;
}

class Window : public testing::Test {
 protected:
  Window() { Preferences().set_met(); }
  std::filesystem::path record() const { return folder_.filePath("sessions.db").toStdString(); }
  // Of a task that asks for consent once.
  static AgentBridge& start_session(MainWindow& window) {
    TaskChoice choice;
    choice.task = "Open Calculator, then click 7";
    choice.model.dir = resource_path("models/nano");
    window.start_task(choice);
    return *window.pages().last()->bridge();
  }

  static QToolButton* close_button(SessionPage& page) {
    for (auto* one : page.findChildren<QToolButton*>()) {
      if (one->accessibleName() == "Close session") return one;
    }
    return nullptr;
  }

  QTemporaryDir folder_;
  app_test::SessionsEnd sessions_end_;  // last: before what they use
};

TEST_F(Window, sessions_work_side_by_side_while_one_waits_for_consent) {
  MainWindow window(record());
  window.show();
  AgentBridge& waiting = start_session(window);
  AgentBridge& working = start_session(window);
  ASSERT_EQ(window.pages().size(), 2);
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

TEST_F(Window, a_finished_session_is_closed_at_once_and_its_desktop_ends_while_another_goes_on) {
  MainWindow window(record());
  window.show();
  AgentBridge& other = start_session(window);
  const QPointer<AgentBridge> closed = &start_session(window);
  QSignalSpy other_finished(&other, &AgentBridge::finished), finished(closed, &AgentBridge::finished);
  QObject::connect(closed, &AgentBridge::approval_wanted, closed, [&] { closed->allow(ApprovalScope::Session); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return !finished.isEmpty() && other.state() == RunState::Asking; }, kPatience_ms));
  const qint64 session = closed->session();
  const pid_t server = server_of(closed->display());
  ASSERT_NE(server, 0);
  SessionPage* other_page = window.pages()[0];
  const QPointer<SessionPage> page = window.pages()[1];
  close_button(*page)->click();
  EXPECT_EQ(page->findChild<QMessageBox*>(), nullptr) << "nothing to ask";
  EXPECT_EQ(window.pages(), QList{other_page});
  EXPECT_TRUE(other_page->isVisible());
  ASSERT_TRUE(QTest::qWaitFor([&] { return page.isNull() && closed.isNull(); }, kPatience_ms));
  EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(server)));
  EXPECT_NE(server_of(other.display()), 0);
  other.allow(ApprovalScope::Session);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !other_finished.isEmpty(); }, kPatience_ms));
  EXPECT_EQ(other_finished[0][0].toString(), "done");
  window.show_session(session);
  ASSERT_EQ(window.pages().size(), 2) << "it is still in the record";
  SessionPage* opened = window.pages()[1];
  EXPECT_EQ(opened->bridge(), nullptr);
  EXPECT_TRUE(QTest::qWaitFor([&] { return opened->model().size() > 4; }, kPatience_ms));
}

TEST_F(Window, a_session_that_works_or_waits_is_closed_after_one_question) {
  MainWindow window(record());
  window.show();
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  const QPointer<AgentBridge> bridge = &start_session(window);
  const QPointer<SessionPage> page = window.pages().last();
  const auto press_ctrl_w = [&] { QTest::keyClick(QApplication::focusWidget(), Qt::Key_W, Qt::ControlModifier); };
  press_ctrl_w();
  const QPointer<QMessageBox> first = page->findChild<QMessageBox*>();
  ASSERT_NE(first, nullptr) << "it is at work already while it starts";
  ASSERT_TRUE(QTest::qWaitForWindowActive(first));
  QTest::keyClick(first, Qt::Key_Escape);
  ASSERT_TRUE(QTest::qWaitFor([&] { return first.isNull(); }, kPatience_ms));
  window.activateWindow();  // as a window manager does
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  ASSERT_TRUE(QTest::qWaitFor([&] { return bridge->state() == RunState::Asking; }, kPatience_ms)) << "it works on";
  const qint64 session = bridge->session();
  const pid_t server = server_of(bridge->display());
  ASSERT_NE(server, 0);
  EXPECT_TRUE(has_weights_in_memory());
  press_ctrl_w();
  auto* second = page->findChild<QMessageBox*>();
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(window.pages().size(), 1) << "not before the answer";
  button(*second, "Close")->click();
  EXPECT_TRUE(window.pages().isEmpty());
  EXPECT_TRUE(says(window, "What should be done?")) << "the page for a new task";
  ASSERT_TRUE(QTest::qWaitFor([&] { return page.isNull() && bridge.isNull(); }, kPatience_ms));
  EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(server)));
  EXPECT_FALSE(has_weights_in_memory());
  EXPECT_EQ(agent::Recorder::open(record())->session(session).status, agent::SessionStatus::Stopped);
  const auto* listed = window.findChild<SessionList*>();
  EXPECT_TRUE(QTest::qWaitFor([&] { return listed->entries().size() == 1 && listed->entries()[0].status == "stopped"; },
                              kPatience_ms))
      << "and the list says so";
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
