#include "inference/training/screens/theme.h"

#include <QFontDatabase>
#include <QStringList>

#include "inference/training/screens/icons.h"

namespace screens {
namespace {

// Families for the evaluation only are never in the first list.
const QStringList& families(Split split, bool mono) {
  static const auto present = [](const QStringList& wanted) {
    const QStringList all = QFontDatabase::families();
    QStringList found;
    for (const QString& name : wanted)
      if (all.contains(name)) found << name;
    return found;
  };
  static const QStringList train = present({"DejaVu Sans",
                                            "DejaVu Sans",
                                            "Liberation Sans",
                                            "Noto Sans",
                                            "Noto Sans",
                                            "Cantarell",
                                            "Open Sans",
                                            "Roboto",
                                            "Inter",
                                            "Karla",
                                            "Clear Sans",
                                            "Go",
                                            "PT Sans",
                                            "Manrope",
                                            "FreeSans",
                                            "DejaVu Serif",
                                            "Liberation Serif",
                                            "Caladea",
                                            "PT Serif",
                                            "DejaVu Sans Condensed",
                                            "Andika",
                                            "Cabin",
                                            "Junction",
                                            "Linux Biolinum O",
                                            "Gillius ADF",
                                            "Libris ADF Std",
                                            "Universalis ADF Std",
                                            "Verana Sans",
                                            "URW Gothic",
                                            "National Park",
                                            "M PLUS 1",
                                            "Oxygen-Sans",
                                            "Comic Neue",
                                            "Dosis",
                                            "Quicksand Medium",
                                            "Averia Sans GWF",
                                            "Latin Modern Sans",
                                            "Play",
                                            "Charis SIL",
                                            "Gentium Basic",
                                            "EB Garamond",
                                            "Linux Libertine O",
                                            "Tribun ADF Std",
                                            "Baskervald ADF Std",
                                            "C059",
                                            "P052",
                                            "Roboto Slab",
                                            "Vollkorn"});
  static const QStringList train_mono =
      present({"DejaVu Sans Mono", "Liberation Mono", "Noto Mono", "Fira Code", "JetBrains Mono", "Go Mono", "PT Mono",
               "Fantasque Sans Mono", "Inconsolata", "mononoki", "Nimbus Mono PS", "League Mono", "M PLUS 1 Code",
               "Oxygen Mono", "Agave", "Hermit", "Monoid", "Latin Modern Mono"});
  static const QStringList held_out = present({"Lato", "B612", "Carlito", "Noto Serif"});
  static const QStringList held_out_mono = present({"Hack", "Noto Sans Mono"});
  return split == Split::Train ? (mono ? train_mono : train) : (mono ? held_out_mono : held_out);
}

// Hues from 260 to 320 degrees belong to the evaluation.
int hue(Random& random, Split split) {
  return split == Split::HeldOut ? random.between(260, 319) : (random.between(0, 299) + 320) % 360;
}

QColor grey(Random& random, int low, int high, int tint) {
  const int v = random.between(low, high);
  auto one = [&] { return std::min(255, std::max(0, v + random.between(-tint, tint))); };
  return QColor(one(), one(), one());
}

QPalette make_palette(Random& random, Split split, bool dark) {
  QPalette palette;
  const int tint = random.chance(0.3) ? 8 : 2;
  const QColor window = dark ? grey(random, 28, 75, tint) : grey(random, 222, 250, tint);
  const QColor base =
      dark ? grey(random, 16, 60, tint) : (random.chance(0.7) ? QColor(255, 255, 255) : grey(random, 240, 255, tint));
  const QColor text = dark ? grey(random, 205, 255, tint) : grey(random, 0, 60, tint);
  const QColor accent = QColor::fromHsv(hue(random, split), random.between(90, 230), random.between(120, 230));
  palette.setColor(QPalette::Window, window);
  palette.setColor(QPalette::WindowText, text);
  palette.setColor(QPalette::Base, base);
  palette.setColor(QPalette::AlternateBase, dark ? base.lighter(120) : base.darker(104));
  palette.setColor(QPalette::Text, text);
  palette.setColor(QPalette::Button, random.chance(0.6) ? window : (dark ? window.lighter(125) : window.darker(107)));
  palette.setColor(QPalette::ButtonText, text);
  palette.setColor(QPalette::BrightText, Qt::white);
  palette.setColor(QPalette::Highlight, accent);
  palette.setColor(QPalette::HighlightedText, accent.lightness() > 150 ? Qt::black : Qt::white);
  palette.setColor(QPalette::Link, dark ? accent.lighter(140) : accent.darker(130));
  palette.setColor(QPalette::PlaceholderText, dark ? text.darker(160) : QColor(130, 130, 130));
  const QColor faded = dark ? QColor(125, 125, 125) : QColor(150, 150, 150);
  for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, faded);
  return palette;
}

QString make_sheet(Random& random, const QPalette& palette) {
  const int radius = random.between(0, 9), padding = random.between(2, 7);
  const QString accent = palette.highlight().color().name(), line = palette.window().color().lightness() > 128
                                                                        ? palette.window().color().darker(130).name()
                                                                        : palette.window().color().lighter(170).name();
  QString sheet = QStringLiteral(
                      "QPushButton{border:1px solid %1;border-radius:%2px;padding:%3px %4px;background:%5}"
                      "QLineEdit,QComboBox,QSpinBox{border:1px solid %1;border-radius:%2px;padding:%6px;background:%7}")
                      .arg(line)
                      .arg(radius)
                      .arg(padding)
                      .arg(padding * 2 + 2)
                      .arg(palette.button().color().name())
                      .arg(padding / 2)
                      .arg(palette.base().color().name());
  if (random.chance(0.5))
    sheet += QStringLiteral("QPushButton:default{background:%1;color:%2;border-color:%1}")
                 .arg(accent, palette.highlightedText().color().name());
  return sheet;
}

// Letters of many shapes: wider and narrower, slanted, lighter and bolder than the families have them.
void vary(Random& random, QFont& font) {
  if (random.chance(0.06)) font.setItalic(true);
  if (random.chance(0.1)) font.setWeight(random.pick({QFont::Light, QFont::Medium, QFont::DemiBold}));
  if (random.chance(0.2)) font.setStretch(random.between(90, 112));
  if (random.chance(0.2)) font.setLetterSpacing(QFont::PercentageSpacing, random.between(96, 108));
  if (random.chance(0.2)) font.setHintingPreference(random.pick({QFont::PreferNoHinting, QFont::PreferFullHinting}));
}

}  // namespace

