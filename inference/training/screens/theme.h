#pragma once
// The look of a scene: widget style, palette, fonts, density, and how windows are decorated.

#include <QFont>
#include <QPalette>
#include <QString>
#include <QWidget>

#include "inference/training/screens/random.h"
#include "inference/training/screens/text_source.h"

namespace screens {

struct Theme {
  Split split = Split::Train;
  bool dark = false;
  QString style;  // of QStyleFactory
  QString sheet;  // style sheet for all widgets; often empty
  QPalette palette;
  QFont font, mono;
  int spacing = 6, margin = 9;  // pt
  // Decoration of windows.
  int title_height = 24;  // pt
  int button_look = 0;    // 0 glyphs, 1 coloured discs, 2 boxed glyphs, 3 (evaluation only) underlined glyphs
  bool buttons_left = false, title_centred = false;
  QColor title_color, title_text;
  // Symbols.
  QString icon_theme;  // of real icons; empty: drawn by us
  double icon_stroke = 1.5;
  bool icon_filled = false;
  QColor icon_color;
};

Theme make_theme(Random& random, Split split);

// In training, some widgets get a font of their own: many fonts on one screen. On held-out screens nothing changes.
void give_font_of_its_own(Random& random, const Theme& theme, double probability, QWidget* widget);

}  // namespace screens
