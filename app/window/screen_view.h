#pragma once
// A desktop, live or recorded: at any zoom, with the action that is coming and what the last one changed drawn on it.

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "app/window/action_mark.h"
#include "app/window/session_item.h"

namespace app {

class ScreenView : public QWidget {
  Q_OBJECT

 public:
  explicit ScreenView(QWidget* parent = nullptr);

  void show_picture(const ScreenImage& picture);  // a null image: nothing to see
  // Left of the divider this one is shown instead: before and after. A null image ends it.
  void compare_with(const ScreenImage& before);
  bool is_comparing() const { return !before_.image.isNull(); }
  void set_mark(const std::optional<ActionMark>& mark, bool is_coming);  // coming: its ring breathes
  void set_changes(const QList<QRect>& areas_pt);
  void set_target(const QRect& box_pt, const QString& name);  // the widget that an action took hold of; empty: none
  void set_boxes(const QList<BoxNote>& boxes);                // what the model speaks of
  const QList<BoxNote>& boxes() const { return boxes_; }
  // Areas of the desktop with a weight of 0 … 1 each.
  void set_heat(const QList<std::pair<QRectF, double>>& areas_pt);
  void set_placeholder(const QString& text);

  // So many of the screen's own pixels a picture may have that is shown whole, without being made smaller.
  QSize room_px() const;
  void set_fit();
  void zoom_by(double factor);
  double zoom() const { return zoom_; }  // 0: fits

  // While the user has the wheel, mouse and keys on the picture are signalled instead of moving it.
  void set_driven(bool is_driven);
  bool is_driven() const { return is_driven_; }

  QSize sizeHint() const override { return {720, 420}; }
  QSize minimumSizeHint() const override { return {240, 150}; }

 Q_SIGNALS:
  void pointer_moved(QPoint at_pt);
  void button_changed(int button, bool is_down);  // as X numbers them; 4–7: the wheel
  void key_changed(quint32 keysym, bool is_down);
  void zoom_changed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  bool focusNextPrevChild(bool next) override;

 private:
  QRectF screen_rect() const;  // where the picture lies in the widget
  QPointF to_view(QPointF point_pt) const;
  std::optional<QPoint> to_desktop(QPointF view) const;
  void paint_changes(QPainter& painter) const;
  void paint_box(QPainter& painter, const QRect& box_pt, const QString& name, const QColor& colour) const;
  void paint_before(QPainter& painter, const QRectF& target) const;
  void drive(const QMouseEvent& event, bool is_down);
  void move_divider(double part);  // 0: at the left, 1: at the right
  void move_picture(QPointF way);

  ScreenImage picture_, before_;
  std::optional<ActionMark> mark_;
  QList<QRect> changes_pt_;
  QRect target_pt_;
  QString target_name_;
  QList<BoxNote> boxes_;
  QList<std::pair<QRectF, double>> heat_pt_;
  QString placeholder_;
  QTimer breath_;
  QElapsedTimer clock_;
  double zoom_ = 0;  // view points per picture pixel; 0: fits
  QPointF pan_;      // of the picture's middle from the widget's
  double divider_ = 0.5;
  std::optional<QPointF> dragged_from_;
  bool is_driven_ = false;
};

}  // namespace app
