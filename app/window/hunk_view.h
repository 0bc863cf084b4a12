#pragma once
// One hunk of an edit, painted as lines below each other or side by side. What changed within a line is marked.

#include <QJsonObject>
#include <QTextLayout>
#include <QWidget>
#include <memory>
#include <vector>

#include "tools/patch.h"

namespace app {

// What a call would write, as far as its arguments say. Empty: it changes no file, or can't be read.
std::vector<tools::FilePatch> written_hunks(const QString& tool, const QJsonObject& arguments);

// A line, or two that took each other's place.
struct DiffRow {
  int old_line = 0, new_line = 0;  // from 1; 0: there is none, or it isn't known
  QString old_text, new_text;      // null: none
  bool is_change = false;
  int same_start = -1, same_end = 0;  // of two that resemble each other: so many characters at both ends are equal
};
// `first_new`: of the hunk's first line in the new text; 0: not known.
std::vector<DiffRow> rows_of(const tools::Hunk& hunk, int first_new);

enum class DiffForm { Inline, SideBySide };

class HunkView : public QWidget {
  Q_OBJECT

 public:
  HunkView(const tools::Hunk& hunk, int first_new, QWidget* parent = nullptr);
  void set_form(DiffForm form);
  void set_taken(bool is_taken);  // left out: dimmed

  QSize sizeHint() const override { return {320, height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  enum class Side { Both, Old, New };
  struct Line {
    double x = 0, y = 0, width = 0, height = 0;
    QString old_number, new_number;
    Side side = Side::Both;
    std::unique_ptr<QTextLayout> text;
  };
  void lay_out();
  double add_line(const DiffRow& row, Side side, double x, double y, double width);
  double gutter_width() const;

  std::vector<DiffRow> rows_;
  std::vector<Line> lines_;
  DiffForm form_ = DiffForm::Inline;
  bool is_taken_ = true;
};

}  // namespace app
