#pragma once
// What a scene is: layers of real widgets painted over each other, and the labels harvested from them.
// Boxes are in pixels of an 896×504 picture, whatever the size of the picture and the size the widgets were laid out
// at.

#include <QRectF>
#include <QString>
#include <QWidget>
#include <memory>
#include <vector>

namespace screens {

inline constexpr int kWidth = 896;  // px of the picture, M3's own area limit
inline constexpr int kHeight = 504;

// What the picture shows: the screen in 896×504 px, the screen in 1344×756 px, or 896×504 px cut out of a larger screen
// as a closer look does.
enum class View { Whole, Large, Crop };

// A thing that a user can point at.
struct Item {
  QString kind;   // "button", "checkbox", "menu", …
  QString text;   // what it says; empty for icons
  QString icon;   // name of its symbol, when it has one
  QString value;  // text of a field, current entry of a combo box, number of a slider
  QString title;  // of the window it is in
  QRectF box;
  bool checked = false, enabled = true, focused = false;
  int layer = 0;
  QWidget* widget = nullptr;  // not part of the label: lets the events act on it
  int index = -1;             // tab, action, row of the widget; for a cell row · 1000 + column
};

// A piece of text as it was painted.
struct TextRun {
  QString text;
  QRectF box;
  std::vector<float> centers;  // x of each character
  bool whole = true;           // nothing of it is clipped or covered
  int layer = 0;
};

// One rectangle of the screen, in layout points. Later layers cover earlier ones.
struct Layer {
  std::unique_ptr<QWidget> widget;
  QRect frame;     // with decoration
  QPoint content;  // where the widget's origin is
  QString title;
  bool decorated = false;
  bool is_popup = false;
};

}  // namespace screens
