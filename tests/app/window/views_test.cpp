// How the views behave, each by itself.

#include <gtest/gtest.h>

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/approval_panel.h"
#include "app/window/composer.h"
#include "app/window/session_model.h"
#include "app/window/session_reader.h"
#include "app/window/timeline_view.h"
#include "app/window/transcript_view.h"
#include "tests/app/window/demo_record.h"
#include "tests/unit/tools/temporary_folder.h"

namespace app {
namespace {

class View : public testing::Test {
 protected:
  std::filesystem::path record() const { return folder_.path() / "sessions.db"; }
  // Fills the model from the record.
  void read(qint64 session) {
    reader_ = std::make_unique<SessionReader>(record(), session);
    model_.follow(reader_.get());
    QSignalSpy changed(&model_, &SessionModel::changed);
    reader_->refresh();
    ASSERT_TRUE(changed.wait(20000));
  }
  int row_of(SessionItem::Kind kind) const {
    for (int row = 0; row < model_.size(); ++row) {
      if (model_.item(row).kind == kind) return row;
    }
    return -1;
  }

  tools::TemporaryFolder folder_{tools::fast_disk()};
  std::unique_ptr<SessionReader> reader_;
  SessionModel model_;
};

TEST_F(View, transcript_of_ten_thousand_events_scrolls_without_a_stall) {
  read(app_test::write_long_session(record(), 2000));
  ASSERT_GE(model_.size(), 2600) << "of ten thousand events";
  TranscriptView view(&model_);
  view.resize(460, 700);
  view.show();
  QScrollBar* bar = view.verticalScrollBar();
  EXPECT_EQ(bar->value(), bar->maximum()) << "it follows what is new";
  qint64 longest_ms = 0;
  for (int step = 0; step <= 60; ++step) {
    QElapsedTimer timer;
    timer.start();
    bar->setValue(bar->maximum() * step / 60);
    view.viewport()->repaint();
    longest_ms = std::max(longest_ms, timer.elapsed());
  }
  EXPECT_LT(longest_ms, 50);
  QElapsedTimer timer;
  timer.start();
  view.resize(380, 700);
  view.viewport()->repaint();
  EXPECT_LT(timer.elapsed(), 50);
}

TEST_F(View, transcript_finds_opens_and_copies) {
  read(app_test::write_demo_sessions(record()));
  TranscriptView view(&model_);
  view.resize(460, 700);
  view.show();
  EXPECT_TRUE(view.find("HOTEL"));
  const int found = view.current_row();
  EXPECT_EQ(model_.item(found).tool, "shell");
  EXPECT_FALSE(view.find("nowhere at all"));
  const int closed = view.row_rect(found).height();
  view.activate(found);
  EXPECT_GT(view.row_rect(found).height(), closed);
  view.copy_current();
  EXPECT_TRUE(QApplication::clipboard()->text().contains("hotel  212.00"));
}

TEST_F(View, transcript_rows_are_in_the_accessibility_tree) {
  read(app_test::write_demo_sessions(record()));
  TranscriptView view(&model_);
  view.resize(460, 700);
  view.show();
  QAccessibleInterface* list = QAccessible::queryAccessibleInterface(&view);
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->childCount(), model_.size());
  QAccessibleInterface* first = list->child(0);
  EXPECT_TRUE(first->text(QAccessible::Name).startsWith("Add up the expenses"));
  EXPECT_EQ(list->indexOfChild(first), 0);
  QSignalSpy activated(&view, &TranscriptView::row_activated);
  first->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
  EXPECT_EQ(activated.size(), 1);
}

TEST_F(View, timeline_steps_from_action_to_action_and_plays_to_the_end) {
  read(app_test::write_demo_sessions(record()));
  TimelineView timeline(&model_);
  timeline.resize(600, 92);
  timeline.show();
  QSignalSpy chosen(&timeline, &TimelineView::moment_chosen);
  QTest::keyClick(&timeline, Qt::Key_Left);
  ASSERT_EQ(chosen.size(), 1);
  EXPECT_EQ(model_.item(chosen.last()[0].toInt()).tool, "web") << "the last call";
  QTest::keyClick(&timeline, Qt::Key_Left);
  EXPECT_EQ(model_.item(chosen.last()[0].toInt()).tool, "edit_file");
  QTest::keyClick(&timeline, Qt::Key_Home);
  QSignalSpy playing(&timeline, &TimelineView::playing_changed);
  timeline.play(200);
  while (timeline.is_playing() && playing.wait(5000)) {
  }
  EXPECT_FALSE(timeline.is_playing());
  EXPECT_EQ(model_.item(timeline.row()).kind, SessionItem::Kind::Ending);
}

TEST_F(View, timeline_range_is_drawn_with_shift) {
  read(app_test::write_demo_sessions(record()));
  TimelineView timeline(&model_);
  timeline.resize(600, 92);
  timeline.show();
  QTest::mousePress(&timeline, Qt::LeftButton, Qt::ShiftModifier, {100, 20});
  QTest::mouseMove(&timeline, {300, 20});
  QTest::mouseRelease(&timeline, Qt::LeftButton, Qt::ShiftModifier, {300, 20});
  ASSERT_TRUE(timeline.range());
  EXPECT_LT(timeline.range()->from_ms, timeline.range()->to_ms);
}

TEST(ComposerView, enter_starts_and_shift_enter_does_not) {
  Composer composer(Composer::Form::Full);
  composer.set_models({{"nano", "/models/nano"}}, 0);
  composer.show();
  QSignalSpy submitted(&composer, &Composer::submitted);
  auto* text = composer.findChild<QPlainTextEdit*>();
  QTest::keyClick(text, Qt::Key_Return);
  EXPECT_EQ(submitted.size(), 0) << "nothing is written";
  QTest::keyClicks(text, "Open");
  QTest::keyClick(text, Qt::Key_Return, Qt::ShiftModifier);
  QTest::keyClicks(text, "Calculator");
  EXPECT_EQ(submitted.size(), 0);
  QTest::keyClick(text, Qt::Key_Return);
  ASSERT_EQ(submitted.size(), 1);
  const auto choice = submitted[0][0].value<TaskChoice>();
  EXPECT_EQ(choice.task, "Open\nCalculator");
  EXPECT_EQ(choice.model.name, "nano");
}

TEST(ComposerView, takes_files_and_folders_that_are_dropped) {
  QTemporaryDir folder;
  QFile file(folder.filePath("notes.txt"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  Composer composer(Composer::Form::Full);
  QSignalSpy submitted(&composer, &Composer::submitted);
  composer.take({folder.path(), file.fileName()});
  composer.set_text("Read it");
  QTest::keyClick(composer.findChild<QPlainTextEdit*>(), Qt::Key_Return);
  ASSERT_EQ(submitted.size(), 1);
  const auto choice = submitted[0][0].value<TaskChoice>();
  EXPECT_EQ(choice.workspace, folder.path());
  EXPECT_TRUE(choice.task.contains(file.fileName()));
}

TEST(ApprovalView, shows_the_exact_command_and_gives_each_answer) {
  ApprovalPanel panel;
  panel.ask({"shell", {{"command", "echo a\u200Bb"}}, "shell", "shell is set to ask", false, {}, {}, {}});
  panel.show();
  EXPECT_EQ(panel.findChild<QPlainTextEdit*>()->toPlainText(), "echo a\\u{200b}b");
  QSignalSpy allowed(&panel, &ApprovalPanel::allowed), denied(&panel, &ApprovalPanel::denied);
  for (QPushButton* button : panel.findChildren<QPushButton*>()) {
    EXPECT_FALSE(button->accessibleName().isEmpty());
    if (button->text() != "Deny") button->click();
  }
  EXPECT_EQ(allowed.size(), 3);
  QTest::keyClicks(panel.findChild<QLineEdit*>(), "use the other file");
  QTest::keyClick(panel.findChild<QLineEdit*>(), Qt::Key_Return);
  ASSERT_EQ(denied.size(), 1);
  EXPECT_EQ(denied[0][0].toString(), "use the other file");
}

TEST(ApprovalView, what_looks_dangerous_has_no_lasting_answer) {
  ApprovalPanel panel;
  panel.ask({"shell", {{"command", "rm -rf /tmp/x"}}, "shell", "it looks like it destroys", true, {}, {}, {}});
  panel.show();
  for (const QPushButton* button : panel.findChildren<QPushButton*>()) {
    EXPECT_EQ(button->isVisible(), button->text() == "Deny" || button->text() == "Allow once")
        << button->text().toStdString();
  }
}

}  // namespace
}  // namespace app
