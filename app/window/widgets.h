#pragma once
// Small parts that several views share: buttons and labels with their look and their accessible name.

#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include "app/window/theme.h"

namespace app {

inline QPushButton* make_button(const QString& text, const char* kind = "", const QString& icon_name = {},
                                IconColour colour = IconColour::Text) {
  auto* button = new QPushButton(text);
  button->setProperty("kind", kind);
  button->setAccessibleName(text);
  if (!icon_name.isEmpty()) button->setIcon(icon(icon_name, colour));
  button->setIconSize({16, 16});
  button->setCursor(Qt::PointingHandCursor);
  return button;
}

// An icon alone: its name is its tool tip and what a screen reader says.
inline QToolButton* make_icon_button(const QString& icon_name, const QString& name) {
  auto* button = new QToolButton;
  button->setProperty("kind", "quiet");
  button->setIcon(icon(icon_name, IconColour::Dim));
  button->setIconSize({18, 18});
  button->setToolTip(name);
  button->setAccessibleName(name);
  button->setCursor(Qt::PointingHandCursor);
  return button;
}

// An icon that says nothing by itself: it stands beside words. In the theme's colours at each painting.
class Mark : public QWidget {
 public:
  explicit Mark(int size) { setFixedSize(size, size); }
  Mark(int size, const QString& name, IconColour colour) : Mark(size) { set(name, colour); }
  void set(const QString& name, IconColour colour) {
    icon_ = icon(name, colour);
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    icon_.paint(&painter, rect());
  }

 private:
  QIcon icon_;
};

inline QLabel* make_label(const QString& text, const char* role = "", TextSize size = TextSize::Body,
                          QFont::Weight weight = QFont::Normal) {
  auto* label = new QLabel(text);
  label->setProperty("role", role);
  label->setFont(text_font(size, weight));
  return label;
}

// A label that never widens its window: what doesn't fit ends in an ellipsis, the tool tip has all of it.
class ElidedLabel : public QLabel {
 public:
  using QLabel::QLabel;
  void set_text(const QString& text) {
    text_ = text;
    setToolTip(text);
    setAccessibleName(text);
    elide();
  }
  QSize minimumSizeHint() const override { return {60, QLabel::minimumSizeHint().height()}; }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QLabel::resizeEvent(event);
    elide();
  }

 private:
  void elide() { setText(fontMetrics().elidedText(text_.simplified(), Qt::ElideRight, width())); }
  QString text_;
};

}  // namespace app
