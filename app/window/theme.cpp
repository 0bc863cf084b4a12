#include "app/window/theme.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusReply>
#include <QFile>
#include <QFontDatabase>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QStyleFactory>
#include <QSvgRenderer>
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "app/window/same_thread_painting.h"
#include "app/window/window_resources.h"
#include "tools/session_bus.h"

namespace app {
namespace {

Theme light() {
  return {.is_dark = false,
          .window = "#f5f6f8",
          .surface = "#ffffff",
          .raised = "#ffffff",
          .sunken = "#eceef2",
          .border = "#e1e4ea",
          .hover = "#eef0f4",
          .text = "#1b1f27",
          .text_dim = "#5c6473",
          .text_faint = "#8a92a1",
          .accent = "#3f5be0",
          .accent_soft = "#e8ecfd",
          .on_accent = "#ffffff",
          .good = "#157f4c",
          .good_soft = "#e0f4e9",
          .warn = "#96630a",
          .warn_soft = "#fcf0d6",
          .bad = "#be2f38",
          .bad_soft = "#fce6e7"};
}

Theme dark() {
  return {.is_dark = true,
          .window = "#14161b",
          .surface = "#1b1e25",
          .raised = "#22262f",
          .sunken = "#101216",
          .border = "#2d323d",
          .hover = "#272c36",
          .text = "#e8eaef",
          .text_dim = "#a3abba",
          .text_faint = "#78808f",
          .accent = "#8aa0ff",
          .accent_soft = "#262f55",
          .on_accent = "#0f1430",
          .good = "#57cf93",
          .good_soft = "#17362a",
          .warn = "#e6b455",
          .warn_soft = "#3a2f17",
          .bad = "#ff8087",
          .bad_soft = "#42222a"};
}

Theme& current() {
  static Theme theme = light();
  return theme;
}

// What the desktop said last; nothing: it wasn't asked yet.
std::optional<bool>& known_darkness() {
  static std::optional<bool> known;
  return known;
}

constexpr unsigned kDarkScheme = 1;

// What the desktop says over its portal, else how dark the platform's own palette is.
bool ask_whether_desktop_is_dark(const QPalette& platform) {
  constexpr int kPatience_ms = 200;
  const bool looks_dark = platform.color(QPalette::Window).lightness() < 128;
  if (!tools::has_session_bus()) return looks_dark;
  QDBusMessage question = QDBusMessage::createMethodCall(
      "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings", "Read");
  question.setArguments({"org.freedesktop.appearance", "color-scheme"});
  question.setAutoStartService(false);  // a portal that doesn't run has nothing to say yet
  const QDBusReply<QVariant> answer = QDBusConnection::sessionBus().call(question, QDBus::Block, kPatience_ms);
  if (answer.isValid()) return qvariant_cast<QDBusVariant>(answer.value()).variant().toUInt() == kDarkScheme;
  return looks_dark;
}

QPalette palette_of(const Theme& theme) {
  QPalette palette;
  const std::array<std::pair<QPalette::ColorRole, QColor>, 13> roles = {
      {{QPalette::Window, theme.window},
       {QPalette::WindowText, theme.text},
       {QPalette::Base, theme.surface},
       {QPalette::AlternateBase, theme.sunken},
       {QPalette::Text, theme.text},
       {QPalette::Button, theme.raised},
       {QPalette::ButtonText, theme.text},
       {QPalette::Highlight, theme.accent},
       {QPalette::HighlightedText, theme.on_accent},
       {QPalette::ToolTipBase, theme.raised},
       {QPalette::ToolTipText, theme.text},
       {QPalette::Link, theme.accent},
       {QPalette::PlaceholderText, theme.text_faint}}};
  for (const auto& [role, colour] : roles) palette.setColor(role, colour);
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, theme.text_faint);
  }
  return palette;
}

