// A session in the window with the model of a server: what is agreed to in part is done in part.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QApplication>
#include <QCheckBox>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>

#include "agent/recorder.h"
#include "app/window/approval_panel.h"
#include "app/window/edit_review.h"
#include "app/window/main_window.h"
#include "app/window/preferences.h"
#include "app/window/session_page.h"
#include "app/window/transcript_view.h"
#include "tests/app/window/sessions_end.h"
#include "tests/app/window/watchdog.h"
#include "tests/chat_server/chat_server.h"
#include "tests/unit/tools/temporary_folder.h"
#include "tools/file_bytes.h"

namespace app {
namespace {

constexpr int kPatience_ms = 240000;

std::string lines_with(const std::string& fifth, const std::string& fortieth) {
  std::string text;
  for (int line = 1; line <= 50; ++line) {
    text += (line == 5 ? fifth : line == 40 ? fortieth : "line " + std::to_string(line)) + "\n";
  }
  return text;
}

class ServerRun : public testing::Test {
 protected:
  SessionRequest request() const {
    SessionRequest request;
    request.task = "Say five and forty in words";
    request.server = server_.url() + "/v1#scripted";
    request.workbench.desktop = agent::WorkbenchOptions::DesktopKind::None;
    request.workbench.workspace = folder_.path() / "work";
    request.workbench.state_dir = folder_.path() / "state";
    request.workbench.confine_shell = false;
    request.policy.rules[tools::Effect::WriteWorkspace] = agent::Decision::Ask;
    request.record = folder_.path() / "sessions.db";
    return request;
  }
  std::filesystem::path file() const { return folder_.path() / "work" / "numbers.txt"; }
  std::string content() const {
    std::ifstream stream(file());
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  tools::TemporaryFolder folder_{tools::fast_disk()};
  chat_server::ChatServer server_;
  app_test::SessionsEnd sessions_end_;  // last: before what they use
};

TEST_F(ServerRun, hunks_that_are_unticked_are_not_written_and_the_model_is_told) {
  std::filesystem::create_directories(folder_.path() / "work");
  std::ofstream(file()) << lines_with("line 5", "line 40");
  server_.then(chat_server::calls("read_file", {{"path", "numbers.txt"}}));
  server_.then(
      chat_server::calls("write_file", {{"path", "numbers.txt"}, {"content", lines_with("line five", "line forty")}}));
  SessionPage page(std::make_unique<AgentBridge>(request()));
  page.resize(1000, 700);
  page.show();
  AgentBridge& bridge = *page.bridge();
  QSignalSpy asked(&bridge, &AgentBridge::approval_wanted), finished(&bridge, &AgentBridge::finished),
      failed(&bridge, &AgentBridge::failed);
  ASSERT_TRUE(asked.wait(kPatience_ms)) << (failed.isEmpty() ? "" : failed[0][0].toString().toStdString());
  auto* review = page.findChild<EditReview*>();
  ASSERT_TRUE(review->isVisible()) << "in the place of the screen";
  const QList<QCheckBox*> boxes = review->findChildren<QCheckBox*>();
  ASSERT_EQ(boxes.size(), 2);
  boxes[1]->click();
  for (auto* button : page.findChild<ApprovalPanel*>()->findChildren<QPushButton*>()) {
    if (button->text() == "Allow 1 of 2") button->click();
  }
  ASSERT_TRUE(QTest::qWaitFor([&] { return !finished.isEmpty(); }, kPatience_ms));
  EXPECT_EQ(finished[0][0].toString(), "done") << finished[0][1].toString().toStdString();
  EXPECT_EQ(content(), lines_with("line five", "line 40"));
  EXPECT_FALSE(review->isVisible());
  const std::string told = server_.requests().at(2).body;
  EXPECT_NE(told.find("left out 1"), std::string::npos);
  EXPECT_NE(told.find("+line forty"), std::string::npos) << "which one";
}

TEST_F(ServerRun, what_a_command_floods_with_is_shown_without_a_stall) {
  std::filesystem::create_directories(folder_.path() / "work");
  server_.then(chat_server::calls("shell", {{"command",
                                             "head -c 100000000 /dev/zero | tr '\\0' 'x' | fold -w 100 | "
                                             "sed 's/^x*$/\\x1b[31m&\\x1b[0m/'"}}));
  SessionPage page(std::make_unique<AgentBridge>(request()));
  AgentBridge* bridge = page.bridge();
  QObject::connect(bridge, &AgentBridge::approval_wanted, bridge, [&] { bridge->allow(ApprovalScope::Session); });
  page.resize(1000, 700);
  page.show();
  app_test::TimedApplication::forget_events();
  QSignalSpy finished(bridge, &AgentBridge::finished), changed(&page.model(), &QAbstractItemModel::dataChanged);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !finished.isEmpty(); }, kPatience_ms));
  const auto row_of_flood = [&] {
    for (int row = 0; row < page.model().size(); ++row) {
      if (!page.model().item(row).output_path.isEmpty()) return row;
    }
    return -1;
  };
  ASSERT_TRUE(QTest::qWaitFor([&] { return row_of_flood() >= 0; }, kPatience_ms));
  const int row = row_of_flood();
  auto* transcript = page.findChild<TranscriptView*>();
  transcript->show_row(row);
  const int closed = transcript->row_rect(row).height();
  changed.clear();
  transcript->activate(row);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !changed.isEmpty(); }, kPatience_ms)) << "its output is there";
  EXPECT_TRUE(QTest::qWaitFor([&] { return transcript->row_rect(row).height() > 10 * closed; }, kPatience_ms));
  EXPECT_LE(app_test::TimedApplication::longest_event_ms(), 50);
  RecordProperty("event_ms", std::to_string(app_test::TimedApplication::longest_event_ms()));
}

