#pragma once
// How the window looks: colours in light and dark, one type scale, icons that follow both.

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QString>

class QApplication;

namespace app {

struct Theme {
  bool is_dark = false;
  QColor window, surface, raised, sunken, border, hover;  // from the back to the front
  QColor text, text_dim, text_faint;
  QColor accent, accent_soft, on_accent;
  QColor good, good_soft, warn, warn_soft, bad, bad_soft;
};

enum class ThemeChoice { System, Light, Dark };

const Theme& theme();  // what is in use now; widgets that paint themselves ask at each painting

// Sets palette, style sheet and font of the application. `System`: as the desktop is, which is asked once.
void apply_theme(QApplication& application, ThemeChoice choice);
// It has told since that it is another; whoever hears of it applies the theme again. `scheme`: as the portal counts, 1
// is dark.
void note_desktop_scheme(unsigned scheme);

// The type scale: everything that is written uses one of these.
enum class TextSize { Small, Body, Title, Display };
QFont text_font(TextSize size, QFont::Weight weight = QFont::Normal);
QFont code_font();

// An icon of resources/icons in the theme's colour at the time when it is painted, sharp at every scale.
enum class IconColour { Text, Dim, Accent, OnAccent, Good, Warn, Bad };
QIcon icon(const QString& name, IconColour colour = IconColour::Text);
QColor colour_of(IconColour colour);

}  // namespace app
