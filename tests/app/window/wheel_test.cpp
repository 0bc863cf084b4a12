// The user has the wheel: mouse and keys on the picture of a desktop arrive on that desktop.

#include <gtest/gtest.h>

#include <QApplication>
#include <QKeyEvent>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cstdlib>

#include "app/window/screen_pane.h"
#include "app/window/screen_view.h"
#include "app/window/session_model.h"
#include "tests/desk/test_window.h"
#include "tests/desk/x_server.h"

namespace app {
namespace {

struct Arrived {
  int type, detail, x_px, y_px;
};

TEST(Wheel, clicks_turns_and_keys_on_the_picture_arrive_on_the_desktop) {
  const desk_test::TestXServer server({.width = 800, .height = 600});
  desk_test::TestWindow window(server.display(), {0, 0, 800, 600}, 0x335577);
  const std::uint32_t wanted = XCB_EVENT_MASK_BUTTON_PRESS | XCB_EVENT_MASK_KEY_PRESS;
  xcb_change_window_attributes(window.connection(), window.id(), XCB_CW_EVENT_MASK, &wanted);
  window.sync();
  SessionModel model;
  ScreenPane pane(&model);
  pane.resize(900, 700);
  pane.show();
  pane.set_display(QString::fromStdString(server.display()));
  pane.set_driven(true);
  ScreenView& view = pane.screen();
  const QPointF middle = QRectF(view.rect()).center();
  QSignalSpy moved(&view, &ScreenView::pointer_moved);
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {  // as soon as there is a picture
        QTest::mouseMove(&view, middle.toPoint());
        QMouseEvent move(QEvent::MouseMove, middle, view.mapToGlobal(middle), Qt::NoButton, Qt::NoButton, {});
        QApplication::sendEvent(&view, &move);
        return !moved.isEmpty();
      },
      60000));
  QTest::mouseClick(&view, Qt::LeftButton, {}, middle.toPoint());
  QWheelEvent turn(middle, view.mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, {}, Qt::NoScrollPhase, false);
  QApplication::sendEvent(&view, &turn);
  constexpr quint32 kKeysymA = 0x61;
  for (const auto type : {QEvent::KeyPress, QEvent::KeyRelease}) {
    QKeyEvent key(type, Qt::Key_A, {}, 38, kKeysymA, 0, "a");
    QApplication::sendEvent(&view, &key);
  }
  std::vector<Arrived> arrived;
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        while (xcb_generic_event_t* event = xcb_poll_for_event(window.connection())) {
          const int type = event->response_type & 0x7f;
          const auto* press = reinterpret_cast<const xcb_button_press_event_t*>(event);  // a key's has the same form
          if (type == XCB_BUTTON_PRESS || type == XCB_KEY_PRESS) {
            arrived.push_back({type, press->detail, press->event_x, press->event_y});
          }
          std::free(event);
        }
        return arrived.size() >= 3;
      },
      60000))
      << arrived.size();
  EXPECT_EQ(arrived[0].type, XCB_BUTTON_PRESS);
  EXPECT_EQ(arrived[0].detail, 1);
  EXPECT_NEAR(arrived[0].x_px, 400, 2);
  EXPECT_NEAR(arrived[0].y_px, 300, 2);
  EXPECT_EQ(arrived[1].detail, 4) << "turned away from the user";
  EXPECT_EQ(arrived[2].type, XCB_KEY_PRESS);
}

}  // namespace
}  // namespace app
