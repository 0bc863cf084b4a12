// The picture of a desktop: at any zoom, before and after, with what is drawn on it.

#include "app/window/screen_view.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QShortcut>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

namespace app {
namespace {

constexpr int kWidth = 400, kHeight = 300;

// Red above, blue below; green in the square at (200, 100) to (240, 140). Of a desktop of the same size.
ScreenImage desktop(QColor above = Qt::red) {
  QImage image(kWidth, kHeight, QImage::Format_RGB32);
  image.fill(above);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      if (y >= kHeight / 2) image.setPixelColor(x, y, Qt::blue);
      if (x >= 200 && x < 240 && y >= 100 && y < 140) image.setPixelColor(x, y, Qt::green);
    }
  }
  return {image, capture::ScreenMap({0, 0, kWidth, kHeight}, {kWidth, kHeight})};
}

class ScreenViewTest : public ScreenView {
 public:
  ScreenViewTest() {
    resize(404, 304);  // the picture, and the view's own edge
    show_picture(desktop());
    show();
  }
  // The colour at a place of the widget.
  QColor at(double x, double y) {
    const QImage image = grab().toImage();
    const double ratio = image.devicePixelRatio();
    return image.pixelColor(static_cast<int>(x * ratio), static_cast<int>(y * ratio));
  }
  // How far the green square reaches to both sides of a line through its middle; 0: it isn't there.
  int green_width(double y) {
    const QImage image = grab().toImage();
    const double ratio = image.devicePixelRatio();
    int n = 0;
    for (int x = 0; x < image.width(); ++x) {
      const QColor colour = image.pixelColor(x, static_cast<int>(y * ratio));
      n += colour.green() > 200 && colour.red() < 60 && colour.blue() < 60;
    }
    return static_cast<int>(n / ratio + 0.5);
  }
};

TEST(ScreenView, zooms_in_and_out_and_back_to_the_whole) {
  ScreenViewTest view;
  const int whole = view.green_width(122);
  EXPECT_NEAR(whole, 40, 1);
  QTest::keyClick(&view, Qt::Key_Plus);
  EXPECT_NEAR(view.zoom(), 1.25, 0.01);
  EXPECT_GT(view.green_width(view.height() / 2.0 - 30), whole + 8);
  QTest::keyClick(&view, Qt::Key_Minus);
  QTest::keyClick(&view, Qt::Key_Minus);
  EXPECT_NEAR(view.zoom(), 0.8, 0.01);
  QTest::keyClick(&view, Qt::Key_0);
  EXPECT_EQ(view.zoom(), 0);
  EXPECT_EQ(view.green_width(122), whole);
  const QPointF middle = QRectF(view.rect()).center();
  QWheelEvent turn(middle, view.mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase,
                   false);
  QApplication::sendEvent(&view, &turn);
  EXPECT_GT(view.zoom(), 1);
}

TEST(ScreenView, is_moved_by_mouse_and_by_keys_when_it_is_larger_than_its_place) {
  ScreenViewTest view;
  view.zoom_by(4);
  EXPECT_EQ(view.at(100, 100), QColor(Qt::red)) << "above the middle";
  QTest::keyClick(&view, Qt::Key_Down);
  QTest::keyClick(&view, Qt::Key_Down);
  EXPECT_EQ(view.at(100, 100), QColor(Qt::blue)) << "further down";
  QTest::mousePress(&view, Qt::LeftButton, {}, {100, 100});
  QTest::mouseMove(&view, {100, 250});
  QTest::mouseRelease(&view, Qt::LeftButton, {}, {100, 250});
  EXPECT_EQ(view.at(100, 100), QColor(Qt::red));
}

TEST(ScreenView, compares_before_and_after_on_both_sides_of_a_divider) {
  ScreenViewTest view;
  view.compare_with(desktop(Qt::yellow));
  ASSERT_TRUE(view.is_comparing());
  EXPECT_EQ(view.at(60, 80), QColor(Qt::yellow)) << "before";
  EXPECT_EQ(view.at(340, 80), QColor(Qt::red)) << "after";
  QTest::mousePress(&view, Qt::LeftButton, {}, {200, 80});
  QTest::mouseMove(&view, {380, 80});
  QTest::mouseRelease(&view, Qt::LeftButton, {}, {380, 80});
  EXPECT_EQ(view.at(340, 80), QColor(Qt::yellow)) << "more of before";
  for (int step = 0; step < 20; ++step) QTest::keyClick(&view, Qt::Key_Left);
  EXPECT_EQ(view.at(60, 80), QColor(Qt::red)) << "nothing but after";
  view.compare_with({});
  EXPECT_FALSE(view.is_comparing());
}

TEST(ScreenView, draws_what_the_model_speaks_of_at_its_place) {
  ScreenViewTest view;
  const QImage bare = view.grab().toImage();
  view.set_boxes({{QRect(100, 180, 80, 40), "the blue field"}});
  const QImage marked = view.grab().toImage();
  const double ratio = bare.devicePixelRatio();
  QRect changed;
  for (int y = 0; y < bare.height(); ++y) {
    for (int x = 0; x < bare.width(); ++x) {
      if (bare.pixel(x, y) != marked.pixel(x, y)) changed |= QRect(x, y, 1, 1);
    }
  }
  EXPECT_NEAR(changed.left() / ratio, 102, 4) << "the box begins there";
  EXPECT_NEAR(changed.bottom() / ratio, 222, 4) << "and ends there";
  EXPECT_LT(changed.top() / ratio, 172) << "its label is above it";
  EXPECT_EQ(view.at(142, 202), QColor(Qt::blue)) << "what is in it can be seen";
  view.set_boxes({});
  EXPECT_EQ(view.grab().toImage(), bare);
}

TEST(ScreenView, keeps_the_key_that_closes_a_session_while_it_is_driven) {
  ScreenViewTest view;
  view.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&view));
  QShortcut close(QKeySequence::Close, &view);
  QSignalSpy closed(&close, &QShortcut::activated);
  view.set_driven(true);
  QTest::keyClick(&view, Qt::Key_W, Qt::ControlModifier);
  EXPECT_EQ(closed.size(), 0);
  view.set_driven(false);
  QTest::keyClick(&view, Qt::Key_W, Qt::ControlModifier);
  EXPECT_EQ(closed.size(), 1);
}

}  // namespace
}  // namespace app
