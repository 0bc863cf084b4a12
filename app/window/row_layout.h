#pragma once
// One row of the transcript, laid out for a width: texts, boxes, icons, and the places that can be clicked.

#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QTextLayout>
#include <memory>
#include <vector>

#include "app/window/session_item.h"
#include "app/window/theme.h"
#include "tools/patch.h"

class QPainter;

namespace app {

class SessionModel;

constexpr int kMostCodeLines = 400;  // of one card; longer ones are cut

class RowLayout {
 public:
  struct Options {
    double width = 0;
    bool is_open = false;
    QString sought = {};     // highlighted where it occurs
    QByteArray output = {};  // of a command: what it wrote; empty: not known
  };
  RowLayout(const SessionItem& item, const Options& options);
  ~RowLayout();

  double height() const { return height_; }
  // In a frame of this colour; an invalid one: without.
  void paint(QPainter& painter, QPointF origin, SessionModel* model, const QColor& frame) const;

  enum class Zone { None, Fold, Picture };
  Zone zone_at(QPointF at) const;

 private:
  struct Box {
    QRectF rect;
    QColor fill, border;
    double radius = 8;
  };
  struct Text {
    std::unique_ptr<QTextLayout> layout;
    QPointF at;
    QColor colour;
  };
  struct Icon {
    QRectF rect;
    QString name;
    IconColour colour;
  };
  struct TextStyle {
    QFont font;
    QColor colour;
    int most_lines = 0;  // 0: all
    bool breaks_anywhere = false;
    QList<QTextLayout::FormatRange> formats = {};
  };

  void lay_out(const SessionItem& item, bool is_open);
  void instruction(const SessionItem& item);
  void hint(const SessionItem& item);
  void thought(const SessionItem& item, bool is_open);
  void text(const SessionItem& item);
  void call(const SessionItem& item, bool is_open);
  void call_details(const SessionItem& item, bool is_open, double x, double width, double& y);
  double terminal_box(double x, double y, double width);
  void ending(const SessionItem& item);
  double pills(const SessionItem& item, double right, double y);  // the width that they take
  double pill(const QString& text, const QColor& ink, const QColor& ground, double right, double y);

  // Adds text at (x, y) within a width; its height.
  double add_text(const QString& text, const TextStyle& style, double x, double y, double width);
  double code_box(const QString& text, double x, double y, double width, int most_lines);
  double diff_box(const std::vector<tools::FilePatch>& files, double x, double y, double width, int most_lines);
  double origins(const SessionItem& item, double x, double y, double width);
  double claims(const SessionItem& item, double x, double y, double width);
  void add_icon(const QString& name, IconColour colour, double x, double y, double size);

  double width_, height_ = 0;
  QString sought_;
  QByteArray output_;
  std::vector<Box> boxes_;
  std::vector<Text> texts_;
  std::vector<Icon> icons_;
  QRectF frame_;    // of the whole row's own box
  QRectF fold_;     // click here to open and close
  QRectF picture_;  // where the thumbnail goes
  qint64 picture_id_ = 0;
};

}  // namespace app
