#pragma once
// What was asked, thought, said and done, as a column of cards. Heights of rows that were never seen are estimated, so
// that ten thousand rows cost no more than those on the screen.

#include <QAbstractScrollArea>
#include <QHash>
#include <memory>
#include <vector>

#include "app/window/row_layout.h"
#include "app/window/session_item.h"

namespace app {

class SessionModel;

class TranscriptView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit TranscriptView(SessionModel* model, QWidget* parent = nullptr);
  ~TranscriptView() override;

  void set_live_text(const QString& thought, const QString& text);  // of the reply that is being written
  // How much the model looked at each turn, 0 … 1: drawn at the edge of its rows.
  void set_heat(const QHash<int, double>& by_turn);
  // Goes to a row that contains the text, and highlights it everywhere. False: there is none. While it is being typed,
  // that is the first one from where the search began; then the next or previous one of the current row.
  enum class Seek { Typed, Next, Previous };
  bool find(const QString& text, Seek seek = Seek::Typed);
  void show_row(int row);  // makes it current and scrolls to it
  int current_row() const { return current_; }
  void copy_current() const;

  int n_rows() const { return static_cast<int>(rows_.size()); }  // those of the model and the live ones
  const SessionItem& item(int row) const;
  QRect row_rect(int row) const;  // in the viewport
  int first_visible_row() const { return row_at_y(scroll_y()); }
  void activate(int row);  // as a click on it: opens or closes it, and says where it is

 Q_SIGNALS:
  void row_activated(int row);
  void picture_clicked(int row);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Row {
    double height = 0;
    bool is_measured = false;
    bool is_open = false;
  };

  void rows_inserted(int first, int last);
  void row_changed(int row);
  void forget_layouts();
  double estimate(const SessionItem& item) const;
  const RowLayout& layout(int row);  // measures the row
  void measure_visible();            // keeps what is at the top where it is
  void update_scroll_range();
  double row_top(int row) const;
  int row_at_y(double y) const;
  double scroll_y() const;
  bool is_at_end() const;
  void scroll_to_end();

  SessionModel* model_;
  std::vector<Row> rows_;
  mutable std::vector<double> tops_;  // of each row, and the end; empty: to be computed
  QHash<int, std::shared_ptr<RowLayout>> layouts_;
  std::vector<SessionItem> live_;  // behind those of the model
  double heat_of(const SessionItem& item) const;
  QHash<int, double> heat_;  // by turn, 1: the most
  QString sought_;
  int sought_from_ = 0;  // the row where the search began
  int current_ = -1;
  bool follows_end_ = true;
};

}  // namespace app
