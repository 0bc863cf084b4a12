#pragma once
// The session as a film strip with a mark for each action: point at any moment to see it, play it, cut a range.

#include <QTimer>
#include <QWidget>
#include <optional>

namespace app {

class SessionModel;

class TimelineView : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineView(SessionModel* model, QWidget* parent = nullptr);

  // The item whose moment is shown; −1: the present.
  void set_row(int row);
  int row() const { return row_; }

  void step(int by);  // to the next or previous action
  void play(double speed);
  void stop_playing();
  // The moment that is shown, and where the session ends.
  qint64 now_ms() const;
  qint64 length_ms() const;
  void choose(qint64 at_ms);
  bool is_playing() const { return player_.isActive(); }
  struct Range {
    qint64 from_ms = 0, to_ms = 0;
  };
  std::optional<Range> range() const { return range_; }  // that was cut out
  void cut_from_here();
  void cut_until_here();
  void forget_cut();

  QSize sizeHint() const override { return {600, 92}; }
  QSize minimumSizeHint() const override { return {200, 92}; }

 Q_SIGNALS:
  void moment_chosen(int row);  // by the user, or by playing
  void playing_changed(bool is_playing);
  void range_changed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  double x_of(qint64 at_ms) const;
  qint64 time_at(double x) const;
  qint64 picture_at(qint64 at_ms) const;
  void set_range(const std::optional<Range>& range);
  void advance();
  void paint_strip(QPainter& painter, const QRectF& strip);
  void paint_marks(QPainter& painter, const QRectF& marks);
  void paint_range(QPainter& painter, const QRectF& strip);

  SessionModel* model_;
  int row_ = -1;
  qint64 moment_ms_ = 0;  // when row_ isn't −1
  std::optional<Range> range_;
  std::optional<qint64> range_from_ms_;  // while one is drawn
  QTimer player_;
  double speed_ = 1;
};

}  // namespace app