// A tool that doesn't stop: another program holds the journal of edits, for which it waits whatever it is told.
class HeldJournal {
 public:
  explicit HeldJournal(const std::filesystem::path& state)
      : file_(::open((state / "edits" / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    EXPECT_EQ(::flock(file_.get(), LOCK_EX), 0);
  }
  bool is_waited_for() const {
    struct stat status {};
    ::fstat(file_.get(), &status);
    const std::string inode = std::to_string(status.st_ino) + " 0 EOF";
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
      if (line.find("-> FLOCK") != std::string::npos && line.find(inode) != std::string::npos) return true;
    }
    return false;
  }

 private:
  tools::FileDescriptor file_;
};

TEST_F(ServerRun, a_page_that_closes_waits_for_no_tool_and_its_session_loses_nothing) {
  ::alarm(100);  // who waits for the tool in the window's thread, waits for ever: the tool waits for this test
  std::filesystem::create_directories(folder_.path() / "work");
  std::optional<HeldJournal> held;
  server_.then([&](const chat_server::Request& request, chat_server::Connection& connection) {
    held.emplace(folder_.path() / "state");
    chat_server::calls("write_file", {{"path", "numbers.txt"}, {"content", "five\n"}})(request, connection);
  });
  SessionRequest wanted = request();
  wanted.policy.rules[tools::Effect::WriteWorkspace] = agent::Decision::Allow;
  auto page = std::make_unique<SessionPage>(std::make_unique<AgentBridge>(wanted));
  const QPointer<AgentBridge> bridge = page->bridge();
  ASSERT_TRUE(QTest::qWaitFor([&] { return bridge->state() == RunState::Acting && held && held->is_waited_for(); },
                              kPatience_ms));
  const qint64 session = bridge->session();
  page.reset();
  int n_turns = 0;
  QTimer turns;
  QObject::connect(&turns, &QTimer::timeout, [&] { ++n_turns; });
  turns.start(1);
  ASSERT_TRUE(QTest::qWaitFor([&] { return n_turns >= 100; }, kPatience_ms));
  ASSERT_FALSE(bridge.isNull()) << "the tool still works";
  EXPECT_FALSE(bridge->has_ended());
  EXPECT_EQ(content(), "");
  held.reset();
  ASSERT_TRUE(QTest::qWaitFor([&] { return bridge.isNull(); }, kPatience_ms)) << "it goes when it has ended";
  EXPECT_EQ(content(), "five\n");
  const auto recorder = agent::Recorder::open(folder_.path() / "sessions.db");
  EXPECT_EQ(recorder->session(session).status, agent::SessionStatus::Stopped);
  const std::vector<agent::Event> events = recorder->load_events(session);
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const agent::Event& event) {
    return event.kind == agent::EventKind::Outcome;
  })) << "what the tool did is in the record";
  ::alarm(0);
}

TEST_F(ServerRun, the_programs_end_waits_for_sessions_whose_pages_are_gone) {
  std::filesystem::create_directories(folder_.path() / "work");
  server_.then(chat_server::calls("shell", {{"command", "sleep 1000"}}));
  SessionRequest wanted = request();
  wanted.policy.rules[tools::Effect::Shell] = agent::Decision::Allow;
  auto page = std::make_unique<SessionPage>(std::make_unique<AgentBridge>(wanted));
  const QPointer<AgentBridge> bridge = page->bridge();
  ASSERT_TRUE(QTest::qWaitFor([&] { return bridge->state() == RunState::Acting; }, kPatience_ms));
  const qint64 session = bridge->session();
  page.reset();
  AgentBridge::finish_all();
  EXPECT_TRUE(bridge.isNull());
  EXPECT_EQ(agent::Recorder::open(folder_.path() / "sessions.db")->session(session).status,
            agent::SessionStatus::Stopped);
}

// Run by itself under valgrind too.
TEST_F(ServerRun, the_window_starts_works_and_quits) {
  std::filesystem::create_directories(folder_.path() / "work");
  server_.then(chat_server::calls("shell", {{"command", "echo hello"}}));
  Preferences().set_met();
  MainWindow window(folder_.path() / "sessions.db");
  window.show();
  TaskChoice choice;
  choice.task = "Say hello";
  choice.place = Place::FilesOnly;
  choice.workspace = QString::fromStdString((folder_.path() / "work").string());
  choice.model = {"scripted", {}, QString::fromStdString(server_.url() + "/v1#scripted")};
  window.start_task(choice);
  AgentBridge& bridge = *window.pages().last()->bridge();
  QSignalSpy finished(&bridge, &AgentBridge::finished), failed(&bridge, &AgentBridge::failed);
  QObject::connect(&bridge, &AgentBridge::approval_wanted, &bridge, [&] { bridge.allow(ApprovalScope::Session); });
  ASSERT_TRUE(QTest::qWaitFor([&] { return !finished.isEmpty() || !failed.isEmpty(); }, 2 * kPatience_ms));
  EXPECT_TRUE(failed.isEmpty());
  SessionPage& page = *window.pages().last();
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        const int last = page.model().size() - 1;
        return last >= 0 && page.model().item(last).kind == SessionItem::Kind::Ending;
      },
      kPatience_ms));
  window.show_settings();
  window.show_session(page.session());
  QTest::qWait(1);
  EXPECT_TRUE(window.close());
}

}  // namespace
}  // namespace app
