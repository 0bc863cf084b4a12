// The whole window without a mouse.

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/call_text.h"
#include "app/window/main_window.h"
#include "app/window/plan_view.h"
#include "app/window/preferences.h"
#include "app/window/screen_pane.h"
#include "app/window/session_page.h"
#include "app/window/timeline_view.h"
#include "app/window/transcript_view.h"
#include "tests/app/window/demo_record.h"
#include "tests/app/window/tab_round.h"

namespace app {
namespace {

class Keyboard : public testing::Test {
 protected:
  Keyboard() {
    Preferences().set_met();
    const std::filesystem::path record = folder_.filePath("sessions.db").toStdString();
    app_test::write_demo_sessions(record);
    window_ = std::make_unique<MainWindow>(record);
    window_->show();
    window_->activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    list_ = window_->findChild<QListView*>();
    EXPECT_TRUE(QTest::qWaitFor([&] { return list_->model()->rowCount() == 2; }, 60000));
  }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QWidget* focused = QApplication::focusWidget();
    QTest::keyClick(focused != nullptr ? focused : window_.get(), key, modifiers);
  }
  // With Tab, until this has the focus.
  bool tab_to(QWidget* wanted) {
    for (int step = 0; step < 200 && QApplication::focusWidget() != wanted; ++step) press(Qt::Key_Tab);
    return QApplication::focusWidget() == wanted;
  }
  // The newest session, opened with the keys.
  SessionPage* open_session() {
    EXPECT_TRUE(tab_to(list_));
    press(Qt::Key_Home);
    press(Qt::Key_Return);
    if (window_->pages().isEmpty()) return nullptr;
    SessionPage* page = window_->pages().last();
    EXPECT_TRUE(QTest::qWaitFor([&] { return page->model().size() > 10; }, 60000));
    return page;
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  QListView* list_ = nullptr;
};

TEST_F(Keyboard, reaches_everything_on_the_first_page) {
  EXPECT_EQ(app_test::not_reached_by_tab(*window_).join(", ").toStdString(), "");
}

TEST_F(Keyboard, reaches_everything_of_a_session) {
  ASSERT_NE(open_session(), nullptr);
  EXPECT_EQ(app_test::not_reached_by_tab(*window_).join(", ").toStdString(), "");
}

TEST_F(Keyboard, looks_back_through_a_session) {
  SessionPage* page = open_session();
  ASSERT_NE(page, nullptr);
  ASSERT_TRUE(tab_to(&page->screen().timeline()));
  press(Qt::Key_Left);
  const int row = page->screen().looked_at();
  ASSERT_GE(row, 0);
  EXPECT_EQ(page->model().item(row).tool, "web") << "the last action";
  auto* transcript = page->findChild<TranscriptView*>();
  EXPECT_EQ(transcript->current_row(), row) << "the transcript goes along";
  ASSERT_TRUE(tab_to(transcript));
  const int closed = transcript->row_rect(row).height();
  press(Qt::Key_Return);
  EXPECT_NE(transcript->row_rect(row).height(), closed) << "opened";
  press(Qt::Key_F, Qt::ControlModifier);
  auto* search = qobject_cast<QLineEdit*>(QApplication::focusWidget());
  ASSERT_NE(search, nullptr);
  QTest::keyClicks(search, "HOTEL");
  EXPECT_TRUE(whole_text(page->model().item(transcript->current_row())).contains("hotel"));
  press(Qt::Key_Escape);
  EXPECT_EQ(QApplication::focusWidget(), transcript);
}

TEST_F(Keyboard, goes_from_a_step_of_the_plan_to_its_evidence) {
  SessionPage* page = open_session();
  ASSERT_NE(page, nullptr);
  auto* tabs = page->findChild<QTabBar*>();
  ASSERT_TRUE(tab_to(tabs));
  press(Qt::Key_Right);
  auto* plan = page->findChild<PlanView*>();
  ASSERT_TRUE(plan->isVisible());
  const QList<QPushButton*> steps = plan->findChildren<QPushButton*>();
  ASSERT_EQ(steps.size(), 4);
  ASSERT_TRUE(tab_to(steps[3]));
  press(Qt::Key_Space);
  const int cited = page->screen().looked_at();
  ASSERT_GE(cited, 0);
  EXPECT_EQ(page->model().item(cited).tool, "edit_file") << "its evidence cites that result";
  ASSERT_TRUE(tab_to(steps[0]));
  press(Qt::Key_Space);
  const int closed = page->screen().looked_at();
  EXPECT_EQ(page->model().item(closed).tool, "launch") << "it cites none: where the step was closed";
}

TEST_F(Keyboard, closes_sessions_one_by_one) {
  SessionPage* newest = open_session();
  ASSERT_NE(newest, nullptr);
  ASSERT_TRUE(tab_to(list_));
  press(Qt::Key_End);
  press(Qt::Key_Return);
  ASSERT_EQ(window_->pages().size(), 2);
  press(Qt::Key_W, Qt::ControlModifier);
  EXPECT_EQ(window_->pages(), QList{newest});
  EXPECT_TRUE(newest->isAncestorOf(QApplication::focusWidget()));
  press(Qt::Key_W, Qt::ControlModifier);
  EXPECT_TRUE(window_->pages().isEmpty());
  EXPECT_NE(qobject_cast<QPlainTextEdit*>(QApplication::focusWidget()), nullptr) << "of a new task";
  press(Qt::Key_W, Qt::ControlModifier);
  EXPECT_TRUE(window_->isVisible()) << "there is nothing more to close";
  EXPECT_NE(open_session(), nullptr) << "they are still in the list";
}

TEST_F(Keyboard, begins_a_new_task_from_anywhere) {
  ASSERT_NE(open_session(), nullptr);
  press(Qt::Key_N, Qt::ControlModifier);
  EXPECT_NE(qobject_cast<QPlainTextEdit*>(QApplication::focusWidget()), nullptr);
}

}  // namespace
}  // namespace app