// The style sheet with the theme's colours in the place of their names.
QString style_sheet(const Theme& theme) {
  QFile file(":/window.qss");
  if (!file.open(QIODevice::ReadOnly)) return {};
  QString sheet = QString::fromUtf8(file.readAll());
  std::vector<std::pair<QString, QColor>> names = {{"@window", theme.window},       {"@surface", theme.surface},
                                                   {"@raised", theme.raised},       {"@sunken", theme.sunken},
                                                   {"@border", theme.border},       {"@hover", theme.hover},
                                                   {"@text_dim", theme.text_dim},   {"@text_faint", theme.text_faint},
                                                   {"@text", theme.text},           {"@accent_soft", theme.accent_soft},
                                                   {"@accent", theme.accent},       {"@on_accent", theme.on_accent},
                                                   {"@good_soft", theme.good_soft}, {"@good", theme.good},
                                                   {"@warn_soft", theme.warn_soft}, {"@warn", theme.warn},
                                                   {"@bad_soft", theme.bad_soft},   {"@bad", theme.bad}};
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const auto& [name, colour] : names) sheet.replace(name, colour.name());
  return sheet;
}

class ThemedIcon final : public QIconEngine {
 public:
  ThemedIcon(QString name, IconColour colour) : name_(std::move(name)), colour_(colour) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    const qreal ratio = painter->device()->devicePixelRatioF();
    painter->drawPixmap(rect, scaledPixmap(rect.size() * ratio, mode, state, ratio));
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    return scaledPixmap(size, mode, state, 1);
  }
  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal ratio) override {
    QColor colour = colour_of(colour_);
    if (mode == QIcon::Disabled) colour = theme().text_faint;
    const QString key = QString("icon/%1/%2/%3/%4").arg(name_, colour.name()).arg(size.width()).arg(ratio);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    QFile file(":/icons/" + name_ + ".svg");
    if (!file.open(QIODevice::ReadOnly)) return pixmap;
    QSvgRenderer svg(file.readAll().replace("currentColor", colour.name().toLatin1()));
    pixmap = QPixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    svg.render(&painter);
    painter.end();
    pixmap.setDevicePixelRatio(ratio);
    QPixmapCache::insert(key, pixmap);
    return pixmap;
  }
  QIconEngine* clone() const override { return new ThemedIcon(*this); }

 private:
  QString name_;
  IconColour colour_;
};

}  // namespace

const Theme& theme() {
  return current();
}

void apply_theme(QApplication& application, ThemeChoice choice) {
  static const QPalette platform = QApplication::palette();
  std::optional<bool>& known = known_darkness();
  if (choice == ThemeChoice::System && !known) known = ask_whether_desktop_is_dark(platform);
  const bool is_dark = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && *known);
  current() = is_dark ? dark() : light();
  static const bool prepared = [] {
    register_resources();
    paint_in_the_same_thread();
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    // Where no desktop says which font it likes, one that is made for screens.
    if (qEnvironmentVariableIsEmpty("XDG_CURRENT_DESKTOP") && QFontDatabase::hasFamily("Inter")) {
      QApplication::setFont(QFont("Inter", 10));
    }
    return true;
  }();
  Q_UNUSED(prepared);
  QApplication::setPalette(palette_of(current()));
  application.setStyleSheet(style_sheet(current()));
}

void note_desktop_scheme(unsigned scheme) {
  known_darkness() = scheme == kDarkScheme;
}

QFont text_font(TextSize size, QFont::Weight weight) {
  QFont font = QApplication::font();
  constexpr double kScale[] = {0.88, 1.0, 1.3, 2.0};
  font.setPointSizeF(font.pointSizeF() * kScale[static_cast<int>(size)]);
  font.setWeight(weight);
  return font;
}

QFont code_font() {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(QApplication::font().pointSizeF() * 0.9);
  return font;
}

QIcon icon(const QString& name, IconColour colour) {
  return QIcon(new ThemedIcon(name, colour));
}

QColor colour_of(IconColour colour) {
  switch (colour) {
    case IconColour::Text:
      return theme().text;
    case IconColour::Dim:
      return theme().text_dim;
    case IconColour::Accent:
      return theme().accent;
    case IconColour::OnAccent:
      return theme().on_accent;
    case IconColour::Good:
      return theme().good;
    case IconColour::Warn:
      return theme().warn;
    case IconColour::Bad:
      return theme().bad;
  }
  return theme().text;
}

}  // namespace app