Theme make_theme(Random& random, Split split) {
  Theme theme;
  theme.split = split;
  theme.dark = random.chance(0.3);
  theme.style = random.pick(
      {QStringLiteral("Fusion"), QStringLiteral("Fusion"), QStringLiteral("Fusion"), QStringLiteral("Windows")});
  theme.palette = make_palette(random, split, theme.dark);
  if (random.chance(0.15)) theme.sheet = make_sheet(random, theme.palette);
  theme.font = QFont(random.pick(families(split, false)));
  theme.font.setPixelSize(random.between(11, random.chance(0.25) ? 18 : 15));
  if (random.chance(0.06)) theme.font.setBold(true);
  if (random.chance(0.15)) theme.font.setHintingPreference(QFont::PreferNoHinting);
  theme.mono = QFont(random.pick(families(split, true)));
  theme.mono.setPixelSize(random.between(11, 16));
  theme.spacing = random.between(2, 11);
  theme.margin = random.between(3, 14);
  theme.title_height = std::max(random.between(20, 34), theme.font.pixelSize() + 8);
  theme.button_look = split == Split::HeldOut && random.chance(0.5) ? 3 : random.between(0, 2);
  theme.buttons_left = random.chance(0.2);
  theme.title_centred = random.chance(0.5);
  theme.title_color = random.chance(0.35) ? theme.palette.highlight().color() : theme.palette.window().color();
  if (random.chance(0.3))
    theme.title_color = theme.dark ? theme.title_color.lighter(130) : theme.title_color.darker(115);
  theme.title_text = theme.title_color.lightness() > 135 ? QColor(20, 20, 20) : QColor(240, 240, 240);
  theme.icon_stroke = 0.9 + random.unit() * 1.4;
  theme.icon_filled = random.chance(0.4);
  theme.icon_color = random.chance(0.5) ? theme.palette.windowText().color()
                                        : QColor::fromHsv(hue(random, split), random.between(80, 220),
                                                          theme.dark ? 230 : random.between(90, 190));
  const QStringList themes = icon_themes(split == Split::HeldOut);
  if (!themes.isEmpty() && random.chance(0.5)) theme.icon_theme = random.pick(themes);
  if (split == Split::Train) vary(random, theme.font), vary(random, theme.mono);
  return theme;
}

void give_font_of_its_own(Random& random, const Theme& theme, double probability, QWidget* widget) {
  if (theme.split != Split::Train || !random.chance(probability)) return;
  QFont font(random.pick(families(theme.split, random.chance(0.3))));
  font.setPixelSize(random.between(11, 17));
  vary(random, font);
  widget->setFont(font);
}

}  // namespace screens
